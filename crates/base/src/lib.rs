//! What every other crate is built on: names, time, hashes, error codes, and the three ports through which the program
//! touches the world ([`Clock`], [`Ids`], [`Disk`]).
//!
//! Nothing here knows what a claim or a message is.

pub mod agent;
pub mod bell;
pub mod clock;
pub mod codes;
pub mod disk;
pub mod fault;
pub mod hash;
pub mod ids;
pub mod near_names;
pub mod next;
pub mod process_memory;
pub mod timestamp;

pub use agent::AgentId;
pub use bell::{Bell, Listening};
pub use clock::Clock;
pub use codes::ErrorCode;
pub use disk::{Disk, DiskError, DiskFault};
pub use fault::{Coded, Fault, Refusal};
pub use ids::Ids;
pub use next::Advice;
pub use timestamp::Timestamp;
