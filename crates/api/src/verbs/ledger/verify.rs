//! `ledger verify`.

use super::super::row::counted;
use super::{check_caller, file_at, messages_of_topics, public_key};
use crate::field_kinds;
use crate::screen::{Look, dim, styled};
use crate::wire::Exit;
use crate::{Context, Job, Present, Screen, Steps, Toolset, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_ledger::LogFault;
use brainstem_post::ledger::VerifyLedgerRequest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Verify every message of every topic, and hold the ledger to a head that was kept.
///
/// Two verdicts: integrity (what is there is unchanged and in its place) and completeness (nothing that was there is missing). Each
/// names topic and number of the first message that is wrong. The ledger is always held to the last head that this home signed, and
/// to what the inbox has seen of each topic, so that one which was rewritten whole is named too; `--against` names a file with a head
/// that was kept elsewhere, which also catches a home that was restored or rewritten with everything in it. The exit status is 1 if a
/// verdict is bad.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct LedgerVerify {
    /// A file with a head that was kept elsewhere.
    #[arg(long, value_name = "FILE")]
    #[schemars(extend("x-takes" = field_kinds::path()))]
    pub against: Option<String>,
    /// The public key that signed that head; default: this home's.
    #[arg(long)]
    #[schemars(extend("x-takes" = public_key()))]
    pub key: Option<String>,
}

/// The verdicts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LedgerVerifyAnswer {
    /// Both verdicts are good.
    pub holds: bool,
    /// What is there is unchanged and in its place.
    pub integrity: LedgerVerdict,
    /// Nothing that was there is missing.
    pub completeness: LedgerVerdict,
    /// How many topics were walked.
    pub topics: u64,
    /// How many messages were walked.
    pub messages: u64,
    /// How many of them were redacted.
    pub redacted: u64,
    /// The hash of the tree over all messages, as base64; null if a message is missing or unreadable.
    pub root: Option<String>,
    /// How many messages the head is over that you named.
    pub against: Option<u64>,
    /// How many messages the last head of this home is over; null if it signed none, and then only what is in the file itself tells
    /// whether something is missing.
    pub last_head: Option<u64>,
    /// How many topics were held to what the inbox has seen of them; null if it has no mirror that can be read.
    pub seen_topics: Option<u64>,
    /// What the ledger could not be held to.
    pub notes: Vec<String>,
}

/// One verdict.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LedgerVerdict {
    /// Whether it is good.
    pub holds: bool,
    /// What is wrong, the first of each topic; more than a hundred are counted in `left_out`.
    pub faults: Vec<String>,
    /// Faults that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl LedgerVerdict {
    fn of(faults: &[LogFault], left_out: u64) -> Self {
        let left_out = if faults.is_empty() { 0 } else { left_out };
        Self { holds: faults.is_empty(), faults: faults.iter().map(ToString::to_string).collect(), left_out }
    }

    fn present(&self, name: &str, out: &mut Screen) {
        let said = if self.holds { styled(Look::Good, "holds") } else { styled(Look::Bad, "is broken") };
        out.line([format!("{name}: ").into(), said]);
        for fault in &self.faults {
            out.wrap(2, fault);
        }
        if self.left_out > 0 {
            out.line([dim(format!("  and {} more", self.left_out))]);
        }
    }
}

impl Job for LedgerVerify {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Ledger,
        title: "Verify the ledger",
        when_to_use: "To find out whether the history of the topics was changed, cut or restored from an older copy.",
        examples: &[
            "brainstem ledger verify",
            "brainstem ledger verify --against head.txt",
            "brainstem ledger verify --json",
        ],
        ..VerbSpec::of(VerbId::LedgerVerify)
    };
    type Output = LedgerVerifyAnswer;

    fn work(self, cx: &Context, _: Steps<'_>) -> Result<LedgerVerifyAnswer, Fault> {
        check_caller(cx)?;
        let against = self.against.map(|path| file_at(cx, "against", &path)).transpose()?;
        let verified = cx.post().verify_ledger(&VerifyLedgerRequest { against, key: self.key })?;
        let found = verified.found;
        Ok(LedgerVerifyAnswer {
            holds: found.holds(),
            integrity: LedgerVerdict::of(&found.integrity, found.left_out),
            completeness: LedgerVerdict::of(&found.completeness, found.left_out),
            topics: found.topics,
            messages: found.messages,
            redacted: found.redacted,
            root: found.root.map(|root| root.to_string()),
            against: verified.against,
            last_head: verified.last_head,
            seen_topics: verified.seen.map(|count| count as u64),
            notes: verified.notes.into_iter().chain(verified.unseen).collect(),
        })
    }
}

impl Present for LedgerVerifyAnswer {
    fn present(&self, out: &mut Screen) {
        self.integrity.present("integrity", out);
        self.completeness.present("completeness", out);
        out.line([dim(messages_of_topics(self.messages, self.topics))]);
        let messages = |size: u64| counted(usize::try_from(size).unwrap_or(usize::MAX), "message");
        let held = match (self.against, self.last_head) {
            (Some(size), _) => format!("held to the head over {} that you named", messages(size)),
            (None, Some(size)) => format!("held to the last head of this home, over {}", messages(size)),
            (None, None) if self.notes.is_empty() => {
                "held to no head: this home has signed none yet".to_owned()
            }
            (None, None) => "held to no head".to_owned(),
        };
        out.line([dim(held)]);
        if let Some(topics) = self.seen_topics.filter(|count| *count > 0) {
            let topics = counted(usize::try_from(topics).unwrap_or(usize::MAX), "topic");
            out.line([dim(format!("held to what the inbox has seen of {topics}"))]);
        }
        for note in &self.notes {
            out.flow(0, 2, [styled(Look::Warn, "note:"), " ".into(), note.as_str().into()]);
        }
    }

    fn exit(&self) -> Exit {
        if self.holds { Exit::Done } else { Exit::Refused }
    }
}
