//! `brainstem` alone, and `brainstem status`: the caller's place, and what to do next.

use super::brains::{BrainsAnswer, Served, claims};
use super::inbox::InboxCount;
use super::north::{LETTERS_NOT_COUNTED, MailCount};
use super::row::{
    BRAINS_UNREADABLE, Gap, REPOSITORY_CLAIMS, ROOT_GONE, ROOT_REPLACED, SET_ASIDE, could_not_look, counted,
    gaps, lost_brains, present_gaps,
};
use crate::screen::{Look, bold, dim, name, styled};
use crate::{AnswerGaps, Context, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_base::next::{Placeholder, calls, field};
use brainstem_base::{Advice, advice};
use brainstem_claims::folds::delegations::OpenDelegations;
use brainstem_memory::{DaemonRecord, Route};
use brainstem_post::mail::{MailStanding, UnreadBox};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Say where you are, what is remembered here, and what to do next.
///
/// `brainstem` alone is the same.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Status {}

/// Where the caller is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StatusAnswer {
    /// The version of this program.
    pub version: String,
    /// Your identity here.
    pub agent_id: String,
    /// The home folder.
    pub home: String,
    /// The project's root, if you are in one.
    pub root: Option<String>,
    /// Its brain: name@id; null when it has none yet.
    pub brain: Option<String>,
    /// Live claims of the project; null when there is no brain or its store is unreadable.
    pub project_claims: Option<usize>,
    /// What the project's brain served this week; absent without one.
    #[serde(flatten)]
    pub served: Option<Served>,
    /// Open letters of the project; null when they could not be counted.
    pub letters_open: Option<usize>,
    /// Live claims of the medulla.
    pub medulla_claims: Option<usize>,
    /// Brains of this home beside yours; null when they could not be listed.
    pub other_brains: Option<usize>,
    /// What waits in your boxes, where this project has mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mail: Option<MailCount>,
    /// Boxes with unread mail whose name no session, tag, agent or person here has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mail_without_reader: Vec<UnreadBoxRow>,
    /// What waits in your inbox, where this home has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inbox: Option<InboxCount>,
    /// The daemon that serves this home; null when none runs.
    pub daemon: Option<Daemon>,
    /// Labels of this project that are proposed for every project and wait for a decision.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proposals_waiting: Vec<String>,
    /// How many delegations of this project wait for a debrief; null when its log cannot be read.
    pub open_delegations: Option<usize>,
    /// How many of them only the repository's log tells of: this home recorded none of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_delegations_unrecorded: Option<usize>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
    /// What is useful next: commands, over MCP tools.
    pub next: Vec<String>,
}

/// A box with unread mail that no reader here has.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnreadBoxRow {
    /// Its name.
    #[serde(rename = "box")]
    pub mailbox: String,
    /// How many messages wait in it.
    pub unread: usize,
}

/// A daemon that runs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Daemon {
    /// Where it listens.
    pub address: String,
    /// Its process.
    pub pid: u32,
    /// The version of its program.
    pub version: String,
}

impl From<DaemonRecord> for Daemon {
    fn from(record: DaemonRecord) -> Self {
        Self { address: record.address, pid: record.pid, version: record.version }
    }
}

impl Daemon {
    /// `http://127.0.0.1:7733 (process 4711)`.
    pub(crate) fn words(&self) -> String {
        format!("http://{} (process {})", self.address, self.pid)
    }
}

impl From<UnreadBox> for UnreadBoxRow {
    fn from(waiting: UnreadBox) -> Self {
        Self { mailbox: waiting.mailbox.to_string(), unread: waiting.unread }
    }
}

