//! The home itself: its folder, its file system, its settings, the clock.

use super::examined_store::Birth;
use super::finding::{Findings, Trouble, word};
use super::reach::permitting;
use crate::limits::{CLOCK_BEHIND_MS_MAX, DISK_FREE_LEN_MIN, REGISTER_LEN_MAX};
use crate::service::Memory;
use brainstem_base::advice;
use brainstem_base::disk::FileKind;
use brainstem_base::next::{Shell, calls};
use brainstem_base::{Coded as _, DiskFault};
use brainstem_caller::Caller;
use brainstem_caller::config::IgnoredReason;
use brainstem_caller::identity::Register;
use brainstem_vault::StoreError;
use brainstem_vault::daemon_files::{DaemonSeen, token_print};

impl Memory {
    /// Looks at the home; `false` when there is nothing in it to look at.
    pub(super) fn examine_home(&self, found: &mut Findings) -> bool {
        let home = self.home.path();
        match self.disk.stat(home) {
            Ok(stat) if stat.kind == FileKind::Dir => {}
            Ok(_) => {
                let fix = advice!["choose another home with ", calls::home_or_variable()];
                found.add(Trouble::HomeUnusable, home, "it is not a folder", fix);
                return false;
            }
            Err(error) if error.fault() == DiskFault::NotFound => {
                let detail = "there is no home on this machine yet";
                found.add(
                    Trouble::HomeMissing,
                    home,
                    detail,
                    advice![calls::bootstrap(), " in a project makes it"],
                );
                return false;
            }
            Err(error) => {
                let fix = format!("make it readable for this user: {}", permitting(&*self.disk, home, "700"));
                found.add(Trouble::HomeUnusable, home, error.fault().to_string(), fix);
                return false;
            }
        }
        self.examine_schema(found);
        let facts = self.disk.facts(home);
        if facts.writable == Some(false) {
            let (detail, fix) = match facts.mode {
                Some(mode) if mode & 0o200 == 0 => (
                    format!("its permissions ({mode:o}) let nobody write to it"),
                    Shell::line(permitting(&*self.disk, home, "700")).into(),
                ),
                _ => (
                    "this user cannot write to it: it is another's, or its file system is read-only"
                        .to_owned(),
                    advice!["mount it writable, or choose another home with ", calls::home_or_variable()],
                ),
            };
            found.add(Trouble::HomeUnwritable, home, detail, fix);
        }
        if let Some(mode) = facts.mode.filter(|mode| mode & 0o077 != 0) {
            let detail = format!("others on this machine may enter it (its permissions are {mode:o})");
            found.add(Trouble::HomeOpen, home, detail, permitting(&*self.disk, home, "700"));
        }
        self.examine_git_around_home(found);
        if let Some(name) = facts.network {
            let detail = format!(
                "it lies on a network file system ({name}), where locks do not keep two machines apart"
            );
            let fix = "move the home to a local disk and name it with BRAINSTEM_HOME";
            found.add(Trouble::NetworkFileSystem, home, detail, fix);
        }
        if let Some(len) = facts.free_len.filter(|len| *len < DISK_FREE_LEN_MIN) {
            let detail = format!("{} MiB are left on its disk; a full disk refuses every write", len >> 20);
            found.add(Trouble::DiskNearlyFull, home, detail, "free some space on that disk");
        }
        self.examine_principals(found);
        self.examine_daemon(found);
        let index = home.join(brainstem_index::FOLDER);
        if self.disk.stat(&index).is_ok_and(|stat| stat.kind != FileKind::Dir) {
            let detail = "the indexes lie in this folder, and it is none: recall is right, and slower";
            found.add(Trouble::IndexDrift, &index, detail, format!("rm {}", word(&index)));
        }
        true
    }

