//! `ledger export`.

use super::{file_at, messages_of_topics};
use crate::field_kinds;
use crate::screen::{Look, bold, styled};
use crate::{Context, Doors, Effect, Job, Present, Screen, Steps, Toolset, VerbSpec};
use brainstem_base::next::VerbId;
use brainstem_base::{Fault, codes};
use brainstem_post::ledger::{LedgerExportFormat, parse_topic};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Write the ledger to a new file: as lines, or as a ledger file for a backup.
///
/// `--format sqlite` writes a whole ledger of one moment, also while other processes append; put it in the place of
/// `ledger/ledger.sqlite` to restore it. The key and the last head are not in it. Nothing is masked.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct LedgerExport {
    /// One topic; default: all.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::ledger_id()))]
    pub topic: Option<String>,
    /// jsonl (default) or sqlite.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::one_of(&["jsonl", "sqlite"])))]
    pub format: Option<String>,
    /// The file to make.
    #[arg(long, value_name = "FILE")]
    #[schemars(extend("x-takes" = field_kinds::path()))]
    pub out: String,
}

/// What was written.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LedgerExportAnswer {
    /// The file.
    pub path: String,
    /// How many topics.
    pub topics: usize,
    /// How many messages.
    pub messages: usize,
}

impl Job for LedgerExport {
    const SPEC: VerbSpec = VerbSpec {
        doors: Doors::CommandLine { why: "it writes a file on the caller's machine" },
        toolset: Toolset::Ledger,
        effect: Effect::Write,
        idempotent: false,
        title: "Export the ledger",
        when_to_use: "For a backup, or to read the ledger with another program.",
        examples: &[
            "brainstem ledger export --out ledger.jsonl",
            "brainstem ledger export --format sqlite --out ledger-backup.sqlite",
            "brainstem ledger export --topic 0.0.1001 --out topic.jsonl",
        ],
        ..VerbSpec::of(VerbId::LedgerExport)
    };
    type Output = LedgerExportAnswer;

    fn work(self, cx: &Context, _: Steps<'_>) -> Result<LedgerExportAnswer, Fault> {
        let topic = self.topic.as_deref().map(parse_topic).transpose()?;
        let format = match self.format.as_deref() {
            None | Some("jsonl") => LedgerExportFormat::JsonLines,
            Some("sqlite") => LedgerExportFormat::Sqlite,
            Some(_) => {
                return Err(Fault::new(codes::INPUT_BAD_VALUE, "`format` does not fit")
                    .fix("give jsonl or sqlite")
                    .field("format")
                    .rule("LED-4"));
            }
        };
        let done = cx.post().export_ledger(topic, format, &file_at(cx, "out", &self.out)?)?;
        let (topics, messages) = (done.topics, done.messages);
        Ok(LedgerExportAnswer { path: done.path.display().to_string(), topics, messages })
    }
}

impl Present for LedgerExportAnswer {
    fn present(&self, out: &mut Screen) {
        out.flow(0, 2, [styled(Look::Good, "exported to"), " ".into(), bold(self.path.as_str())]);
        out.line([format!("  {}", messages_of_topics(self.messages as u64, self.topics as u64))]);
    }
}