impl Verb for Status {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        title: "Where am I",
        when_to_use: "To see which brain you are in and how much it holds.",
        examples: &["brainstem status", "brainstem", "brainstem --json"],
        ..VerbSpec::of(VerbId::Status)
    };
    type Output = StatusAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::list(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<StatusAnswer, Fault> {
        let caller = cx.reader()?;
        let status = cx.memory.status(&caller)?;
        let project_claims = status.brains.brains.iter().find(|row| row.here).and_then(|row| row.claims);
        let here = status.brains.brains.iter().find(|row| row.here);
        let served = here.map(|row| row.served);
        let root = match &status.route {
            Route::Bound { brain, .. } => Some(brain.root.display().to_string()),
            Route::Broken { root, .. } | Route::Replaced { root, .. } | Route::Brainless { root, .. } => {
                Some(root.display().to_string())
            }
            Route::Unbound { .. } => None,
        };
        let (mail, mail_gap) = cx.post().mail_standing(&caller);
        let (inbox, inbox_gap) = cx.post().inbox_standing(&caller);
        let inbox = inbox.map(InboxCount::from);
        let mut found = BrainsAnswer::for_door(status.brains, cx.door);
        // A brain in its repository is in no list of the home.
        if let Some(words) = status.broken
            && !could_not_look(&found.gaps)
        {
            found.gaps.insert(0, Gap { name: "unreadable_brain".into(), detail: cx.door.render(&words) });
        }
        let unseen = [status.replaced_gap, mail_gap, inbox_gap, cx.memory.daemon_gap()];
        found.gaps.extend(gaps(&status.project_gaps, cx.door));
        found.gaps.extend(gaps(&cx.post().unreadable_session_gaps(&caller), cx.door));
        let letters = cx.post().open_letters(&caller);
        let uncounted = letters.why.map(|why| brainstem_memory::Gap::new(LETTERS_NOT_COUNTED, why));
        let unseen: Vec<_> = unseen.into_iter().flatten().chain(uncounted).collect();
        found.gaps.extend(gaps(&unseen, cx.door));
        // What a person set aside is no trouble, and its gap says both ways on.
        let is_troubled = found.gaps.iter().any(|gap| gap.name != SET_ASIDE);
        Ok(StatusAnswer {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            agent_id: caller.principal.agent.to_string(),
            home: status.home.display().to_string(),
            brain: status.route.brain().map(|brain| brain.origin()),
            project_claims,
            served: served.map(Served::from),
            letters_open: letters.count,
            medulla_claims: found.medulla.claims,
            other_brains: (!found.gaps.iter().any(|gap| gap.name == BRAINS_UNREADABLE))
                .then(|| found.brains.iter().filter(|brain| brain.dormant).count()),
            next: cx.door.render_all(&next(
                cx,
                &status.route,
                status.orphan.as_ref(),
                project_claims,
                is_troubled,
                mail,
                inbox,
            )),
            mail: mail.map(MailCount::from),
            mail_without_reader: cx
                .post()
                .boxes_without_reader(&caller)
                .into_iter()
                .map(UnreadBoxRow::from)
                .collect(),
            inbox,
            daemon: cx.memory.daemon().map(Daemon::from),
            proposals_waiting: status.waiting,
            open_delegations: status.open_delegations.map(|open| open.count),
            open_delegations_unrecorded: status
                .open_delegations
                .map(|open| open.unrecorded)
                .filter(|unrecorded| *unrecorded > 0),
            gaps: found.gaps,
            root,
        })
    }
}

/// What to do next. The ways to connect an agent and to learn the commands are for a shell.
fn next(
    cx: &Context,
    route: &Route,
    orphan: Option<&brainstem_memory::Orphan>,
    project_claims: Option<usize>,
    is_troubled: bool,
    mail: Option<MailStanding>,
    inbox: Option<InboxCount>,
) -> Vec<Advice> {
    let mut next: Vec<Advice> = match route {
        Route::Unbound { .. } => vec![calls::bootstrap_at(calls::PATH).into()],
        // Plain `bootstrap` is refused if the project is recognised.
        Route::Brainless { root, .. } if orphan.is_none() => {
            vec![cx.memory.lost_worktree_advice(root).unwrap_or_else(|| calls::bootstrap().into())]
        }
        Route::Brainless { .. } => {
            vec![orphan.map_or_else(calls::bootstrap, brainstem_memory::Orphan::own_brain).into()]
        }
        // What is wrong is named below, and the doctor comes first.
        Route::Broken { .. } => Vec::new(),
        // The gap says both ways on.
        Route::Replaced { .. } => Vec::new(),
        Route::Bound { .. } if project_claims == Some(0) => {
            let (label, text) = (Placeholder("\"a label\""), Placeholder("\"what you learned\""));
            vec![calls::memorize(label, text).into()]
        }
        Route::Bound { .. } => vec![
            calls::north_for(Placeholder("\"what you are about to do\"")).into(),
            calls::seek(Placeholder("\"a question\"")).into(),
            calls::list().into(),
        ],
    };
    if mail.is_some_and(|mail| mail.unread > 0) {
        next.insert(0, calls::mail_list().into());
    }
    if inbox.is_some_and(|inbox| inbox.unread > 0) {
        next.insert(0, calls::inbox_list().into());
    }
    if is_troubled {
        next.insert(0, calls::doctor().into());
    }
    if let Some(orphan) = orphan {
        next.insert(0, orphan.take_up().into());
    }
    if cx.has_shell() {
        let is_connected = route.root().is_some_and(|root| cx.connect().has_hosts(root));
        if !is_connected && matches!(route, Route::Bound { .. } | Route::Brainless { .. }) {
            next.push(advice![
                calls::init_host(calls::HOST),
                " (connects your agent: claude-code, codex, cursor, …)"
            ]);
        }
        next.push(calls::help().into());
    }
    next
}

