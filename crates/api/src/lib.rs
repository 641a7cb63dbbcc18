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
mod token_budget;
pub mod verbs;

mod answer_gaps;
mod arguments;
mod beat_parts;
mod bounded_text;
pub mod caller;
mod caller_words;
pub mod cli;
pub mod command_name;
pub mod door;
mod doors;
mod field_forms;
mod field_kinds;
pub mod field_values;
pub mod gate;
mod given_texts;
pub mod guidance;
pub mod hook;
pub mod instances;
pub mod instructions;
pub mod json;
pub mod likely_commands;
pub mod limits;
pub mod live;
mod message_words;
pub mod mirror_node;
pub mod openapi;
pub mod prompts;
mod recall_pages;
pub mod reference;
pub mod refusal;
pub mod resources;
mod schema;
pub mod terminal;
pub mod tools;
mod verb_directory;
mod visible_answer;
pub mod wire;

pub use answer::Answer;
pub use answer_gaps::AnswerGaps;
pub use beat_parts::{BeatParts, Cut};
pub use caller::Form;
pub use caller_words::CallerWords;
pub use context::{Context, Editor, FoundPlace, Offers, ToolSwitch};
pub use door::{Door, DoorKind};
pub use entry::{Entry, OpenFeed, OpenPage, entry, feed_entry, job_entry};
pub use feed::{Begin, Cursor, Feed, FeedPage, FeedTopic, Patience, WaitsOn};
pub(crate) use field_values::within;
pub use field_values::{JsonLines, TextOrNumber};
pub use job::Job;
pub use progress::{Progress, Steps, Stop};
pub use schema::Object;
pub use screen::{Present, Screen};
pub use spec::{Carries, Doors, Effect, Kind, LongText, Method, Offered, Toolset, VerbSpec};
pub use verb::Verb;
pub use verbs::table;
