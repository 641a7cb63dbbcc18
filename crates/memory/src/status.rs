//! `status`: where am I.

use crate::brains::Brains;
use crate::refusal::MemoryError;
use crate::route::Route;
use crate::service::{Caller, Memory};
use std::path::PathBuf;

/// Where the caller stands.
#[derive(Clone, Debug)]
pub struct Status {
    /// The home folder.
    pub home: PathBuf,
    /// Whether it exists.
    pub home_exists: bool,
    /// Where the caller landed.
    pub route: Route,
    /// Every brain, and the medulla.
    pub brains: Brains,
}

impl Memory {
    /// Says where the caller stands and what there is.
    pub fn status(&self, caller: &Caller) -> Result<Status, MemoryError> {
        Ok(Status {
            home: self.home.path().to_owned(),
            home_exists: self.disk.stat(self.home.path()).is_ok(),
            route: self.route(caller),
            brains: self.brains(caller)?,
        })
    }
}
