//! What can be found, how much it weighs, and the list of it.

use crate::limits::FINDINGS_NAMED_MAX;
use brainstem_base::next::{calls, shell_word};
use brainstem_base::{Advice, advice};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Memory is unreadable, unwritable or unsafe.
    Problem,
    /// Something to look at.
    Warning,
    /// Good to know.
    Note,
}

impl Severity {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Problem => "problem",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

macro_rules! troubles {
    ($($(#[doc = $doc:literal])* $ident:ident = $name:literal, $severity:ident;)*) => {
        /// What can be wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Trouble {
            $($(#[doc = $doc])* $ident,)*
        }

        impl Trouble {
            /// Everything that can be found.
            pub const ALL: &[Self] = &[$(Self::$ident),*];

            /// The name for programs, which stays.
            pub fn name(self) -> &'static str {
                match self { $(Self::$ident => $name,)* }
            }

            /// What it means.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$ident => concat!($($doc),*).trim_ascii(),)* }
            }

            /// How much it weighs.
            pub fn severity(self) -> Severity {
                match self { $(Self::$ident => Severity::$severity,)* }
            }
        }
    };
}

troubles! {
    /// The home is not a folder that can be read.
    HomeUnusable = "home_unusable", Problem;
    /// Nothing can be written to the home: its file system is read-only, or its permissions forbid it.
    HomeUnwritable = "home_unwritable", Problem;
    /// `home.json` does not say its schema.
    HomeDamaged = "home_damaged", Problem;
    /// A newer program wrote the home; this one only reads it.
    HomeNewer = "home_newer", Problem;
    /// The home is on a network file system, on which locks are not safe.
    NetworkFileSystem = "network_file_system", Problem;
    /// A file of settings cannot be read.
    ConfigBroken = "config_broken", Problem;
    /// A folder of the home should hold a brain and does not.
    BrainBroken = "brain_broken", Problem;
    /// A brain does not say which root it belongs to.
    RootUnknown = "root_unknown", Problem;
    /// A store, a folder of it, its history, its log or its boot keys cannot be read at all.
    StoreUnreadable = "store_unreadable", Problem;
    /// This user may not write a folder, a log or a lock of a store, so that writes are refused.
    StoreUnwritable = "store_unwritable", Problem;
    /// A newer program wrote a brain; this one only reads it.
    BrainNewer = "brain_newer", Problem;
    /// The manifest in a repository does not read as one, so that other clones cannot read its memory.
    ManifestDamaged = "manifest_damaged", Problem;
    /// A repository holds claims and no manifest, so that its clones cannot read them.
    ManifestMissing = "manifest_missing", Problem;
    /// The memory of a private project can be committed, or was.
    PrivateExposed = "private_exposed", Problem;
    /// A repository shares its memory, and the working tree does not have it.
    NotCheckedOut = "not_checked_out", Problem;
    /// A shared project's memory is left out of git.
    SharedIgnored = "shared_ignored", Warning;
    /// The folder of claims is gone, or all files in it are, and nothing took them away.
    ClaimsGone = "claims_gone", Problem;
    /// A file with a claim's name is no readable claim.
    ClaimUnreadable = "claim_unreadable", Problem;
    /// A file or a folder cannot be read, and nothing else that was found is about it.
    NotRead = "not_read", Problem;
    /// Two files hold one label.
    LabelTwice = "label_twice", Problem;
    /// The file of a claim, or its name, carries a secret: recall holds it back.
    ClaimSecret = "claim_secret", Problem;
    /// The medulla has become a warehouse.
    MedullaOverfull = "medulla_overfull", Problem;
    /// The disk is nearly full.
    DiskNearlyFull = "disk_nearly_full", Warning;
    /// Others on this machine can read the home.
    HomeOpen = "home_open", Warning;
    /// The home is in a working tree of git, and nothing keeps it out of commits.
    HomeInGit = "home_in_git", Warning;
    /// The clock is behind the youngest claim.
    ClockBehind = "clock_behind", Warning;
    /// `principals.json` cannot be read.
    PrincipalsDamaged = "principals_damaged", Warning;
    /// A repository's file sets what is not its to set.
    ConfigNotHere = "config_not_here", Warning;
    /// The manifest in a repository has another id than the home knows it by.
    ManifestOther = "manifest_other", Warning;
    /// The name in a manifest cannot be shown, so that the brain is called `unnamed`.
    ManifestName = "manifest_name", Warning;
    /// The root of a brain is gone.
    RootGone = "root_gone", Warning;
    /// Another folder was made where the root of a brain was; its memory is kept and not shown there.
    RootReplaced = "root_replaced", Warning;
    /// A brain was made at the path of a worktree while its repository was away; the worktree is served from the repository's.
    WorktreeBrain = "worktree_brain", Warning;
    /// The root of a brain that was set aside is here again.
    BrainSetAside = "brain_set_aside", Warning;
    /// Two folders say that they belong to one root.
    RootTwice = "root_twice", Warning;
    /// A symbolic link has a claim's name, and is not followed.
    ClaimLink = "claim_link", Warning;
    /// A folder has a claim's name.
    ClaimFolder = "claim_folder", Warning;
    /// A renaming was cut off or could not remove a file, so that a claim lives or has versions under both its names.
    RenameInterrupted = "rename_interrupted", Warning;
    /// A file's name is not the one of its label, so that its label does not find it.
    ClaimMisnamed = "claim_misnamed", Warning;
    /// Several versions of a label wait for a decision.
    MergeUndecided = "merge_undecided", Warning;
    /// Claims of a repository's brain are still under the home, where recall does not look.
    ClaimsOwnerSide = "claims_owner_side", Warning;
    /// A claim that was written here is not in this checkout.
    ClaimAbsent = "claim_absent", Warning;
    /// A version that was written here is not in this checkout, where git has another one.
    VersionAbsent = "version_absent", Warning;
    /// A claim was forgotten in another clone, which only the repository's log says; this home keeps its copy, or it is live here.
    ForgottenElsewhere = "forgotten_elsewhere", Warning;
    /// Acts that were recorded here are not in this checkout.
    ActsAbsent = "acts_absent", Warning;
    /// A claim came back after it was retracted here, or after a later version was written here; or it was rewritten in one clone and
    /// retracted in another.
    ClaimResurrected = "claim_resurrected", Warning;
    /// A file of a project says that it is doctrine, which has no effect there.
    ClaimCallsItselfDoctrine = "claim_calls_itself_doctrine", Warning;
    /// A file or folder that memory or mail rests on is a link or another kind of thing, too large, or closed to this user.
    FileUnusable = "file_unusable", Problem;
    /// A file that memory or mail rests on, or lines of it, are not what this program writes there.
    FileDamaged = "file_damaged", Warning;
    /// A file or folder of this machine that may be lost (sessions, counts, the index, the daemon's) cannot be used as it is.
    LocalUnusable = "local_unusable", Warning;
    /// A claim that was forgotten came back, or acts upon it did.
    ClaimForgotten = "claim_forgotten", Warning;
    /// The medulla is past the size it should have.
    MedullaFull = "medulla_full", Warning;
    /// A file of the medulla does not say where it came from.
    MedullaOriginUnknown = "medulla_origin_unknown", Warning;
    /// No recorded act says how a claim came into the medulla.
    MedullaUnaccounted = "medulla_unaccounted", Warning;
    /// A claim of the medulla is the copy of one that its project took back.
    MedullaWitnessRetracted = "medulla_witness_retracted", Warning;
    /// Claims that an act brought into the medulla are gone, and nothing took them away.
    MedullaGone = "medulla_gone", Warning;
    /// Claims of the medulla belong to projects.
    MedullaMixed = "medulla_mixed", Warning;
    /// The folder of history is gone, though live claims name the versions before them.
    HistoryGone = "history_gone", Warning;
    /// A version in history is no readable claim.
    VersionUnreadable = "version_unreadable", Warning;
    /// History holds a version that is younger than the live one.
    VersionNewer = "version_newer", Warning;
    /// The outcome of a delegation is recorded, and not all of its findings are remembered.
    DebriefUnfinished = "debrief_unfinished", Warning;
    /// The log of acts has lines that are no acts.
    ActsDamaged = "acts_damaged", Warning;
    /// A lock is held by a process that was stopped.
    LockStopped = "lock_stopped", Warning;
    /// A temporary file holds words that are nowhere else.
    LeftoverWords = "leftover_words", Warning;
    /// `projects.toml` cannot be read, so letters are not filed.
    ProjectsBroken = "projects_broken", Problem;
    /// The spool or a box cannot be read at all.
    BoxUnreadable = "box_unreadable", Warning;
    /// A line of the spool or of a box is no letter.
    LetterUnreadable = "letter_unreadable", Warning;
    /// Letters wait: their project is not on this machine, several projects have its name, or the folder is no project.
    LetterPending = "letter_pending", Warning;
    /// A letter stays in the spool, because the hygiene floor keeps it out of every box.
    LetterRefused = "letter_refused", Warning;
    /// A confirmed misdelivery has no case in the battery.
    LetterWithoutCase = "letter_without_case", Warning;
    /// A letter about a misdelivery has a kind that is none.
    LetterOtherKind = "letter_other_kind", Note;
    /// A file of the battery is no case.
    CaseUnreadable = "case_unreadable", Warning;
    /// A project has letters and no brain.
    BoxWithoutBrain = "box_without_brain", Note;
    /// A file in a box of mail is no readable message, or is held under a damaged name.
    MailUnreadable = "mail_unreadable", Warning;
    /// Git tracks messages, and no setting here lets them be committed; or the list of what it tracks cannot be read.
    MailTracked = "mail_tracked", Warning;
    /// The mail is private, and the `.gitignore` that keeps it out of git is missing or has no rule.
    MailExposed = "mail_exposed", Warning;
    /// A person said that git may commit the mail, and a rule of git leaves it out.
    MailIgnored = "mail_ignored", Warning;
    /// Mail waits in a box whose name no session, tag, agent or person here has.
    MailNeverRead = "mail_never_read", Note;
    /// Two boxes of mail have names that differ by case alone.
    MailBoxesAlike = "mail_boxes_alike", Warning;
    /// A session is on record under an address of another agent. It gets no mail under that name.
    SessionNameTaken = "session_name_taken", Warning;
    /// This user may not read or write a folder of mail, so that mail is refused.
    MailUnreachable = "mail_unreachable", Problem;
    /// The file of the ledger is damaged, is no ledger or cannot be read.
    LedgerUnreadable = "ledger_unreadable", Problem;
    /// A newer program wrote the ledger; this one does not read it.
    LedgerNewer = "ledger_newer", Problem;
    /// The ledger was changed behind this program's back, or is an older copy.
    LedgerChanged = "ledger_changed", Problem;
    /// The last head or the key of the ledger cannot be read, so that the ledger is held to none.
    LedgerHeadUnreadable = "ledger_head_unreadable", Warning;
    /// A redaction could not write the file of the ledger anew, so that unused room of it may still have what was redacted.
    LedgerErasureDue = "ledger_erasure_due", Warning;
    /// The last message of the ledger is dated ahead of the clock, so that every message until then is dated later than it was sent.
    LedgerTimeAhead = "ledger_time_ahead", Warning;
    /// The mirror of the inbox is damaged, is no mirror or cannot be read, so that no inbox can.
    InboxMirrorUnreadable = "inbox_mirror_unreadable", Problem;
    /// A newer program wrote the mirror of the inbox; this one does not read it.
    InboxMirrorNewer = "inbox_mirror_newer", Problem;
    /// The counts of unread messages in the mirror of the inbox are not those of its rows.
    InboxMirrorCounts = "inbox_mirror_counts", Warning;
    /// The inbox has no mirror; the next look at an inbox makes it anew.
    InboxMirrorMissing = "inbox_mirror_missing", Note;
    /// Messages are on the ledger and not in the mirror of the inbox yet.
    InboxMirrorBehind = "inbox_mirror_behind", Note;
    /// Messages to inboxes were set aside, because they could not be read or had no right to be there.
    InboxQuarantine = "inbox_quarantine", Note;
    /// No setting maps a role of the inbox, so that the owner plays it.
    InboxRoleUnmapped = "inbox_role_unmapped", Note;
    /// A setting of the inbox names an agent that was never here, and another one has nearly the same name.
    InboxRoleUnknown = "inbox_role_unknown", Warning;
    /// Others on this machine can read the daemon's token.
    TokenOpen = "token_open", Warning;
    /// Others on this machine can enter the daemon's folder.
    DaemonOpen = "daemon_open", Warning;
    /// The daemon runs, and the file of its token is gone.
    TokenGone = "token_gone", Warning;
    /// The token in the file is not the one that the daemon which runs knows.
    TokenChanged = "token_changed", Warning;
    /// A daemon runs, and its address cannot be read; or it cannot be seen whether one runs.
    DaemonUnfound = "daemon_unfound", Warning;
    /// The daemon that runs can be reached from other machines.
    DaemonExposed = "daemon_exposed", Note;
    /// The daemon that runs may open too few files for all the connections that it would take.
    DaemonFewFiles = "daemon_few_files", Note;
    /// The daemon that runs is of another version than this program.
    DaemonOther = "daemon_other", Note;
    /// A daemon was ended before it could say so.
    DaemonDied = "daemon_died", Note;
    /// There is no home yet.
    HomeMissing = "home_missing", Note;
    /// No setting has the name of this key.
    ConfigUnknownKey = "config_unknown_key", Note;
    /// History holds a copy that an interrupted change made.
    ChangeInterrupted = "change_interrupted", Note;
    /// A migration was cut off.
    MigrationOpen = "migration_open", Warning;
    /// The index of a store is damaged, of another program or far behind; recall is right, and slower.
    IndexDrift = "index_drift", Note;
    /// A run of the battery that was killed has left copies of claims.
    LeftoverCopies = "leftover_copies", Warning;
    /// A temporary file that an interrupted write has left.
    LeftoverFile = "leftover_file", Note;
}

impl Trouble {
    /// Whether the walk over everything that this program keeps finds it.
    pub fn is_of_the_census(self) -> bool {
        matches!(self, Self::FileUnusable | Self::FileDamaged | Self::LocalUnusable)
    }

    /// Whether it is found by the services of mail, and not by memory.
    pub fn is_about_mail(self) -> bool {
        matches!(
            self,
            Self::MailUnreadable
                | Self::MailTracked
                | Self::MailUnreachable
                | Self::MailExposed
                | Self::MailIgnored
                | Self::MailNeverRead
                | Self::MailBoxesAlike
                | Self::SessionNameTaken
        )
    }

    /// Whether it is found by the services of the ledger and of the inbox on it, and not by memory.
    pub fn is_about_the_ledger(self) -> bool {
        matches!(
            self,
            Self::LedgerUnreadable
                | Self::LedgerNewer
                | Self::LedgerChanged
                | Self::LedgerHeadUnreadable
                | Self::LedgerErasureDue
                | Self::LedgerTimeAhead
                | Self::InboxMirrorCounts
                | Self::InboxMirrorUnreadable
                | Self::InboxMirrorNewer
                | Self::InboxMirrorMissing
                | Self::InboxMirrorBehind
                | Self::InboxQuarantine
        )
    }

    /// Whether it is found by the services of the inbox, and not by memory.
    pub fn is_about_the_inbox(self) -> bool {
        matches!(self, Self::InboxRoleUnmapped | Self::InboxRoleUnknown)
    }

    /// Whether it is found by the services of letters, and not by memory.
    pub fn is_about_letters(self) -> bool {
        matches!(
            self,
            Self::ProjectsBroken
                | Self::BoxUnreadable
                | Self::LetterUnreadable
                | Self::LetterPending
                | Self::LetterRefused
                | Self::LetterWithoutCase
                | Self::LetterOtherKind
                | Self::CaseUnreadable
                | Self::BoxWithoutBrain
        )
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub trouble: Trouble,
    /// Where: a file, or a folder.
    pub place: PathBuf,
    /// What is wrong there.
    pub detail: String,
    /// The one thing to do.
    pub fix: Advice,
}

/// Findings as they come.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Finding>);

impl Findings {
    pub(super) fn add(
        &mut self,
        trouble: Trouble,
        place: impl Into<PathBuf>,
        detail: impl Into<String>,
        fix: impl Into<Advice>,
    ) {
        self.0.push(Finding { trouble, place: place.into(), detail: detail.into(), fix: fix.into() });
    }

    pub(super) fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        self.0.extend(findings);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.0.iter()
    }

    /// How many there are so far.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Makes every call that the findings after the first `count` advise a call for the project at this root. Without
    /// that, the call would change the caller's own project.
    pub(super) fn advise_at(&mut self, root: &Path, count: usize) {
        let root = root.display().to_string();
        for finding in self.0.iter_mut().skip(count) {
            finding.fix = std::mem::take(&mut finding.fix).at(&root);
        }
    }

    /// Replaces the advice of the findings after the first `count` that is for a checkout which is gone: `init` typed where
    /// the caller is would change another project.
    pub(super) fn advise_elsewhere(&mut self, count: usize, fix: &Advice) {
        let needs_checkout = |finding: &&mut Finding| finding.fix.calls().any(|call| *call == calls::init());
        self.0.iter_mut().skip(count).filter(needs_checkout).for_each(|finding| finding.fix = fix.clone());
    }

    /// Whether one of them names this path.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        self.0.iter().any(|finding| finding.place == path)
    }

    /// Adds what was found in the store of `dir`. Of one kind no more are named than a person reads;
    /// of a store whose files this caller is not shown, none.
    pub(super) fn add_store(&mut self, found: Self, dir: &Path, whole: bool) {
        let mut counts: BTreeMap<Trouble, usize> = BTreeMap::new();
        for finding in found.0 {
            let count = counts.entry(finding.trouble).or_default();
            *count += 1;
            // What is about the store itself names no claim.
            if finding.place == dir || whole && *count <= FINDINGS_NAMED_MAX {
                *count -= usize::from(finding.place == dir);
                self.0.push(finding);
            }
        }
        for (trouble, count) in counts {
            if !whole && count > 0 {
                let detail = format!("{count} of these in another project's store");
                self.add(trouble, dir, detail, advice![calls::doctor_all_brains(), " names them"]);
            } else if count > FINDINGS_NAMED_MAX {
                let detail = format!("and {} more of these", count - FINDINGS_NAMED_MAX);
                self.add(
                    trouble,
                    dir,
                    detail,
                    advice!["mend the ones above, then run ", calls::doctor(), " again"],
                );
            }
        }
    }

    /// Whether one of them names this file, or counts files like it in the store of `dir`.
    pub(super) fn is_about(&self, file: &Path, dir: &Path) -> bool {
        self.0.iter().any(|finding| {
            finding.place == file || finding.place == dir && finding.trouble == Trouble::ClaimUnreadable
        })
    }

    /// The findings, worst first, then by kind and place.
    pub(super) fn sorted(mut self) -> Vec<Finding> {
        // A sort that keeps the order of equals: "and more" stays behind what it counts.
        self.0.sort_by_key(|finding| (finding.trouble.severity(), finding.trouble));
        self.0
    }
}

/// Returns a path as one word of a shell, for a fix that is a command.
pub(super) fn word(path: &Path) -> String {
    shell_word(&path.display().to_string())
}
