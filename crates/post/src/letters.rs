//! The use cases of letters: write, distribute, sweep, show a box, take in old ones, and the battery.
//!
//! The spool and the boxes are the truth. What a letter's fate is, where it belongs and how much is open is
//! worked out from them for every call.

mod battery;
mod battery_error;
mod case_world;
mod desk;
mod distribute;
mod error;
mod floor;
mod health;
mod import;
mod kept;
pub mod limits;
mod mailbox;
mod marks;
mod open;
mod places;
mod projects;
mod row;
mod sweep;
mod unreachable;
mod write;

pub use battery::{AddedCase, BatteryRun, CaseRun};
pub use battery_error::BatteryError;
pub use distribute::{Distributed, End, Ended, Filing};
pub use error::LetterError;
pub use health::{LetterHealth, WeekCount};
pub use import::ImportedLetters;
pub use kept::OpenLetters;
pub use mailbox::Mailbox;
pub use open::OpenCount;
pub use row::{Filter, LetterRow};
pub use sweep::Swept;
pub use unreachable::Unreachable;
pub use write::Written;

pub(crate) use floor::id_of as letter_id_of;

pub use brainstem_letters::draft::LetterDraft;
pub use brainstem_letters::{Fate, FateCounts, LetterId, MisdeliveryKind};
