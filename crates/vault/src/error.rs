//! Errors of a store.

use crate::not_checked_out::NotCheckedOut;
use crate::sharing::Exposed;
use brainstem_base::advice;
use brainstem_base::next::{Shell, calls, shell_word};
use brainstem_base::{Advice, Coded, DiskError, DiskFault, ErrorCode, codes};
use std::path::Path;

/// Why a brain is broken whose folder of claims is gone.
pub const CLAIMS_GONE: &str = "its folder of claims, agent-memory, is missing";
/// What is wrong with a brain that another user made, for that user alone.
pub(crate) const MANIFEST_CLOSED: &str = "this user may not read its brain.json";

/// A call of git in the repository that has this folder of memory.
fn git_in(folder: &str, words: &str) -> Shell {
    let root = Path::new(folder).parent().unwrap_or(Path::new(".")).display().to_string();
    Shell::line(format!("git -C {} {words}", shell_word(&root)))
}

/// What to do about a missing folder of claims. Only an explicit call makes it anew, because afterwards nothing shows
/// that something was lost.
fn restore(folder: &str) -> Advice {
    advice![
        "restore `{folder}` from a backup; without one, make it anew, empty: ",
        Shell::line(format!("mkdir {}", quoted(folder)))
    ]
}

fn quoted(path: &str) -> String {
    format!("'{}'", path.replace('\'', "'\\''"))
}

/// A store could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk refused.
    #[error("{doing}")]
    Disk {
        /// What was being done.
        doing: &'static str,
        /// Why it failed.
        #[source]
        source: DiskError,
    },
    /// The disk took a change and did not confirm it. The change may be in place.
    #[error("{told}")]
    Unconfirmed {
        /// What is certain and what is not.
        told: &'static str,
        /// Which sync failed.
        #[source]
        source: DiskError,
    },
    /// A file of this program that it cannot parse.
    #[error("`{file}` is damaged: {why}")]
    Damaged {
        /// Its path.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// The file that says whether a project is private cannot be parsed or read.
    #[error("`{file}` did not say whether the memory is private, so nothing is written into the repository")]
    SharingUnknown {
        /// Its path.
        file: String,
    },
    /// A project that is to become private while git tracks its folder.
    #[error("git tracks files in `{folder}`, so its memory cannot be private there yet; nothing was moved")]
    TrackedYet {
        /// The folder in the repository.
        folder: String,
    },
    /// A private project whose memory git can commit.
    #[error("the project is private, and git {}, so nothing is written there", match exposed {
        Exposed::Tracked => format!("tracks files in `{folder}`"),
        Exposed::NotIgnored => format!("is not kept out of `{folder}`"),
    })]
    PrivateExposed {
        /// The folder in the repository.
        folder: String,
        /// How git can commit it.
        exposed: Exposed,
    },
    /// A folder with a brain's memory that cannot be read as that brain.
    #[error("the brain in `{folder}` cannot be read: {why}")]
    BrokenBrain {
        /// The folder.
        folder: String,
        /// What is wrong with it.
        why: String,
    },
    /// The folder of a store's claims is missing.
    #[error("the folder of claims `{folder}` is missing")]
    ClaimsGone {
        /// The folder.
        folder: String,
    },
    /// The home cannot be read.
    #[error("the home `{home}` cannot be read: {why}")]
    HomeUnreadable {
        /// Its path.
        home: String,
        /// Why.
        why: String,
    },
    /// A folder of a store is a link, or not a folder.
    #[error("`{path}` is {what}, and a store must be in real folders")]
    NotAFolder {
        /// Its path.
        path: String,
        /// What it is.
        what: &'static str,
    },
    /// The home cannot be made.
    #[error("the home `{home}` cannot be made")]
    HomeUnusable {
        /// Its path.
        home: String,
        /// Why.
        #[source]
        source: Box<StoreError>,
    },
    /// The store moved into its repository, or out of it, while the caller waited.
    #[error("the project's memory has just moved to its other place")]
    Moved,
    /// The home belongs to a newer program.
    #[error("this home has schema {found}; this program writes schema {known}")]
    NewerSchema {
        /// The schema of the home.
        found: u64,
        /// The newest schema known here.
        known: u64,
    },
    /// The brain belongs to a newer program.
    #[error("this brain has schema {found}; this program writes schema {known}")]
    NewerBrain {
        /// The schema of the brain.
        found: u64,
        /// The newest schema known here.
        known: u64,
    },
}

/// The message for a change that could not be taken back.
const LEFT_IN_PLACE: &str = "the disk failed in the middle of the change and the change could not be taken back, so it may be in place or not";

/// The message for a call about many claims that the disk stopped.
pub const STOPPED_HALF_WAY: &str =
    "the disk stopped the call half way: what it did before that stays, and nothing is lost";

