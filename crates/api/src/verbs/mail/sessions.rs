//! `session register` and `session list`.

use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::verbs::row::{Gap, present_gaps};
use crate::{AnswerGaps, Context, Effect, Present, Screen, Toolset, Verb, VerbSpec, within};
use brainstem_base::next::VerbId;
use brainstem_base::next::field;
use brainstem_base::{Fault, Timestamp};
use brainstem_claims::age;
use brainstem_post::mail::{LIMIT_DEFAULT, LIMIT_MAX, UnreadableSession};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Give your session a name and tags: its own box, and a share in those of the tags.
///
/// Over MCP they hold until the connection ends. On the command line, `--session NAME` or
/// `BRAINSTEM_SESSION` says in later calls which session you are. Tags that are given take the place of those
/// you have; without any you keep them.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct SessionRegister {
    /// The name; default: the one you have.
    #[schemars(extend("x-takes" = field_kinds::mail_name()))]
    pub name: Option<String>,
    /// Tags you carry, such as worker.
    #[arg(long)]
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    #[schemars(extend("x-takes" = field_kinds::list_of(32, field_kinds::mail_name())))]
    pub tag: Option<Vec<String>>,
}

/// A session.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionRow {
    /// Its name, which is its box's.
    pub name: String,
    /// Its id, from its first call on: `processed_by_session` of the messages that it finished in its inbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// The agent that runs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The mail root it belongs to.
    pub root: String,
    /// When it was first seen.
    pub first_seen_at: String,
    /// When it was last seen.
    pub last_seen_at: String,
    /// It was seen within the last 30 minutes. Whether it is online at the live channel, live status says.
    pub live: bool,
    /// When it was last seen or ended, for a terminal.
    #[serde(skip)]
    pub(crate) seen: String,
}

impl SessionRow {
    pub(crate) fn at(row: brainstem_post::mail::RegisteredSession, now: Timestamp) -> Self {
        let at = |ms| Timestamp::from_ms(ms).to_rfc3339();
        let ago = |ms| age::ago(now.ms_since(Timestamp::from_ms(ms)));
        Self {
            seen: match row.record.left {
                Some(left) => format!("ended {}", ago(left)),
                None => format!("seen {}", ago(row.record.last_seen)),
            },
            first_seen_at: at(row.record.first_seen),
            last_seen_at: at(row.record.last_seen),
            root: row.record.root.display().to_string(),
            agent_id: row.record.agent,
            tags: row.record.tags,
            id: row.record.id.map(|id| id.to_string()),
            name: row.record.name,
            live: row.live,
        }
    }
}

/// What is on record for you.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionRegisterAnswer {
    /// Your session.
    #[serde(flatten)]
    pub session: SessionRow,
}

impl Verb for SessionRegister {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Mail,
        effect: Effect::Write,
        title: "Name your session",
        when_to_use: "To get a mailbox of your own and a share in those of your tags.",
        examples: &[
            "brainstem session register worker-feat-104 --tag worker",
            "brainstem --session worker-feat-104 mail list",
        ],
        ..VerbSpec::of(VerbId::SessionRegister)
    };
    type Output = SessionRegisterAnswer;

    fn run(self, cx: &Context) -> Result<SessionRegisterAnswer, Fault> {
        // Without a name it keeps the one it has: its own, or what its connection was given.
        let caller = cx.caller()?;
        // A call without a connection says all its tags at once: its own, and those before the verb or in the environment.
        let own = caller.principal.mail.tags.iter().map(ToString::to_string);
        let tags = self.tag.map(|mut tags| {
            let is_new = |tag: &String, tags: &[String]| cx.session.is_none() && !tags.contains(tag);
            tags.extend(own.filter(|tag| is_new(tag, &tags)).collect::<Vec<_>>());
            tags
        });
        let (row, name, tags) = cx.post().register_session(&caller, self.name.as_deref(), tags.as_deref())?;
        if let Some(session) = &cx.session {
            // It is registered: a record of the earlier name that cannot be closed only looks live for a while.
            let _ = cx.post().go_on_as(&caller, &name);
            let by = caller.principal.agent.clone();
            session.introduce(self.name.is_some().then_some((name, by)), tags);
        }
        Ok(SessionRegisterAnswer { session: SessionRow::at(row, cx.memory.clock().now()) })
    }
}

impl Present for SessionRegisterAnswer {
    fn present(&self, out: &mut Screen) {
        let head = [styled(Look::Good, "registered"), " ".into(), bold(self.session.name.as_str())];
        out.flow(0, 2, head.into_iter().chain([dim(tags(&self.session))]));
    }
}

/// List the sessions that are on record for this project's mail: those that are here, then those that were seen last.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct SessionList {
    /// At most this many; default 50.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-range" = crate::schema::range(1..=LIMIT_MAX, LIMIT_DEFAULT)))]
    pub limit: Option<i64>,
}

/// The sessions.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionListAnswer {
    /// The mail root.
    pub root: String,
    /// The sessions: those that are here, then those that were seen last.
    pub sessions: Vec<SessionRow>,
    /// Sessions that the limit left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// What could not be read, sessions on record among it: they are not among `sessions`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Verb for SessionList {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Mail,
        title: "See the sessions",
        when_to_use: "To see whom you can write to.",
        examples: &["brainstem session list"],
        ..VerbSpec::of(VerbId::SessionList)
    };
    type Output = SessionListAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::list(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<SessionListAnswer, Fault> {
        let limit = within("limit", self.limit, LIMIT_DEFAULT, 1..=LIMIT_MAX)?;
        let found = cx.post().sessions(&cx.reader()?, limit)?;
        let now = cx.memory.clock().now();
        Ok(SessionListAnswer {
            left_out: found.left_out,
            root: found.root.display().to_string(),
            gaps: found.unreadable.iter().map(unreadable).collect(),
            sessions: found.rows.into_iter().map(|row| SessionRow::at(row, now)).collect(),
        })
    }
}

impl Present for SessionListAnswer {
    fn present(&self, out: &mut Screen) {
        if self.sessions.is_empty() && self.gaps.is_empty() {
            out.line(["no session is on record here"]);
        }
        for session in &self.sessions {
            let look = if session.live { Look::Good } else { Look::Dim };
            let seen = styled(look, session.seen.as_str());
            let agent = session.agent_id.as_ref().map(|agent| format!("  {agent}")).unwrap_or_default();
            let id = session.id.as_ref().map(|id| format!("  {id}")).unwrap_or_default();
            let rest = dim(format!("{agent}{}{id}", tags(session)));
            out.flow(0, 2, [bold(session.name.as_str()), "  ".into(), seen, rest]);
        }
        if self.left_out > 0 {
            out.line([dim(format!("{} more; raise {} to see them", self.left_out, field("limit")))]);
        }
        present_gaps(&self.gaps, out);
    }
}

/// The gap about a session whose record cannot be read.
fn unreadable(session: &UnreadableSession) -> Gap {
    Gap { name: "session_unreadable".into(), detail: session.sentence() }
}

fn tags(session: &SessionRow) -> String {
    if session.tags.is_empty() { String::new() } else { format!("  tags {}", session.tags.join(", ")) }
}
