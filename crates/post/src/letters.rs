//! The use cases of letters: write, distribute, sweep, show a box, import old letters, and the battery.
//!
//! The spool and the boxes are the truth. Every call works out from them each letter's fate, where it belongs
//! and how many are open.

mod battery;
mod battery_error;
mod box_view;
mod case_world;
mod distribute;
mod error;
mod floor;
mod gathered;
mod health;
mod import;
mod known_projects;
pub mod limits;
mod marks;
mod open;
mod open_cache;
mod projects_file;
mod sweep;
mod unreachable;
mod view;
mod write;

pub use battery::{AddedCase, BatteryReport, CaseRun};
pub use battery_error::BatteryError;
pub use box_view::LetterBoxView;
pub use distribute::{DistributedLetter, Distribution, Filing, LetterEnd};
pub use error::LetterError;
pub use health::{LetterHealth, WeekCount};
pub use import::ImportedLetters;
pub use open::OpenCount;
pub use open_cache::OpenLetters;
pub use sweep::LetterSweepReport;
pub use unreachable::UnreachableFile;
pub use view::{LetterFilter, LetterView};
pub use write::WrittenLetter;

pub(crate) use floor::id_of as letter_id_of;

pub use brainstem_letters::draft::LetterDraft;
pub use brainstem_letters::{Fate, FateCounts, LetterId, MisdeliveryKind};