impl StoreError {
    /// The refusal of a write into a repository while this file does not say whether git may commit it.
    pub(crate) fn sharing_unknown(file: &Path) -> Self {
        Self::SharingUnknown { file: file.display().to_string() }
    }

    /// Wraps a disk error with what was being done. A failed sync becomes [`StoreError::Unconfirmed`].
    pub fn disk(doing: &'static str) -> impl FnOnce(DiskError) -> Self {
        move |source| match source.is_unconfirmed() {
            true => Self::unconfirmed(source),
            false => Self::Disk { doing, source },
        }
    }

    /// A change that may be in place or not, because this sync failed.
    pub fn unconfirmed(source: DiskError) -> Self {
        Self::Unconfirmed {
            told: "the disk did not confirm the change, so it may be in place or not",
            source,
        }
    }

    /// A failed step in the middle of a change that could not be taken back: the change is in place, and not confirmed.
    pub fn left_in_place(self) -> Self {
        match self {
            Self::Disk { source, .. } | Self::Unconfirmed { source, .. } => {
                Self::Unconfirmed { told: LEFT_IN_PLACE, source }
            }
            other => other,
        }
    }

    /// A failed step of a call about many claims: what was done before it stays, and a repeat completes the call.
    pub fn stopped_half_way(self) -> Self {
        match self {
            Self::Disk { source, .. } | Self::Unconfirmed { source, .. } => {
                Self::Unconfirmed { told: STOPPED_HALF_WAY, source }
            }
            other => other,
        }
    }

    /// The error of a change that failed: `self` if the change was taken back, otherwise the error of a change that is
    /// left in place.
    pub fn after_undo<E>(self, undone: Result<(), E>) -> Self {
        match undone {
            Ok(()) => self,
            Err(_) => self.left_in_place(),
        }
    }

    /// Whether a part of the change is in place because it could not be taken back. Then the rest of the change stays
    /// too.
    pub fn is_left_in_place(&self) -> bool {
        matches!(self, Self::Unconfirmed { told, .. } if *told == LEFT_IN_PLACE)
    }

    /// A sync that failed before the caller changed anything. If this user may not open the folder, that is a refusal:
    /// nothing was made.
    pub(crate) fn before_a_change(doing: &'static str) -> impl FnOnce(DiskError) -> Self {
        move |source| match source.fault() {
            DiskFault::ReadOnly => Self::Disk { doing, source },
            _ => Self::disk(doing)(source),
        }
    }

    /// The fault of the disk, if it was the disk.
    pub fn disk_fault(&self) -> Option<DiskFault> {
        match self {
            Self::Disk { source, .. } | Self::Unconfirmed { source, .. } => Some(source.fault()),
            Self::Damaged { .. }
            | Self::SharingUnknown { .. }
            | Self::PrivateExposed { .. }
            | Self::TrackedYet { .. }
            | Self::BrokenBrain { .. }
            | Self::ClaimsGone { .. }
            | Self::NotAFolder { .. }
            | Self::HomeUnusable { .. }
            | Self::HomeUnreadable { .. }
            | Self::Moved
            | Self::NewerSchema { .. }
            | Self::NewerBrain { .. } => None,
        }
    }
}

