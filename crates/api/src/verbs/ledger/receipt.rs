//! `ledger receipt` and `ledger check-receipt`.

use super::{check_caller, file_at, message_number, public_key};
use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Doors, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_ledger::ProofSigner;
use brainstem_post::ledger::{parse_sequence, parse_topic};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Make a receipt of one message: a small file that proves offline that it was in the ledger.
///
/// The receipt has no content, only its hash: it also proves a message that was redacted since. Keep the message beside it.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct LedgerReceipt {
    /// The topic, such as 0.0.1001.
    #[schemars(extend("x-takes" = field_kinds::ledger_id()))]
    pub topic: String,
    /// The number of the message.
    #[schemars(extend("x-takes" = message_number()))]
    pub message: i64,
    /// The file to make.
    #[arg(long, value_name = "FILE")]
    #[schemars(extend("x-takes" = field_kinds::path()))]
    pub out: Option<String>,
}

/// A receipt.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LedgerReceiptAnswer {
    /// The receipt, as the text of its file.
    pub receipt: String,
    /// The topic.
    pub topic: String,
    /// The number of the message.
    pub sequence: u64,
    /// Its place in the ledger, from 0 on.
    pub index: u64,
    /// The file that was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl Verb for LedgerReceipt {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Ledger,
        effect: Effect::Write,
        title: "Make a receipt of a message",
        when_to_use: "To give another party proof that a message was in the ledger.",
        examples: &["brainstem ledger receipt 0.0.1001 57 --out message.tlog-proof"],
        ..VerbSpec::of(VerbId::LedgerReceipt)
    };
    type Output = LedgerReceiptAnswer;

    fn run(self, cx: &Context) -> Result<LedgerReceiptAnswer, Fault> {
        check_caller(cx)?;
        let (topic, sequence) = (parse_topic(&self.topic)?, parse_sequence("message", self.message)?);
        let out = self.out.map(|out| file_at(cx, "out", &out)).transpose()?;
        let made = cx.post().ledger_receipt(topic, sequence, out.as_deref())?;
        Ok(LedgerReceiptAnswer {
            receipt: made.text,
            topic: topic.to_string(),
            sequence: sequence.number(),
            index: made.proof.index,
            path: made.path.map(|path| path.display().to_string()),
        })
    }
}

impl Present for LedgerReceiptAnswer {
    fn present(&self, out: &mut Screen) {
        match &self.path {
            Some(path) => out.flow(0, 2, [styled(Look::Good, "written to"), " ".into(), bold(path.as_str())]),
            None => self.receipt.lines().for_each(|line| out.line([line])),
        }
    }
}

/// Check a receipt of a message. It needs no ledger: only the file.
///
/// By itself it shows that the message was in the log whose key signed the checkpoint in it, and names that key. With `--key`, the
/// public key that you know of that ledger, it also shows that it was that ledger. With `--message-file` the content is compared too.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct LedgerCheckReceipt {
    /// The file with the receipt.
    #[arg(value_name = "FILE")]
    #[schemars(extend("x-takes" = field_kinds::path()))]
    pub file: String,
    /// The public key of the ledger, as `ledger head` prints it.
    #[arg(long)]
    #[schemars(extend("x-takes" = public_key()))]
    pub key: Option<String>,
    /// A file with the content of the message.
    #[arg(long, value_name = "FILE")]
    #[schemars(extend("x-takes" = field_kinds::path()))]
    pub message_file: Option<String>,
}

/// What a receipt proves.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LedgerCheckReceiptAnswer {
    /// The topic of the message.
    pub topic: String,
    /// Its number there.
    pub sequence: u64,
    /// When it was appended: seconds and nanoseconds since 1970.
    pub consensus_timestamp: String,
    /// The account that appended it.
    pub submitter: String,
    /// The SHA-384 of what it says.
    pub sha384: String,
    /// Its place in the ledger, from 0 on.
    pub index: u64,
    /// How many messages the ledger had at the checkpoint.
    pub size: u64,
    /// The name of the ledger.
    pub origin: String,
    /// The public key that signed the checkpoint.
    pub key: String,
    /// You gave that key; otherwise only the receipt itself names it.
    pub key_known: bool,
    /// The content was compared, and is that of the message.
    pub content_checked: bool,
}

impl Verb for LedgerCheckReceipt {
    const SPEC: VerbSpec = VerbSpec {
        doors: Doors::CommandLine { why: "it checks a file of the caller's machine" },
        toolset: Toolset::Ledger,
        title: "Check a receipt of a message",
        when_to_use: "To find out what a receipt proves.",
        examples: &[
            "brainstem ledger check-receipt message.tlog-proof",
            "brainstem ledger check-receipt message.tlog-proof --message-file message.json",
        ],
        ..VerbSpec::of(VerbId::LedgerCheckReceipt)
    };
    type Output = LedgerCheckReceiptAnswer;

    fn run(self, cx: &Context) -> Result<LedgerCheckReceiptAnswer, Fault> {
        let file = file_at(cx, "file", &self.file)?;
        let message = self.message_file.map(|path| file_at(cx, "message_file", &path)).transpose()?;
        let checked = cx.post().check_ledger_receipt(&file, self.key.as_deref(), message.as_deref())?;
        let proved = checked.proved;
        Ok(LedgerCheckReceiptAnswer {
            topic: proved.frame.topic.to_string(),
            sequence: proved.frame.sequence.number(),
            consensus_timestamp: proved.frame.consensus.to_string(),
            submitter: proved.frame.submitter.to_string(),
            sha384: proved.frame.content.to_string(),
            index: proved.index,
            size: proved.checkpoint.size,
            origin: proved.checkpoint.origin,
            key: proved.key.to_string(),
            key_known: proved.signer == ProofSigner::Known,
            content_checked: checked.is_content_checked,
        })
    }
}

impl Present for LedgerCheckReceiptAnswer {
    fn present(&self, out: &mut Screen) {
        let what = format!("message {} of topic {} was in the ledger", self.sequence, self.topic);
        out.flow(0, 2, [styled(Look::Good, what)]);
        out.line([dim(format!(
            "  as number {} of {} messages, at {}",
            self.index + 1,
            self.size,
            self.consensus_timestamp
        ))]);
        let content = if self.content_checked {
            "its content is the one you gave"
        } else {
            "its content was not compared"
        };
        out.line([dim(format!("  {content}; SHA-384 {}", self.sha384))]);
        let key = if self.key_known {
            "signed with the key that you gave"
        } else {
            "signed with the key that the receipt names; compare it with the one you know"
        };
        out.flow(2, 2, [dim(format!("{key}: ")), self.key.as_str().into()]);
    }
}
