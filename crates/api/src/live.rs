//! The live channel, as a door offers it to the verbs of its set.
//!
//! The daemon holds it in memory. Another process is a client of it, for these verbs alone: there is nothing on the
//! disk that it could open itself (IF-10).

use crate::{Context, Door, Object};
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_base::{Fault, codes};
use brainstem_mail::live::{Address, Project};
use brainstem_post::live::Hub;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Where the live channel is.
#[derive(Clone)]
pub enum Live {
    /// In this process.
    Here(Arc<Hub>, Arc<Waits>),
    /// With the daemon of this home, if one runs.
    There(Arc<dyn AskDaemon>),
}

/// Where a call says that it would wait for news. It does not wait itself: a thread that waits is lost to others.
#[derive(Default)]
pub struct Waits {
    wait: Mutex<Option<Wait>>,
    /// The project where the call began to wait.
    begun_at: OnceLock<Project>,
}

/// Whose news are waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The session.
    pub who: Address,
    /// What it has seen.
    pub cursor: u64,
    /// For how long.
    pub at_most: Duration,
}

impl Waits {
    /// Says what is waited for.
    pub(crate) fn set(&self, wait: Wait) {
        let _ = self.begun_at.set(wait.who.project.clone());
        *self.wait.lock().unwrap_or_else(PoisonError::into_inner) = Some(wait);
    }

    /// Takes what was said.
    pub fn take(&self) -> Option<Wait> {
        self.wait.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The project where the call began to wait, if it has waited.
    pub(crate) fn begun_at(&self) -> Option<&Project> {
        self.begun_at.get()
    }
}

/// Who asks the daemon of this home.
pub trait AskDaemon: Send + Sync {
    /// Its answer; `None` where no daemon runs.
    fn ask(&self, asking: &Asking) -> Result<Option<Value>, Fault>;

    /// Whether somebody still waits for what may come later.
    fn is_wanted(&self) -> bool;
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
    /// Who calls.
    pub agent: String,
    /// Where the caller stands.
    pub root: Option<PathBuf>,
    /// Its session and tags, and the mail root it named.
    pub session: Option<String>,
    /// The name that its connection was given.
    pub connection: Option<String>,
    /// The agent that runs its session, where that is known.
    pub session_agent: Option<String>,
    /// See `session`.
    pub tags: Vec<String>,
    /// See `session`.
    pub mail_root: Option<PathBuf>,
}

impl Context {
    /// The channel in this process, if it is here.
    pub(crate) fn hub(&self) -> Option<&Hub> {
        match &self.offers.live {
            Some(Live::Here(hub, _)) => Some(hub),
            Some(Live::There(_)) | None => None,
        }
    }

    /// Whether somebody still waits for the answer.
    pub(crate) fn is_wanted(&self) -> bool {
        let listens = match &self.offers.live {
            Some(Live::There(daemon)) => daemon.is_wanted(),
            Some(Live::Here(..)) | None => true,
        };
        listens && self.stop().is_none()
    }

    /// The answer of the daemon to a verb of the live channel; `None` where there is none, or this is it.
    pub(crate) fn asked_live<T: DeserializeOwned>(
        &self,
        path: &'static str,
        fields: &impl Serialize,
        wait: Duration,
    ) -> Result<Option<T>, Fault> {
        let Some(Live::There(daemon)) = &self.offers.live else { return Ok(None) };
        let bug = |error: serde_json::Error| {
            Fault::new(codes::DAEMON_FAILED, format!("the daemon and this program do not agree: {error}"))
                .fix(advice!["start the daemon anew, with this program: ", calls::down(), ", ", calls::up()])
        };
        let Value::Object(mut fields) = serde_json::to_value(fields).map_err(bug)? else {
            return Ok(None);
        };
        fields.retain(|_, value| !value.is_null());
        let caller = self.caller()?;
        // The daemon gets the path alone, and another project may have it now.
        if caller.principal.mail.root.is_none() {
            self.memory.check_ground(&caller)?;
        }
        let at = caller.place().deciding().map(|(_, path)| path);
        let whole = |path: PathBuf| match &caller.hints().cwd {
            Some(cwd) => cwd.join(path),
            None => path,
        };
        let mail = &caller.principal.mail;
        let asking = Asking {
            path,
            fields,
            door: self.door,
            wait,
            agent: caller.principal.agent.to_string(),
            root: at.map(whole),
            session: mail.session.as_ref().map(ToString::to_string),
            connection: mail.connection.as_ref().map(ToString::to_string),
            session_agent: self.post().agent_of_session(&caller).map(|agent| agent.to_string()),
            tags: mail.tags.iter().map(ToString::to_string).collect(),
            mail_root: mail.root.clone().map(whole),
        };
        match daemon.ask(&asking)? {
            None => Ok(None),
            Some(answer) => serde_json::from_value(answer).map(Some).map_err(bug),
        }
    }
}
