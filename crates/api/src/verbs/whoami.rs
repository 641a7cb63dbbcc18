//! `whoami`: the agent that this program takes the caller for.

use crate::screen::bold;
use crate::verbs::SessionRow;
use crate::{AnswerGaps, Context, Present, Screen, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::advice;
use brainstem_base::next::VerbId;
use brainstem_base::next::{Placeholder, calls};
use brainstem_memory::{IdentitySource, boxes_of_agent};
use brainstem_post::inbox::AgentDefinition;
use brainstem_post::mail::SessionReach;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Show your identity here, and where it comes from.
///
/// The first of these that is set decides: the argument `agent_id` (MCP), `--as`, the environment
/// variable `BRAINSTEM_AGENT`, `agent` of the settings (`brainstem config list`; a person named there is neither
/// the agent of a host nor an MCP client), the host you run in, the name of the MCP client, your login name. An MCP
/// client whose name gives no id is `unknown`: it never signs as you.
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Whoami {
    /// Show your sessions at every mail root of this home, not only those of this project.
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub all_roots: bool,
}

/// How many sessions are shown.
const SESSIONS_MAX: usize = 20;

/// The caller's identity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Identity {
    /// The id that claims are signed with.
    pub agent_id: String,
    /// The name of its mailbox, and of its folder wherever one is named after it.
    pub slug: String,
    /// Other names under which mail reaches you.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The name of this session: what you take is held under it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Where it comes from: argument, flag, environment, config, host, client, login or `nobody`.
    pub source: String,
    /// human, agent or system.
    pub kind: String,
    /// The name people know it by, where the register of the home has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Whether only your own word gives you the id.
    pub self_declared: bool,
    /// The person this home belongs to, where its settings say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Your address on the ledger; absent before your first message there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inbox: Option<InboxIdentity>,
    /// Your sessions of this project, the last seen first: names, tags and where.
    pub sessions: Vec<SessionRow>,
    /// Sessions beyond the first 20.
    #[serde(skip_serializing_if = "is_zero")]
    pub sessions_left_out: usize,
    /// What you should know besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// An address on the ledger.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InboxIdentity {
    /// The slug that others send to.
    pub slug: String,
    /// The account that signs your messages.
    pub account_id: String,
    /// The topic on which you get messages.
    pub inbound_topic_id: String,
    /// The topic on which you speak in public.
    pub outbound_topic_id: String,
}

impl From<AgentDefinition> for InboxIdentity {
    fn from(definition: AgentDefinition) -> Self {
        Self {
            slug: definition.slug.to_string(),
            account_id: definition.account.to_string(),
            inbound_topic_id: definition.inbound.to_string(),
            outbound_topic_id: definition.outbound.to_string(),
        }
    }
}

impl Verb for Whoami {
    const SPEC: VerbSpec = VerbSpec {
        title: "Who am I",
        when_to_use: "To see which agent id signs your claims, and where it comes from.",
        examples: &["brainstem whoami", "brainstem whoami --as codex:maker --json"],
        ..VerbSpec::of(VerbId::Whoami)
    };
    type Output = Identity;

    fn gaps(answer: &mut Identity) -> AnswerGaps<'_> {
        AnswerGaps::Texts(&mut answer.notes)
    }

    fn run(self, cx: &Context) -> Result<Identity, Fault> {
        let caller = cx.caller()?;
        let reach = if self.all_roots { SessionReach::Everywhere } else { SessionReach::Here };
        let mut sessions = cx.post().sessions_of(&caller, reach);
        let sessions_left_out = sessions.len().saturating_sub(SESSIONS_MAX);
        sessions.truncate(SESSIONS_MAX);
        let config = cx.memory.config(caller.place());
        let mut notes = cx.door.render_all(&caller.principal.notes());
        let unreadable = cx.post().unreadable_sessions(&caller, reach);
        notes.extend(unreadable.iter().map(|session| format!("{}, so it may be yours", session.sentence())));
        let inbox = match cx.post().inbox_definition(&caller) {
            Ok(definition) => definition.map(InboxIdentity::from),
            Err(error) => {
                notes.push(format!("the inbox cannot be read: {error}"));
                None
            }
        };
        let principal = caller.principal;
        if principal.source == IdentitySource::Nobody {
            let how = match cx.has_shell() {
                true => advice![
                    "nobody said who you are, and your login has no name here: give ",
                    calls::as_person(),
                    ", or say it once and for all: ",
                    calls::config_set("agent", Placeholder("human:NAME"))
                ],
                false => {
                    "nobody said who you are: give `agent_id` as host:role, for example codex:maker".into()
                }
            };
            notes.push(cx.door.render(&how));
        }
        let now = cx.memory.clock().now();
        Ok(Identity {
            owner: config.owner().map(|owner| owner.to_string()),
            aliases: boxes_of_agent(&principal.agent).iter().skip(1).map(ToString::to_string).collect(),
            session: principal.mail.session.or(principal.mail.connection).map(|name| name.to_string()),
            inbox,
            sessions_left_out,
            agent_id: principal.agent.to_string(),
            slug: principal.agent.mail_name(),
            source: principal.source.as_str().to_owned(),
            kind: principal.kind.as_str().to_owned(),
            display_name: principal.display_name,
            self_declared: principal.self_declared,
            sessions: sessions.into_iter().map(|row| SessionRow::at(row, now)).collect(),
            notes,
        })
    }
}

impl Present for Identity {
    fn present(&self, out: &mut Screen) {
        out.field("agent", bold(self.agent_id.as_str()));
        if let Some(display_name) = &self.display_name {
            out.field("name", display_name.as_str());
        }
        out.field("kind", self.kind.as_str());
        out.field("address", self.slug.as_str());
        if !self.aliases.is_empty() {
            out.field("also", self.aliases.join(", "));
        }
        if let Some(session) = &self.session {
            out.field("this session", session.as_str());
        }
        let standing = if self.self_declared { "self-declared" } else { "registered" };
        out.field("source", format!("{}, {standing}", self.source));
        if let Some(owner) = &self.owner {
            out.field("home of", owner.as_str());
        }
        if let Some(inbox) = &self.inbox {
            out.field("inbox", format!("{}, topic {}", inbox.slug, inbox.inbound_topic_id));
        }
        for session in &self.sessions {
            let tags = if session.tags.is_empty() {
                String::new()
            } else {
                format!("  {}", session.tags.join(", "))
            };
            out.field("session", format!("{} ({}){tags}  {}", session.name, session.seen, session.root));
        }
        if self.sessions_left_out > 0 {
            out.field("sessions", format!("{} more", self.sessions_left_out));
        }
        out.notes(&self.notes);
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}