impl Present for StatusAnswer {
    fn present(&self, out: &mut Screen) {
        out.field("brainstem", self.version.as_str());
        out.field("you", bold(self.agent_id.as_str()));
        match (&self.brain, &self.root) {
            (Some(brain), _) => {
                let served = self.served.map(Served::this_week).unwrap_or_default();
                out.field("brain", bold(format!("{brain}, {}{served}", claims(self.project_claims))));
            }
            (None, Some(_)) if self.gaps.iter().any(|gap| gap.name == ROOT_REPLACED) => {
                out.field("brain", styled(Look::Warn, "none: this is another folder than before, see below"));
            }
            (None, Some(_)) if self.gaps.iter().any(|gap| gap.name == ROOT_GONE) => {
                out.field(
                    "brain",
                    styled(
                        Look::Warn,
                        "none here: the folder of memory that may be meant is gone, see below",
                    ),
                );
            }
            (None, Some(_)) if self.gaps.iter().any(|gap| gap.name == SET_ASIDE) => {
                out.field(
                    "brain",
                    styled(Look::Warn, "set aside: its memory is kept and not shown, see below"),
                );
            }
            (None, Some(_)) if lost_brains(&self.gaps) => {
                out.field("brain", styled(Look::Warn, "it cannot be read; what is wrong is named below"));
            }
            (None, Some(_)) if self.gaps.iter().any(|gap| gap.name == REPOSITORY_CLAIMS) => {
                out.field("brain", styled(Look::Warn, "none yet: claims lie in the repository, see below"));
            }
            (None, Some(_)) => out.field("brain", "none yet: this project remembers nothing"),
            (None, None) => out.field("brain", "none: you are in no project"),
        }
        if let Some(root) = &self.root {
            out.field("root", dim(root.as_str()));
        }
        if let Some(open) = self.letters_open.filter(|open| *open > 0) {
            out.field("letters", format!("{open} open"));
        }
        out.field("medulla", claims(self.medulla_claims));
        if let Some(mail) = self.mail {
            out.field("mail", MailStanding::from(mail).in_words());
        }
        if !self.mail_without_reader.is_empty() {
            let count: usize = self.mail_without_reader.iter().map(|waiting| waiting.unread).sum();
            let named: Vec<&str> =
                self.mail_without_reader.iter().map(|waiting| waiting.mailbox.as_str()).collect();
            let (messages, boxes) =
                (counted(count, "unread message"), if named.len() == 1 { "a box" } else { "boxes" });
            let told = format!(
                "{messages} in {boxes} that no session, agent or person here reads: {}",
                named.join(", ")
            );
            out.field("", styled(Look::Warn, told));
        }
        if let Some(inbox) = self.inbox {
            out.field("inbox", inbox.told());
        }
        let others = match self.other_brains {
            None | Some(0) => String::new(),
            Some(count) => format!("  ({})", counted(count, "other brain")),
        };
        out.field("home", dim(format!("{}{others}", self.home)));
        if let Some(daemon) = &self.daemon {
            out.field("daemon", daemon.words());
        }
        if let Some(first) = self.proposals_waiting.first() {
            let waits = match self.proposals_waiting.len() {
                1 => "1 proposal waits for a decision".to_owned(),
                count => format!("{count} proposals wait for a decision"),
            };
            let promote = out.command(&calls::promote(first, calls::WHY));
            let decline = field("decline").set();
            let shown = format!("{waits}: {promote}, or with {decline}");
            out.field("proposed", styled(Look::Warn, shown));
        }
        let open = OpenDelegations {
            count: self.open_delegations.unwrap_or_default(),
            unrecorded: self.open_delegations_unrecorded.unwrap_or_default(),
        };
        if let Some(open) = open.sentence() {
            let call = out.command(&calls::audit_delegations());
            out.field("delegated", format!("{open}: {call}"));
        }
        present_gaps(&self.gaps, out);
        out.heading("Next");
        for command in &self.next {
            out.bullet(name(command.as_str()));
        }
    }
}