impl Coded for StoreError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Disk { source, .. } => match source.fault() {
                DiskFault::NoSpace => codes::STORE_NO_SPACE,
                DiskFault::ReadOnly => codes::STORE_READ_ONLY,
                DiskFault::Busy => codes::STORE_BUSY,
                DiskFault::NotFound | DiskFault::NotAFile | DiskFault::TooLarge { .. } => {
                    codes::STORE_UNREADABLE
                }
                DiskFault::Exists | DiskFault::CrossesDevices | DiskFault::PowerLost | DiskFault::Other => {
                    codes::STORE_FAILED
                }
            },
            Self::Unconfirmed { .. } => codes::STORE_UNCONFIRMED,
            Self::Damaged { .. }
            | Self::SharingUnknown { .. }
            | Self::BrokenBrain { .. }
            | Self::ClaimsGone { .. }
            | Self::NotAFolder { .. } => codes::STORE_UNREADABLE,
            Self::HomeUnusable { .. } | Self::HomeUnreadable { .. } => codes::HOME_UNUSABLE,
            Self::Moved => codes::STORE_MOVED,
            Self::PrivateExposed { .. } | Self::TrackedYet { .. } => codes::STORE_PRIVATE_EXPOSED,
            Self::NewerSchema { .. } | Self::NewerBrain { .. } => codes::HOME_NEWER_SCHEMA,
        }
    }

    fn fix(&self) -> Option<Advice> {
        Some(match self {
            Self::Disk { source, .. } => {
                let path = source.path().display();
                match source.fault() {
                    DiskFault::NoSpace => {
                        "free some space on that disk and repeat; what was there is unchanged".into()
                    }
                    DiskFault::ReadOnly => {
                        // A folder that is closed is named by what should be made or looked at in it.
                        let folder = source.path().parent().unwrap_or(source.path()).display();
                        advice![
                            "make the folder `{folder}` and what lies in it readable and writable for this user; if that is the home, or below it, choose another home with ",
                            calls::home()
                        ]
                    }
                    DiskFault::Busy => {
                        "repeat; if it stays busy, look for a stopped brainstem process".into()
                    }
                    DiskFault::NotFound
                    | DiskFault::NotAFile
                    | DiskFault::TooLarge { .. }
                    | DiskFault::Exists
                    | DiskFault::CrossesDevices
                    | DiskFault::PowerLost
                    | DiskFault::Other => advice!["look at `{path}`, then repeat"],
                }
            }
            Self::Unconfirmed { told, source } if *told == STOPPED_HALF_WAY => {
                let path = source.path().display();
                let what = match source.fault() {
                    DiskFault::NoSpace => advice!["free some space on the disk of `{path}`"],
                    _ => advice!["see to the disk at `{path}`"],
                };
                advice![what, ", then repeat the call, which completes it"]
            }
            Self::Unconfirmed { source, .. } => advice![
                "look whether the change is there (",
                calls::show(calls::LABEL),
                ", ",
                calls::list(),
                ", ",
                calls::mail_list(),
                ") before you repeat the call; and check the disk at `",
                source.path().display().to_string(),
                "`"
            ],
            Self::Damaged { file, .. } => {
                advice!["look at `{file}`; move it aside or restore it, then repeat"]
            }
            // Without the file the memory counts as committed, so the advice must not be to move it away.
            Self::SharingUnknown { file } => advice![
                "repeat; if it stays so, write {{\"sharing\": \"private\"}} or {{\"sharing\": \"committed\"}} into `{file}`, whichever is so"
            ],
            Self::Moved => "repeat the call".into(),
            Self::PrivateExposed { exposed, folder } => exposed.fix(Path::new(folder)),
            Self::TrackedYet { folder } => {
                let root = Path::new(folder).parent().unwrap_or(Path::new(folder)).display().to_string();
                let root = shell_word(&root);
                advice![
                    Shell::line(format!("git -C {root} rm -r -q --cached --ignore-unmatch .brainstem")),
                    ", then git commit: from then on git has no file of it; then repeat"
                ]
            }
            Self::BrokenBrain { why, .. } if why.contains("root.json") => {
                advice![
                    "call ",
                    calls::bootstrap(),
                    " in the project: it writes root.json anew and keeps the brain"
                ]
            }
            Self::BrokenBrain { folder, why } if why == CLAIMS_GONE => {
                restore(&format!("{folder}/agent-memory"))
            }
            Self::ClaimsGone { folder } => restore(folder),
            Self::BrokenBrain { folder, why } if why == MANIFEST_CLOSED => advice![
                "nothing of it is damaged; let its owner open it to this user: ",
                Shell::line(format!("chmod -R a+rX {}", shell_word(folder)))
            ],
            Self::BrokenBrain { folder, why } if why == NotCheckedOut::Sparse.why() => {
                advice![git_in(folder, "sparse-checkout add .brainstem"), " checks it out"]
            }
            Self::BrokenBrain { folder, why } if why == NotCheckedOut::Deleted.why() => advice![
                git_in(folder, "checkout -- .brainstem"),
                " checks it out; for a project that is to begin without it, ",
                git_in(folder, "rm -r -q --cached .brainstem"),
                ", then commit"
            ],
            Self::BrokenBrain { folder, .. } => advice![
                "put its brain.json back from a backup, or move `{folder}` aside; its claims are plain files"
            ],
            Self::NotAFolder { path, .. } => {
                advice!["look at `{path}`; put a real folder in its place or remove it, then repeat"]
            }
            Self::HomeUnusable { .. } => advice!["choose another home with ", calls::home_or_variable()],
            Self::HomeUnreadable { home, .. } => advice![
                "if `{home}` is yours, make it a folder that you can read; else choose your own with ",
                calls::home_or_variable()
            ],
            Self::NewerSchema { .. } => {
                "upgrade brainstem; until then this home can be read, not written".into()
            }
            Self::NewerBrain { .. } => {
                "upgrade brainstem; until then this brain can be read, not written".into()
            }
        })
    }

    fn rule(&self) -> Option<&'static str> {
        Some(match self {
            Self::Moved
            | Self::SharingUnknown { .. }
            | Self::PrivateExposed { .. }
            | Self::TrackedYet { .. } => "MEM-2",
            Self::HomeUnusable { .. }
            | Self::HomeUnreadable { .. }
            | Self::NewerSchema { .. }
            | Self::NewerBrain { .. }
            | Self::BrokenBrain { .. } => "MEM-1",
            Self::ClaimsGone { .. } => "MEM-23",
            Self::Unconfirmed { .. } => "MEM-13b",
            Self::Disk { .. } | Self::Damaged { .. } | Self::NotAFolder { .. } => "MEM-13",
        })
    }
}
