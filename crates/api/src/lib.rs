//! The verbs: wire types, schemas, help and terminal output, each defined once.
//!
//! A verb is one file under [`verbs`]. Everything a door needs is derived from it: the clap command,
//! the JSON schemas, the call with a JSON object, the text for a terminal. The doors themselves
//! (command line, MCP, REST and the page) translate and decide nothing.
//!
//! *Invariant: nothing here reads the environment, the clock or a file; what a door needs from the
//! outside is handed in ([`Context`], [`terminal::Terminal`]).*

pub mod spec;
pub mod verb;

pub mod feed;
pub mod job;
pub mod progress;

pub mod context;
pub mod screen;

mod answer;
pub mod entry;
mod fitting;
pub mod verbs;

mod arguments;
mod bounded;
pub mod caller;
pub mod cli;
mod directory;
pub mod door;
mod doors;
mod forms;
pub mod gate;
mod given;
pub mod guidance;
pub mod hook;
pub mod instances;
pub mod instructions;
pub mod json;
pub mod limits;
pub mod live;
pub mod meant;
pub mod mirror_node;
pub mod openapi;
mod pages;
mod parts;
pub mod prompts;
pub mod reference;
pub mod refusal;
pub mod resources;
mod said;
mod schema;
mod takes;
pub mod terminal;
pub mod tools;
pub mod values;
mod visible;
mod whole;
pub mod wire;

pub use answer::Answer;
pub use caller::Form;
pub use context::{Context, Editor, FoundPlace, Offers, ToolSwitch};
pub use door::{Door, DoorKind};
pub use entry::{Entry, OpenFeed, OpenPage, entry, feed_entry, job_entry};
pub use feed::{Begin, Cursor, Feed, FeedPage, FeedTopic, Patience, WaitsOn};
pub use job::Job;
pub use parts::{BeatParts, Cut};
pub use progress::{Progress, Steps, Stop};
pub use said::CallerWords;
pub use schema::Object;
pub use screen::{Present, Screen};
pub use spec::{Carries, Doors, Effect, Kind, LongText, Method, Offered, Toolset, VerbSpec};
pub(crate) use values::within;
pub use values::{JsonLines, TextOrNumber};
pub use verb::Verb;
pub use verbs::table;
pub use whole::Gaps;
