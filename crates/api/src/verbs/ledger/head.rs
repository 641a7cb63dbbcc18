//! `ledger head`.

use super::{check_caller, file_at, messages_of_topics};
use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sign a head of the whole ledger, to be kept elsewhere.
///
/// It is a short text: how many messages there are, the hash of the tree over them, the end of every topic, and a signature by
/// this home's key. Keep it where a change of this home does not reach it (a commit, a mail, another machine);
/// `ledger verify --against FILE` holds the ledger to it later. No head is signed that contradicts the last one.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct LedgerHead {
    /// The file to make.
    #[arg(long, value_name = "FILE")]
    #[schemars(extend("x-takes" = field_kinds::path()))]
    pub out: Option<String>,
}

/// A head.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LedgerHeadAnswer {
    /// The head, as a signed note.
    pub note: String,
    /// How many messages it is over.
    pub size: u64,
    /// The hash of the tree over them, as base64.
    pub root: String,
    /// How many topics it names.
    pub topics: usize,
    /// The public key of this home, to be given to those that check heads and receipts.
    pub key: String,
    /// The file that was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl Verb for LedgerHead {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Ledger,
        effect: Effect::Write,
        title: "Sign a head of the ledger",
        when_to_use: "To keep proof elsewhere of what the ledger says now.",
        examples: &["brainstem ledger head --out head.txt", "brainstem ledger head"],
        ..VerbSpec::of(VerbId::LedgerHead)
    };
    type Output = LedgerHeadAnswer;

    fn run(self, cx: &Context) -> Result<LedgerHeadAnswer, Fault> {
        check_caller(cx)?;
        let out = self.out.map(|out| file_at(cx, "out", &out)).transpose()?;
        let signed = cx.post().ledger_head(out.as_deref())?;
        Ok(LedgerHeadAnswer {
            size: signed.head.checkpoint.size,
            root: signed.head.checkpoint.root.to_string(),
            topics: signed.head.checkpoint.topics.len(),
            key: signed.head.key.to_string(),
            note: signed.head.note,
            path: signed.path.map(|path| path.display().to_string()),
        })
    }
}

impl Present for LedgerHeadAnswer {
    fn present(&self, out: &mut Screen) {
        match &self.path {
            Some(path) => {
                out.flow(0, 2, [styled(Look::Good, "written to"), " ".into(), bold(path.as_str())]);
                out.line([dim(messages_of_topics(self.size, self.topics as u64))]);
                out.flow(0, 2, [dim("public key  "), self.key.as_str().into()]);
            }
            None => {
                for line in self.note.lines() {
                    out.line([line]);
                }
            }
        }
    }
}
