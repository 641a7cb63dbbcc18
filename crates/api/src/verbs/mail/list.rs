//! `mail list`.

use super::message::MailMessage;
use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::verbs::counted;
use crate::{AnswerGaps, Context, Present, Screen, Toolset, Verb, VerbSpec, within};
use brainstem_base::Fault;
use brainstem_base::next::{VerbId, calls, field};
use brainstem_post::mail::{
    Boxes, LIMIT_DEFAULT, LIMIT_MAX, ListOrder, MailListRequest, MessageFilter, MessageRow, words,
};
use brainstem_vault::mail::UnreadableMessage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// List messages, oldest first: what is unread in your boxes, unless you ask for something else.
///
/// Your boxes are your session's, your agent's, those of your tags, and broadcasts you have not seen.
/// Nothing is moved; what a session took and did not finish in time is back in its box.
#[derive(Debug, Default, clap::Args, Deserialize, JsonSchema)]
pub struct MailList {
    /// One box; default: yours.
    #[arg(id = "box", long = "box", value_name = "NAME")]
    #[serde(rename = "box")]
    #[schemars(extend("x-takes" = field_kinds::mail_name()))]
    pub mailbox: Option<String>,
    /// Every box of this mail root, whosever it is; with a box named, that one and all others.
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub all: bool,
    /// unread (default), claimed, read or archive.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::folder(), "x-tool-note" = "Default: unread."))]
    pub folder: Option<String>,
    /// Only this type: status, alert, task, question, response, report or handoff.
    #[arg(id = "type", long = "type")]
    #[serde(rename = "type")]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::message_type()))]
    pub kind: Option<String>,
    /// Only from this sender.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-plain" = true))]
    pub from: Option<String>,
    /// Only with this tag.
    #[arg(long)]
    #[schemars(extend("x-rare" = true))]
    pub tag: Option<String>,
    /// Only urgent, normal or low ones.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::priority()))]
    pub priority: Option<String>,
    /// Only of this conversation.
    #[arg(long, value_name = "ID")]
    #[schemars(extend("x-rare" = true))]
    pub thread: Option<String>,
    /// Only made since: a day, a time (RFC 3339), or how long ago (7d, 12h).
    #[arg(long, value_name = "TIME")]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::past()))]
    pub since: Option<String>,
    /// Only made before: a day (its start), a time, or how long ago.
    #[arg(long, value_name = "TIME")]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::past()))]
    pub until: Option<String>,
    /// Only what waits for a reply and has none, unread or read.
    #[arg(long)]
    #[serde(default)]
    pub needs_response: bool,
    /// Urgent ones first.
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub urgent_first: bool,
    /// At most this many; default 50.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-range" = crate::schema::range(1..=LIMIT_MAX, LIMIT_DEFAULT)))]
    pub limit: Option<i64>,
}

impl MailList {
    /// What is unread in one box.
    pub(crate) fn of_box(name: &str) -> Self {
        Self { mailbox: Some(name.to_owned()), ..Self::default() }
    }
}

/// The messages.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MailListAnswer {
    /// Your name in mail.
    pub me: String,
    /// The messages.
    pub messages: Vec<MailMessage>,
    /// The boxes that were looked into.
    pub boxes: Vec<String>,
    /// Messages that are taken and not finished: of your boxes those that a session of yours holds, of others all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub taken: Vec<TakenMessage>,
    /// Files in these boxes that are no readable messages; they stay where they are.
    pub unreadable: Vec<UnreadableFile>,
    /// Messages that the limit left out.
    pub left_out: usize,
    /// Messages in these boxes that are not what you asked for.
    #[serde(skip_serializing_if = "is_zero")]
    pub filtered_out: usize,
    /// Expired messages in these boxes, which are not listed as unread. A sweep archives them.
    #[serde(skip_serializing_if = "is_zero")]
    pub expired: usize,
    /// A box is another's: you may look, not take.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_yours: bool,
    /// What could not be done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
}

/// A message that is taken and not finished.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TakenMessage {
    /// Its name.
    pub file: String,
    /// The box.
    #[serde(rename = "mailbox")]
    pub mailbox: String,
    /// What it is about.
    pub subject: String,
    /// The session that holds it.
    pub owner: String,
    /// When it comes back to its box unless it is finished.
    pub lease_until: String,
}

impl TakenMessage {
    fn of(row: MessageRow) -> Option<Self> {
        let lease = row.lease?;
        Some(Self {
            file: row.file,
            mailbox: row.mailbox.to_string(),
            subject: row.head.subject,
            owner: lease.owner.to_string(),
            lease_until: lease.until.to_rfc3339(),
        })
    }
}

/// A file that is no readable message.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnreadableFile {
    /// Its name.
    pub file: String,
    /// The box.
    pub mailbox: String,
    /// What is wrong with it.
    pub why: String,
}

