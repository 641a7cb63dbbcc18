//! The one list of all verbs. Each lives in a file of its own.

mod audit;
mod battery;
mod boot;
mod bootstrap;
pub(crate) mod brains;
mod config;
mod conflict;
mod consolidate;
mod debrief;
mod delegate;
mod doctor;
mod edit;
mod eject;
mod export;
mod forget;
mod handshake;
mod host_files;
mod import;
mod inbox;
mod index;
mod init;
mod learn;
mod ledger;
mod letter;
mod list;
mod live;
mod mail;
mod memorize;
mod memorize_batch;
mod migrate;
mod moves;
mod north;
mod promote;
mod reception;
mod rename;
mod resolve;
mod retract;
pub(crate) mod row;
mod seek;
mod seek_batch;
mod set_aside;
mod show;
mod status;
mod tags;
mod tools;
mod verify;
mod whoami;

use crate::{Entry, entry, feed_entry, job_entry};
use brainstem_base::next::VerbId;
use std::sync::LazyLock;

pub use audit::{
    Audit, AuditAnswer, AuditEntry, AuditPromotions, DelegationRow, DelegationsAnswer, UnaccountedRow,
};
pub use battery::{BatteryAdd, BatteryAddAnswer, BatteryCase, BatteryRun, BatteryRunAnswer};
pub use boot::{Boot, BootAnswer, BootRow};
pub use bootstrap::{Bootstrap, BootstrapAnswer};
pub use brains::{AsideRow, BrainRow, Brains, BrainsAnswer, Medulla, Served};
pub use config::{
    ConfigGet, ConfigList, ConfigListAnswer, ConfigPath, ConfigPathAnswer, ConfigSet, ConfigSetAnswer,
    ConfigUnset, ConfigUnsetAnswer, Setting,
};
pub use conflict::Conflict;
pub(crate) use conflict::fenced_conflicts;
pub use consolidate::{CandidateRow, Consolidate, ConsolidateAnswer};
pub use debrief::{Debrief, DebriefAnswer, Memorized};
pub use delegate::{
    Carried, CarriedConflict, CarriedRow, Delegate, DelegateAnswer, Mission, MissionBinding, Scope, Seed,
    SourceProject, Sources,
};
pub use doctor::{ConfusionWeek, Doctor, DoctorAnswer, Finding, LettersHealth, StoreCount};
pub use edit::{Edit, EditAnswer};
pub use eject::{Eject, EjectAnswer};
pub use export::{Export, ExportAnswer};
pub use forget::{Forget, ForgetAnswer};
pub use handshake::{Expected, Handshake, HandshakeAnswer, Landed};
pub use host_files::{HostAgent, HostChange};
pub use import::{FlaggedClaim, Import, ImportAnswer, ImportRow, NotTaken};
pub use inbox::{
    AgentTopicRow, AgentTopics, AgentTopicsAnswer, DoneMessage, HeldWord, InboxCount, InboxDecide,
    InboxDecideAnswer, InboxDone, InboxDoneAnswer, InboxEvent, InboxEvents, InboxEventsAnswer, InboxFetch,
    InboxList, InboxListAnswer, InboxMessage, InboxNews, InboxRead, InboxReadAnswer, InboxRebuild,
    InboxRebuildAnswer, InboxReply, InboxRequests, InboxRequestsAnswer, InboxSearch, InboxSend,
    InboxSendAnswer, InboxThreadNote, InboxWatch, Note, NoteAnswer, OutsiderRow,
};
pub use index::{Index, IndexAnswer, IndexedStore};
pub use init::{Init, InitAnswer};
pub use learn::{Learn, LearnAnswer};
pub use ledger::{
    LedgerCheckReceipt, LedgerCheckReceiptAnswer, LedgerExport, LedgerExportAnswer, LedgerHead,
    LedgerHeadAnswer, LedgerMessage, LedgerReceipt, LedgerReceiptAnswer, LedgerRedact, LedgerRedactAnswer,
    LedgerShow, LedgerShowAnswer, LedgerTail, LedgerTailAnswer, LedgerTopicRow, LedgerTopics,
    LedgerTopicsAnswer, LedgerVerdict, LedgerVerify, LedgerVerifyAnswer, RedactedMessage,
};
pub(crate) use letter::UNRECORDED;
pub use letter::{
    LetterAll, LetterAllAnswer, LetterBox, LetterBoxAnswer, LetterCounts, LetterDistribute,
    LetterDistributeAnswer, LetterList, LetterRow, LetterShow, LetterShowAnswer, LetterWrite,
    LetterWriteAnswer, PendingLetter, RefusedLetter, UnreachableBox,
};
pub use list::{List, ListAnswer};
pub use live::{
    LiveMessage, LiveNews, LivePoll, LivePollAnswer, LiveSend, LiveSendAnswer, LiveStanding, LiveStatus,
    LiveStatusAnswer, LiveWatch, MailedCopy,
};
pub use mail::{
    MailArchive, MailClaim, MailClaimAnswer, MailCopy, MailHit, MailInit, MailInitAnswer, MailList,
    MailListAnswer, MailMarkRead, MailMessage, MailMovedAnswer, MailPrune, MailPruneAnswer, MailRead,
    MailReadAnswer, MailReply, MailSearch, MailSearchAnswer, MailSend, MailSendAnswer, MailSweep,
    MailSweepAnswer, MailThread, MailThreadAnswer, PrunedBox, SessionList, SessionListAnswer,
    SessionRegister, SessionRegisterAnswer, SessionRow, SweptBox, UnreadableFile,
};
pub use memorize::{Memorize, MemorizeAnswer, Remembered};
pub use memorize_batch::{BatchAnswer, BatchLine, BatchSummary};
pub use migrate::{
    Gates, Ghost, MigrateAnswer, MigrateApply, MigratePlan, MigrateRollback, MigrateRollbackAnswer,
    MigrateRow,
};
pub use moves::Moved;
pub(crate) use north::compose;
pub use north::{Binding, MailCount, North, NorthAnswer, OpenLetter};
pub use promote::{Promote, PromoteAnswer};
pub use reception::{Choice, Reception};
pub use rename::{Rename, RenameAnswer};
pub use resolve::{Resolve, ResolveAnswer};
pub use retract::{Retract, RetractAnswer};
pub use row::{Gap, Row, ScoreParts};
pub(crate) use row::{could_not_look, counted};
pub use seek::{Found, Group, Seek, SeekAnswer};
pub use seek_batch::{Ranked, SeekBatchAnswer};
pub use set_aside::{SetAside, SetAsideAnswer};
pub use show::{Proposal, Sharing, Show, ShowAnswer, Version, Voice};
pub use status::{Status, StatusAnswer};
pub use tags::{TagRow, Tags, TagsAnswer};
pub use tools::{Tools, ToolsAnswer, ToolsetRow};
pub use verify::{EvidenceVerdict, VerifiedRow, Verify, VerifyAnswer};
pub use whoami::{Identity, InboxIdentity, Whoami};

