//! The use cases of memory. Only what the doors hand in is here yet.

use std::path::PathBuf;
use std::sync::Mutex;

/// The services of memory over one home.
#[derive(Debug, Default)]
pub struct Memory;

/// What each source says about who is calling; resolved once, by the service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// The argument `agent_id` of this one call.
    pub argument: Option<String>,
    /// `--as` on the command line.
    pub flag: Option<String>,
    /// `BRAINSTEM_AGENT`.
    pub env: Option<String>,
    /// The name an MCP client gave itself.
    pub client: Option<String>,
    /// The login name of the person whose process this is.
    pub login: Option<String>,
}

/// Where the caller may stand; the router picks (MEM-17).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootHints {
    /// `--root`.
    pub explicit: Option<PathBuf>,
    /// `BRAINSTEM_WORKSPACE_ROOT` or its alias.
    pub env: Option<PathBuf>,
    /// The working directory.
    pub cwd: Option<PathBuf>,
}

/// What one MCP session is bound to; changed by `bootstrap`.
#[derive(Debug, Default)]
pub struct Session(Mutex<Option<PathBuf>>);

impl Session {
    /// The root this session is bound to.
    pub fn root(&self) -> Option<PathBuf> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Binds the session to a root.
    pub fn bind(&self, root: PathBuf) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(root);
    }
}