impl From<UnreadableMessage> for UnreadableFile {
    fn from(bad: UnreadableMessage) -> Self {
        Self { file: bad.file, mailbox: bad.mailbox.to_string(), why: bad.why }
    }
}

impl Verb for MailList {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Mail,
        title: "See your mail",
        when_to_use: "To see what waits in your boxes, without bodies.",
        examples: &[
            "brainstem mail list",
            "brainstem mail list --urgent-first --json",
            "brainstem mail list --box orchestrator --folder archive --since 7d",
            "brainstem mail list --needs-response",
            "brainstem mail list --all",
        ],
        ..VerbSpec::of(VerbId::MailList)
    };
    type Output = MailListAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::Texts(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<MailListAnswer, Fault> {
        let post = cx.post();
        let words = post.mail_words();
        let request = MailListRequest {
            boxes: match self.all {
                true => Boxes::All,
                false => words.mailbox(self.mailbox.as_deref())?.into(),
            },
            folder: words::folder(self.folder.as_deref())?,
            filter: MessageFilter {
                kind: self.kind,
                from: self.from,
                tag: self.tag,
                priority: words::priority(self.priority.as_deref())?,
                thread: self.thread,
                since: words.past("since", self.since.as_deref())?,
                until: words.past("until", self.until.as_deref())?,
                needs_response: self.needs_response,
            },
            order: if self.urgent_first { ListOrder::UrgentFirst } else { ListOrder::Time },
            limit: within("limit", self.limit, LIMIT_DEFAULT, 1..=LIMIT_MAX)?,
        };
        let listed = post.list_mail(&cx.reader()?, &request)?;
        Ok(MailListAnswer {
            me: listed.me.to_string(),
            messages: listed.rows.into_iter().map(MailMessage::from).collect(),
            boxes: listed.boxes.iter().map(ToString::to_string).collect(),
            taken: listed.taken.into_iter().filter_map(TakenMessage::of).collect(),
            unreadable: listed.unreadable.into_iter().map(UnreadableFile::from).collect(),
            left_out: listed.left_out,
            filtered_out: listed.filtered_out,
            expired: listed.expired,
            not_yours: listed.not_yours,
            gaps: listed.gaps,
        })
    }
}

impl Present for MailListAnswer {
    fn present(&self, out: &mut Screen) {
        if self.messages.is_empty()
            && self.taken.is_empty()
            && self.unreadable.is_empty()
            && self.gaps.is_empty()
        {
            let boxes = match self.boxes.is_empty() {
                true => dim("  (there is no box here)"),
                false => dim(format!("  in {}", self.boxes.join(", "))),
            };
            let none = match self.filtered_out {
                0 => "nothing here for ".to_owned(),
                1 => "1 message is here, and it is not what was asked for; you are ".to_owned(),
                n => format!("{n} messages are here, and none is what was asked for; you are "),
            };
            out.flow(0, 2, [none.into(), bold(self.me.as_str()), boxes]);
        }
        for message in &self.messages {
            message.present(out);
        }
        for taken in &self.taken {
            let TakenMessage { file, mailbox, subject, owner, lease_until } = taken;
            let until = lease_until.get(11..16).unwrap_or(lease_until);
            let told = format!(" by {owner} until {until} UTC: {subject}");
            out.flow(0, 2, [styled(Look::Warn, "taken"), told.into(), dim(format!("  {mailbox}/{file}"))]);
        }
        present_unreadable(&self.unreadable, out);
        if self.left_out > 0 {
            out.line([dim(format!("{} more; raise {} to see them", self.left_out, field("limit")))]);
        }
        if self.expired > 0 {
            let count = counted(self.expired, "message");
            let sweep = out.command(&calls::mail_sweep());
            out.line([dim(format!("{count} expired, and not listed; {sweep} archives what has expired"))]);
        }
        if self.not_yours && self.boxes.len() > 1 {
            out.line([dim(format!("not all of these boxes are yours: you are {}", self.me))]);
        } else if self.not_yours {
            out.line([dim(format!("this box is not yours: you are {}", self.me))]);
        }
        present_gaps(&self.gaps, out);
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// What could not be looked at.
pub(super) fn present_gaps(gaps: &[String], out: &mut Screen) {
    for gap in gaps {
        out.flow(0, 2, [styled(Look::Warn, "gap:"), " ".into(), gap.as_str().into()]);
    }
}

/// The files that are no messages, each with the reason.
pub(super) fn present_unreadable(files: &[UnreadableFile], out: &mut Screen) {
    for bad in files {
        let head = [styled(Look::Warn, "unreadable"), format!(" {}/{}: ", bad.mailbox, bad.file).into()];
        out.flow(0, 2, head.into_iter().chain([bad.why.as_str().into()]));
    }
}
