//! The verbs: wire types, schemas, help and terminal output, each defined once.
//!
//! A verb is one file under [`verbs`]. Everything a door needs is derived from it: the clap command,
//! the JSON schemas, the call with a JSON object, the text for a terminal. The doors themselves
//! (command line, MCP, REST and the page) translate and decide nothing.
//!
//! *Invariant: nothing here reads the environment, the clock or a file; what a door needs from the
//! outside is handed in ([`Context`], [`terminal::Terminal`]).*

pub mod verb;

pub mod feed;
pub mod job;
pub mod progress;

pub mod context;
pub mod screen;

pub mod entry;
mod fitting;
pub mod verbs;

mod arguments;
mod bounded;
pub mod caller;
pub mod cli;
pub mod door;
mod forms;
pub mod gate;
pub mod guidance;
pub mod hook;
pub mod instances;
pub mod instructions;
pub mod json;
pub mod limits;
pub mod live;
pub mod meant;
pub mod openapi;
mod pages;
mod parts;
pub mod prompts;
pub mod reference;
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

pub use context::{Context, Editor, Form, FoundPlace, Offers, ToolSwitch};
pub use door::Door;
pub use entry::{Answer, Entry, OpenFeed, OpenPage, entry, feed_entry, job_entry};
pub use feed::{Begin, Cursor, Feed, Page, Patience, Topic, WaitsOn};
pub use job::Job;
pub use parts::{BeatParts, Cut};
pub use progress::{Progress, Steps, Stop};
pub use said::Said;
pub use schema::Object;
pub use screen::{Present, Screen};
pub(crate) use values::within;
pub use values::{JsonLines, TextOrNumber};
pub use verb::{Carries, Doors, Effect, Kind, LongText, Method, Offered, Toolset, Verb, VerbSpec};
pub use verbs::table;
pub use whole::Gaps;