/// Every verb, in the order of help and reference.
pub fn table() -> &'static [Entry] {
    static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
        vec![
            entry::<Status>(),
            entry::<North>(),
            entry::<Seek>(),
            entry::<Memorize>(),
            entry::<Retract>(),
            entry::<Learn>(),
            entry::<Promote>(),
            entry::<Audit>(),
            entry::<Consolidate>(),
            entry::<Verify>(),
            entry::<Show>(),
            entry::<List>(),
            entry::<Tags>(),
            entry::<Edit>(),
            entry::<Rename>(),
            entry::<Forget>(),
            job_entry::<Export>(),
            job_entry::<Import>(),
            job_entry::<MigratePlan>(),
            job_entry::<MigrateApply>(),
            job_entry::<MigrateRollback>(),
            entry::<Boot>(),
            entry::<Delegate>(),
            entry::<Debrief>(),
            entry::<MailSend>(),
            entry::<MailList>(),
            entry::<MailRead>(),
            entry::<MailClaim>(),
            entry::<MailReply>(),
            entry::<MailMarkRead>(),
            entry::<MailArchive>(),
            entry::<MailThread>(),
            entry::<MailSearch>(),
            entry::<MailSweep>(),
            entry::<MailPrune>(),
            entry::<MailInit>(),
            entry::<SessionRegister>(),
            entry::<SessionList>(),
            entry::<InboxList>(),
            entry::<InboxRead>(),
            entry::<InboxFetch>(),
            entry::<InboxReply>(),
            entry::<InboxDone>(),
            entry::<InboxSend>(),
            entry::<InboxSearch>(),
            entry::<InboxEvents>(),
            entry::<InboxRequests>(),
            entry::<InboxDecide>(),
            feed_entry::<InboxWatch>(),
            job_entry::<InboxRebuild>(),
            entry::<Note>(),
            entry::<AgentTopics>(),
            entry::<LiveStatus>(),
            entry::<LiveSend>(),
            feed_entry::<LivePoll>(),
            feed_entry::<LiveWatch>(),
            entry::<LetterWrite>(),
            entry::<LetterList>(),
            entry::<LetterShow>(),
            job_entry::<LetterDistribute>(),
            entry::<LetterAll>(),
            entry::<LetterBox>(),
            entry::<BatteryAdd>(),
            job_entry::<BatteryRun>(),
            entry::<LedgerTopics>(),
            entry::<LedgerShow>(),
            feed_entry::<LedgerTail>(),
            job_entry::<LedgerVerify>(),
            entry::<LedgerHead>(),
            entry::<LedgerReceipt>(),
            entry::<LedgerCheckReceipt>(),
            entry::<LedgerRedact>(),
            job_entry::<LedgerExport>(),
            entry::<Bootstrap>(),
            entry::<Handshake>(),
            entry::<Brains>(),
            entry::<Init>(),
            entry::<Resolve>(),
            entry::<Eject>(),
            entry::<SetAside>(),
            entry::<Whoami>(),
            entry::<Tools>(),
            job_entry::<Doctor>(),
            job_entry::<Index>(),
            entry::<ConfigList>(),
            entry::<ConfigGet>(),
            entry::<ConfigSet>(),
            entry::<ConfigUnset>(),
            entry::<ConfigPath>(),
        ]
    });
    &TABLE
}

/// Finds a verb by its name, or by one that it had before.
pub fn find(name: &str) -> Option<&'static Entry> {
    let is_named = |verb: VerbId| verb.id() == name || verb.former().contains(&name);
    table().iter().find(|entry| is_named(entry.spec().verb))
}

/// The entry of a verb.
pub fn entry_of(verb: VerbId) -> &'static Entry {
    table().iter().find(|entry| entry.spec().verb == verb).expect("every verb is in the table")
}

#[cfg(test)]
#[path = "verbs_tests.rs"]
mod tests;
