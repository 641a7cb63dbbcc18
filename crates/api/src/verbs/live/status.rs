//! `live status`.

use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Doors, Effect, Method, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_post::live::StatusRequest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Say what you are doing; orchestrators of this project who are online hear it.
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct LiveStatus {
    /// idle, working, waiting_for_input, blocked, complete or error.
    pub status: String,
    /// In your own words.
    #[arg(long)]
    pub note: Option<String>,
    /// The session that started you, so that the target parent finds it.
    #[arg(long, value_name = "NAME")]
    pub parent: Option<String>,
}

/// Who heard it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct LiveStatusAnswer {
    /// Who you are.
    pub me: String,
    /// What you do.
    pub status: String,
    /// The sessions that were told; none means that no orchestrator is online.
    pub recipients: Vec<String>,
}

impl Verb for LiveStatus {
    const SPEC: VerbSpec = VerbSpec {
        id: "report_status",
        cli: &["live", "status"],
        rest: (Method::Post, "/api/live/status"),
        doors: Doors::All,
        toolset: Toolset::Live,
        effect: Effect::Write,
        idempotent: true,
        long: false,
        title: "Say what you do",
        when_to_use: "When what you do changes: others who are online see it.",
        long_text: &[],
        examples: &[
            "brainstem live status working",
            "brainstem live status blocked --note \"no access to the registry\"",
        ],
    };
    type Output = LiveStatusAnswer;

    fn run(self, cx: &Context) -> Result<LiveStatusAnswer, Fault> {
        if let Some(answer) = cx.asked_live(Self::SPEC.rest.1, &self, Duration::ZERO)? {
            return Ok(answer);
        }
        let request = StatusRequest { status: self.status, note: self.note, parent: self.parent };
        let told = cx.post().live_status(&cx.caller()?, cx.hub(), &request)?;
        Ok(LiveStatusAnswer {
            me: told.me.to_string(),
            status: told.status.as_str().to_owned(),
            recipients: told.recipients.iter().map(|to| to.name.to_string()).collect(),
        })
    }
}

impl Present for LiveStatusAnswer {
    fn present(&self, out: &mut Screen) {
        let heard = match self.recipients.as_slice() {
            [] => "no orchestrator is online".to_owned(),
            names => format!("told {}", names.join(", ")),
        };
        let head = [bold(self.me.as_str()), " is ".into(), styled(Look::Good, self.status.as_str())];
        out.flow(0, 2, head.into_iter().chain([dim(format!("  {heard}"))]));
    }
}
