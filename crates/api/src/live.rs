//! The live channel, as a door offers it to the verbs of its set.
//!
//! The daemon holds it in memory. Another process is a client of it, for these verbs alone: there is nothing on the
//! disk that it could open itself (IF-10).

use crate::{Door, Object};
use brainstem_base::Fault;
use brainstem_post::live::Hub;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The live channel, as this process reaches it.
#[derive(Clone)]
pub enum Live {
    /// In this process.
    Here(Arc<Hub>),
    /// With the daemon of this home, if one runs.
    There(Arc<dyn AskDaemon>),
}

/// A client of the daemon of this home.
pub trait AskDaemon: Send + Sync {
    /// Returns its answer; `None` if no daemon runs.
    fn ask(&self, asking: &Asking) -> Result<Option<Value>, Fault>;
}

/// A call of the daemon: what, and on whose behalf.
#[derive(Clone, Debug)]
pub struct Asking {
    /// The path of the verb.
    pub path: &'static str,
    /// Its fields.
    pub fields: Object,
    /// The door that the caller came through, in whose words the daemon advises.
    pub door: Door,
    /// How long the answer may take beyond the usual.
    pub wait: Duration,
    /// The calling agent.
    pub agent: String,
    /// The caller's folder.
    pub root: Option<PathBuf>,
    /// Its session and tags, and the mail root it named.
    pub session: Option<String>,
    /// The name that its connection was given.
    pub connection: Option<String>,
    /// The agent that runs its session; `None` if that is not known.
    pub session_agent: Option<String>,
    /// See `session`.
    pub tags: Vec<String>,
    /// See `session`.
    pub mail_root: Option<PathBuf>,
}