    fn examine_daemon(&self, found: &mut Findings) {
        let files = self.daemon_files();
        if let Some(dir) = files.token.parent()
            && let Some(mode) = self.disk.facts(dir).mode.filter(|mode| mode & 0o077 != 0)
        {
            let detail = format!("others may enter the daemon's folder (its permissions are {mode:o})");
            found.add(Trouble::DaemonOpen, dir, detail, permitting(&*self.disk, dir, "700"));
        }
        let restart = advice![calls::down(), ", then ", calls::up()];
        let open = self.disk.facts(&files.token).mode.filter(|mode| mode & 0o077 != 0);
        if let (Some(mode), Some(_)) = (open, self.daemon_token()) {
            let detail = format!(
                "others may read the token (its permissions are {mode:o}); it is made anew at the next start"
            );
            found.add(Trouble::TokenOpen, &files.token, detail, &restart);
        }
        let record = match self.see_daemon() {
            DaemonSeen::Serving(record) => record,
            DaemonSeen::Absent => {
                if let Some(record) = self.daemon_record() {
                    let at = record.address;
                    let detail =
                        format!("the daemon at {at} ended without a word, killed or with the machine");
                    let fix = advice![calls::up(), " starts another"];
                    found.add(Trouble::DaemonDied, &files.record, detail, fix);
                }
                return;
            }
            DaemonSeen::Unfound => {
                let detail = "a daemon runs, and the record that says where is gone or cannot be read";
                let fix = advice![
                    "wait a moment: it writes the record anew where it can; else end the process `",
                    calls::up_in_terminal(),
                    "`"
                ];
                return found.add(Trouble::DaemonUnfound, &files.record, detail, fix);
            }
            DaemonSeen::Unknown(why) => {
                let fix = "make the folder `daemon` of the home readable for you";
                return found.add(Trouble::DaemonUnfound, &files.lock, why, fix);
            }
        };
        let own = env!("CARGO_PKG_VERSION");
        let address = record.address.parse::<std::net::SocketAddr>();
        if address.is_ok_and(|address| !address.ip().is_loopback()) {
            let detail =
                format!("it listens on {}, where other machines reach it, unencrypted", record.address);
            let fix = advice!["if that is not meant: ", &restart, " without ", calls::expose()];
            found.add(Trouble::DaemonExposed, &files.record, detail, fix);
        }
        if let Some(connections) = record.connections_max {
            let detail = format!("it may open so few files that it takes {connections} connections at once");
            let fix = advice![
                "raise the hard limit of open files (ulimit -Hn) to 2048 where it is started, then ",
                calls::down(),
                " and ",
                calls::up()
            ];
            found.add(Trouble::DaemonFewFiles, &files.record, detail, fix);
        }
        match self.daemon_token() {
            None => {
                let detail = "the daemon runs, and nobody can find its token any more; a new start makes one";
                found.add(Trouble::TokenGone, &files.token, detail, &restart);
            }
            Some(token) if record.token_print.is_some_and(|known| known != token_print(&token)) => {
                let detail =
                    "the file was replaced while the daemon ran: who reads the token there is refused";
                found.add(Trouble::TokenChanged, &files.token, detail, &restart);
            }
            Some(_) => {}
        }
        if record.version != own {
            let detail = format!("the daemon is of version {}, and this program of {own}", record.version);
            found.add(Trouble::DaemonOther, &files.record, detail, &restart);
        }
    }

    fn examine_schema(&self, found: &mut Findings) {
        let place = self.home.path().join("home.json");
        let Err(error) = self.home.check_writable() else { return };
        let fix = error.fix().unwrap_or_default();
        let trouble = match error {
            StoreError::NewerSchema { .. } | StoreError::NewerBrain { .. } => Trouble::HomeNewer,
            StoreError::Damaged { .. }
            | StoreError::SharingUnknown { .. }
            | StoreError::BrokenBrain { .. }
            | StoreError::ClaimsGone { .. }
            | StoreError::NotAFolder { .. }
            | StoreError::Disk { .. }
            | StoreError::Unconfirmed { .. }
            | StoreError::HomeUnusable { .. }
            | StoreError::HomeUnreadable { .. }
            | StoreError::PrivateExposed { .. }
            | StoreError::TrackedYet { .. }
            | StoreError::Moved => Trouble::HomeDamaged,
        };
        found.add(trouble, place, error.to_string(), fix);
    }

    fn examine_principals(&self, found: &mut Findings) {
        let place = self.home.path().join("principals.json");
        let why = match self.disk.read(&place, REGISTER_LEN_MAX) {
            Ok(bytes) => match Register::check(&bytes) {
                Ok(()) => return,
                Err(why) => why,
            },
            Err(error) if error.fault() == DiskFault::NotFound => return,
            Err(error) => error.fault().to_string(),
        };
        let detail = format!("nobody in it is known while it cannot be read: {why}");
        let fix = format!("mend {}: a JSON list of {{\"agent_id\", \"display_name\"}}", word(&place));
        found.add(Trouble::PrincipalsDamaged, place, detail, fix);
    }

    pub(super) fn examine_config(&self, caller: &Caller, found: &mut Findings) {
        let config = self.config(caller.place());
        for broken in &config.broken {
            let fix = broken.fix().unwrap_or_default();
            found.add(Trouble::ConfigBroken, &broken.path, broken.to_string(), fix);
        }
        for line in &config.ignored {
            let (n, key) = (line.line, &line.key);
            match line.why {
                IgnoredReason::Unknown => found.add(
                    Trouble::ConfigUnknownKey,
                    &line.path,
                    format!("line {n}: no setting is called {key:?}; it is kept and has no effect"),
                    advice!["see `", calls::config_list(), "` for the settings"],
                ),
                IgnoredReason::NotHere(why) => found.add(
                    Trouble::ConfigNotHere,
                    &line.path,
                    format!("line {n}: `{key}` has no effect: {why}"),
                    format!("remove line {n}"),
                ),
            }
        }
    }

    pub(super) fn examine_clock(&self, youngest: Option<Birth>, found: &mut Findings) {
        let now = self.clock.now();
        let Some((born, store)) = youngest else { return };
        if born.ms() - now.ms() > CLOCK_BEHIND_MS_MAX {
            let detail = format!(
                "it is {} here, and a claim of this store was born at {}",
                now.to_rfc3339(),
                born.to_rfc3339()
            );
            let fix = advice![
                "set the clock of this machine, or of the one that wrote the claim; if both are right by now, ",
                calls::retract(calls::LABEL, calls::REASON),
                " and memorize it again: until then each new version of it is born after that time"
            ];
            found.add(Trouble::ClockBehind, store, detail, fix);
        }
    }
}
