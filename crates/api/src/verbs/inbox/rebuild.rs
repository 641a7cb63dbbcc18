//! `inbox rebuild`.

use crate::screen::{Look, dim, styled};
use crate::verbs::row::counted;
use crate::{Context, Doors, Effect, Job, Present, Screen, Steps, Toolset, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_post::inbox::{ChangedLedger, RebuiltInbox};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Make what the inboxes show anew from the ledger, to the same messages, finished marks included.
///
/// Nothing needs this while all is well: every look takes in what is new. It mends a mirror that is damaged or that a newer program
/// wrote. The mirror also remembers what the ledger was: one that was changed or restored since is refused, until you say that it is
/// right as it is.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct InboxRebuild {
    /// Take the ledger as it is, also where it is not what the inbox has seen.
    #[arg(long)]
    #[serde(default)]
    pub accept: bool,
}

/// What was made anew.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InboxRebuildAnswer {
    /// How many messages were read from the ledger.
    pub messages: u64,
    /// How many messages are set aside, because they could not be read or had no right to be there.
    pub quarantined: u64,
}

impl Job for InboxRebuild {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        doors: Doors::CommandLine { why: "a person decides it; every look at an inbox takes in what is new" },
        effect: Effect::Write,
        title: "Make the inbox anew",
        when_to_use: "When the inbox cannot be read, or after a ledger was restored on purpose.",
        examples: &["brainstem inbox rebuild", "brainstem inbox rebuild --accept"],
        ..VerbSpec::of(VerbId::InboxRebuild)
    };
    type Output = InboxRebuildAnswer;

    fn work(self, cx: &Context, _: Steps<'_>) -> Result<InboxRebuildAnswer, Fault> {
        let changed = if self.accept { ChangedLedger::Accept } else { ChangedLedger::Refuse };
        let RebuiltInbox { messages, quarantined } = cx.post().rebuild_inbox(changed)?;
        Ok(InboxRebuildAnswer { messages, quarantined })
    }
}

impl Present for InboxRebuildAnswer {
    fn present(&self, out: &mut Screen) {
        let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let said = format!("made anew from {} of the ledger", counted(count(self.messages), "message"));
        out.line([styled(Look::Good, said)]);
        if self.quarantined > 0 {
            out.line([dim(format!("{} set aside", counted(count(self.quarantined), "message")))]);
        }
    }
}
