//! Export, import and migration as their callers meet them: several layers at once, on a disk that loses power, fills up or
//! fails.
#![allow(clippy::unwrap_used, reason = "everything here is a test")]

// What the tests of memory have at hand, too.
#[path = "../../../memory/tests/it/act_line.rs"]
#[allow(dead_code, reason = "the tests of memory use more of it")]
mod act_line;
#[path = "../../../memory/tests/it/one_file.rs"]
mod one_file;
#[path = "../../../memory/tests/it/power_loss.rs"]
#[allow(dead_code, reason = "the tests of memory use more of it")]
mod power_loss;
#[path = "../../../memory/tests/it/world.rs"]
#[allow(dead_code, reason = "the tests of memory use more of it")]
mod world;

mod promoted;

mod arrival_fails;
mod bare_names;
mod boot_keys;
mod exports;
mod import;
mod import_live;
mod import_m1nd;
mod ledger;
mod migrate;
mod migrate_back;
mod migrate_crash;
mod migrate_meanwhile;
mod migrate_random;
mod set_aside;
