//! The program `brainstem`: the only place that reads the environment and connects the real parts.
//! `brainstem-api` defines its commands.

mod background;
mod call;
mod daemon;
mod editor;
mod feeds;
mod hook;
mod merge_driver;
mod output;
mod progress;
mod run;
mod service;
mod surroundings;
mod toolsets;
mod tour;
mod unparsable;
mod wiring;

use std::process::ExitCode;

fn main() -> ExitCode {
    brainstem_base::disk::RealDisk::ignore_file_size_signal();
    ExitCode::from(run::run(std::env::args_os()).status())
}
