//! How the verbs of the live channel reach it: in this process, or through the daemon.

use crate::Context;
use crate::caller::AGENT_ID;
use crate::live::{Asking, Live};
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_base::{Fault, codes};
use brainstem_post::live::Hub;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

impl Context {
    /// The channel in this process, if it is here.
    pub(crate) fn hub(&self) -> Option<&Hub> {
        self.shared_hub().map(Arc::as_ref)
    }

    /// The same, for a topic that outlives the call.
    pub(crate) fn shared_hub(&self) -> Option<&Arc<Hub>> {
        match &self.offers.live {
            Some(Live::Here(hub)) => Some(hub),
            Some(Live::There(_)) | None => None,
        }
    }

    /// Returns the daemon's answer to a verb of the live channel; `None` if no daemon runs, or this process is the
    /// daemon.
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
        // The calls that the daemon's answer names say it as this call did.
        if let Some(agent) = self.offers.said.agent_id() {
            fields.insert(AGENT_ID.into(), agent.into());
        }
        let caller = self.caller()?;
        // The daemon gets the path alone, and another project may have it now.
        if caller.principal.mail.root.is_none() {
            self.memory.check_mail_ground(&caller)?;
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
