//! The parts that an index is built from.

use crate::embedder::Embedder;
use brainstem_base::{Clock, Disk, Ids};
use brainstem_claims::Claim;
use std::path::PathBuf;
use std::sync::Arc;

/// The folder of the home that holds the files.
pub const FOLDER: &str = "index";

/// Says whether the file of a claim carries a secret.
pub type CarriesSecret = Arc<dyn Fn(&Claim) -> bool + Send + Sync>;

/// The parts that an index is built from.
#[derive(Clone)]
pub struct IndexParts {
    /// The disk.
    pub disk: Arc<dyn Disk>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of ids, for names of files in the making.
    pub ids: Arc<dyn Ids>,
    /// The model that turns text into vectors.
    pub embedder: Arc<dyn Embedder>,
    /// Says whether the file of a claim carries a secret. Nothing of such a claim is indexed.
    pub carries_secret: CarriesSecret,
    /// The folder for the files.
    pub folder: PathBuf,
}
