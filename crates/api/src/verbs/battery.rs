//! `battery add|run`: cases made from letters, and running them.

mod add;
mod run;

pub use add::{BatteryAdd, BatteryAddAnswer};
pub use run::{BatteryCase, BatteryRun, BatteryRunAnswer};

use crate::Doors;

const DOORS: Doors =
    Doors::CommandLine { why: "cases are files of a repository, which people and their checks run" };
