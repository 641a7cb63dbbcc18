//! What keeps a store from being written or read as it should, and what is missing from it.

use super::examined_store::ExaminedStore;
use super::finding::{Findings, Trouble, word};
use crate::service::Memory;
use brainstem_base::advice;
use brainstem_base::next::{Shell, calls};
use brainstem_base::{Coded as _, DiskFault};
use brainstem_caller::git_layout;
use brainstem_claims::act::{Act, Deed, Mention};
use brainstem_vault::brain::{self, BrainManifest, MANIFEST};
use brainstem_vault::brain_name::{BrainName, NAME_CHARS_MAX};
use brainstem_vault::checkup::HistoryScan;
use brainstem_vault::mail::IgnoringRule;
use brainstem_vault::memory_ignored::ignoring_rule;
use brainstem_vault::repo::{self, Exposed, GitSharing};
use brainstem_vault::scan::StoreScan;
use brainstem_vault::{Brain, StorePlace};
use std::collections::BTreeSet;
use std::path::Path;

/// How many labels are named at once.
const NAMED_MAX: usize = 5;
const MANIFEST_LEN_MAX: u64 = 64 * 1024;

impl Memory {
    /// Compares the manifest that a repository carries with the one that the home knows it by.
    pub(super) fn examine_manifest(&self, brain: &Brain, found: &mut Findings) {
        if brain.manifest.schema > brain::SCHEMA {
            let (schema, known) = (brain.manifest.schema, brain::SCHEMA);
            let detail = format!("it has schema {schema}, and this program writes {known}: it is only read");
            let fix = "upgrade brainstem; if nobody wrote it with a newer one, mend the schema in brain.json";
            found.add(Trouble::BrainNewer, &brain.folder, detail, fix);
        }
        self.examine_manifest_missing(&brain.root, found);
        let own = brain.folder.join(MANIFEST);
        if brain.place != StorePlace::Repo {
            return self.examine_name(&own, found);
        }
        let place = repo::folder(&brain.root).join(MANIFEST);
        self.examine_name(&place, found);
        // One that is not there, and no claims either, belongs to a branch from before `init`.
        let Ok(bytes) = self.disk.read(&place, MANIFEST_LEN_MAX) else { return };
        let then = self.then_commit(&brain.root);
        let fix = advice![calls::init_at(&brain.root), " writes it anew{then}"];
        let Some(carried) = BrainManifest::parse(&bytes) else {
            let detail = "it does not read as the manifest of a project: here the home still knows the brain, and no other clone can read its memory";
            return found.add(Trouble::ManifestDamaged, place, detail, fix);
        };
        let known = self.disk.read(&own, MANIFEST_LEN_MAX).ok();
        let known = known.and_then(|bytes| BrainManifest::parse(&bytes));
        if let Some(known) = known.filter(|known| known.id != carried.id) {
            let detail = format!(
                "it has the id {}, and this folder was known as {}: history and keys here are of that one",
                carried.id, known.id
            );
            let fix = format!(
                "if a merge or a pull brought the wrong file, restore it: git checkout COMMIT -- {}",
                word(&place)
            );
            found.add(Trouble::ManifestOther, place, detail, fix);
        }
    }

    /// Looks whether the name in a manifest is one that can be shown.
    fn examine_name(&self, place: &Path, found: &mut Findings) {
        let Ok(bytes) = self.disk.read(place, MANIFEST_LEN_MAX) else { return };
        let Err(fault) = BrainManifest::check_name(&bytes) else { return };
        let detail = format!(
            "its `name` is not used: {fault}. The brain is called `{}`, and its claims are as they were",
            BrainName::UNNAMED
        );
        let fix = format!(
            "write a plain name of at most {NAME_CHARS_MAX} characters as `name` into {}; commit it if git tracks it",
            word(place)
        );
        found.add(Trouble::ManifestName, place, detail, fix);
    }

    /// What follows once a manifest was written: a private one stays out of git.
    fn then_commit(&self, root: &Path) -> &'static str {
        match self.home.is_out_of_git(root) {
            true => "; it is private and stays out of git",
            false => "; then commit it",
        }
    }

    /// Looks for claims in a repository whose manifest is missing.
    pub(super) fn examine_manifest_missing(&self, root: &Path, found: &mut Findings) {
        let Some(without) = self.without_manifest(root) else { return };
        let detail = format!(
            "{}: a clone whose home has no record of this brain cannot read what lies there",
            without.sentence()
        );
        let then = self.then_commit(root);
        let fix = advice![calls::init_at(root), " writes the manifest anew and makes them readable{then}"];
        found.add(Trouble::ManifestMissing, without.folder.join(MANIFEST), detail, fix);
    }

    /// The rule of git that leaves the memory of a brain out.
    fn ignoring_rule(&self, brain: &Brain) -> Option<IgnoringRule> {
        ignoring_rule(&*self.disk, &brain.root, self.user_home())
    }

    /// Looks whether the memory of a private project can be committed all the same.
    pub(super) fn examine_private(&self, brain: &Brain, found: &mut Findings) {
        let folder = repo::folder(&brain.root);
        if let Err(error) = self.home.check_sharing(brain) {
            let fix = error.fix().unwrap_or_default();
            found.add(Trouble::StoreUnreadable, &brain.folder, error.to_string(), fix);
        }
        if self.disk.stat(&folder).is_err() {
            return;
        }
        if brain.sharing == GitSharing::Committed
            && brain.place == StorePlace::Repo
            && repo::keeps_all_out(&*self.disk, &folder)
        {
            let detail = "the project shares its memory, and `.brainstem/.gitignore` leaves new files out of git: what is \
                          memorized from now on reaches no other clone";
            let fix = advice![
                calls::init_at(&brain.root),
                " writes the file anew where init wrote it; from one that a person wrote, remove the line `*`; then commit .brainstem"
            ];
            found.add(Trouble::SharedIgnored, folder.join(".gitignore"), detail, fix);
        } else if brain.sharing == GitSharing::Committed
            && brain.place == StorePlace::Repo
            && let Some(IgnoringRule { file, rule }) = self.ignoring_rule(brain)
        {
            let detail = format!(
                "the project shares its memory, and the rule `{rule}` leaves .brainstem, or a part of it, out of git: what is \
                 memorized reaches no other clone"
            );
            let fix = format!("remove the rule `{rule}` from {}, then commit .brainstem", word(&file));
            found.add(Trouble::SharedIgnored, file, detail, fix);
        }
        if brain.sharing != GitSharing::Private {
            return;
        }
        if git_layout::git_dir(&*self.disk, &brain.root).is_none() {
            return;
        }
        let root = word(&brain.root);
        match repo::exposed(&*self.disk, &folder) {
            Some(Exposed::Tracked) => {
                let detail = "the project is private, and git tracks files of .brainstem: what is committed stays in its history, and \
                              nothing more is written there";
                let fix = advice![
                    "if git may have all of it: ",
                    calls::init_shared_at(&brain.root),
                    "; if not: ",
                    calls::eject_at(&brain.root),
                    " takes the memory home; ",
                    Shell::line(format!("git -C {root} rm -r --cached .brainstem")),
                    " takes it out of git for everyone who pulls"
                ];
                found.add(Trouble::PrivateExposed, &folder, detail, fix);
            }
            // A rule beside git's own files keeps it out: that of `init --private` over memory that was committed.
            Some(Exposed::NotIgnored) if self.ignoring_rule(brain).is_some() => {}
            Some(Exposed::NotIgnored) => {
                let detail = "the project is private, and nothing keeps .brainstem out of git";
                found.add(Trouble::PrivateExposed, &folder, detail, calls::init_at(&brain.root));
            }
            None => {}
        }
    }

    /// Looks for claims that were live and are gone without a word: those that history or the acts know of.
    pub(super) fn examine_gone(
        &self,
        examined: &ExaminedStore,
        scan: &StoreScan,
        history: &HistoryScan,
        acts: &[Act],
        found: &mut Findings,
    ) {
        // Of a repository's store the copies say what is absent.
        if examined.store.paths().kept.is_some() {
            return;
        }
        // One deleted claim was meant to go. A store that lost all of its claims is damaged.
        let lost = if scan.files == 0 { examined.store.vanished().unwrap_or_default() } else { Vec::new() };
        let lost: BTreeSet<String> = lost.iter().map(ToString::to_string).collect();
        self.name_gone(Trouble::ClaimsGone, examined, lost, found);
        if examined.is_medulla {
            self.name_gone(Trouble::MedullaGone, examined, unexplained(scan, history, acts), found);
        }
    }

    /// Looks whether the folder of history is there. It is made with the store, so one that is missing was deleted; of a
    /// repository that was only read, this home has neither history nor copies, nor a log.
    pub(super) fn examine_past(&self, examined: &ExaminedStore, scan: &StoreScan, found: &mut Findings) {
        let paths = examined.store.paths();
        let is_gone =
            |path: &Path| self.disk.stat(path).is_err_and(|error| error.fault() == DiskFault::NotFound);
        if !is_gone(&paths.history) {
            return;
        }
        if let Some(kept) = paths.kept.as_deref().filter(|kept| is_gone(kept)) {
            // A home that only read the repository has no log of acts for it.
            let is_written = examined.store.logs().iter().skip(1).any(|log| !is_gone(log.path()));
            if is_written {
                let detail = "the folder is gone, and with it the versions before live claims and the copies of what was \
                              written here";
                let place = kept.parent().unwrap_or(kept);
                let fix = advice![
                    "restore ",
                    word(place),
                    " from a backup; ",
                    calls::init(),
                    " makes it anew, empty"
                ];
                found.add(Trouble::HistoryGone, place, detail, fix);
            }
            return;
        }
        let later = scan.claims.iter().filter(|stored| stored.claim.supersedes.is_some()).count();
        if later > 0 {
            let detail = format!(
                "the folder is gone, and versions that came before live claims were in it: {later} claims name one"
            );
            let fix = advice![
                "restore ",
                word(&paths.history),
                " from a backup; ",
                calls::bootstrap(),
                " makes it anew, empty"
            ];
            found.add(Trouble::HistoryGone, &paths.history, detail, fix);
        }
    }

    fn name_gone(
        &self,
        trouble: Trouble,
        examined: &ExaminedStore,
        gone: BTreeSet<String>,
        found: &mut Findings,
    ) {
        if gone.is_empty() {
            return;
        }
        let labels: Vec<String> = gone.iter().take(NAMED_MAX).map(|slug| format!("{slug:?}")).collect();
        let labels = match examined.whole {
            true => format!(": {}{}", labels.join(", "), if gone.len() > labels.len() { ", …" } else { "" }),
            false => String::new(),
        };
        let claims = &examined.store.paths().claims;
        let detail = format!(
            "{} on record {} not there, and nothing took {} away{labels}",
            if gone.len() == 1 { "1 claim".to_owned() } else { format!("{} claims", gone.len()) },
            if gone.len() == 1 { "is" } else { "are" },
            if gone.len() == 1 { "it" } else { "them" },
        );
        let tier = examined.is_medulla.then_some("medulla");
        let fix = advice![
            "restore the files in ",
            word(claims),
            " from a backup, or memorize what still holds; where they were deleted on purpose, ",
            calls::forget_for_good(calls::LABEL, tier),
            " puts that on record"
        ];
        found.add(trouble, claims, detail, fix);
    }
}

/// The claims of the medulla that an act brought there, that are neither live nor in history, and that no act took away.
fn unexplained(scan: &StoreScan, history: &HistoryScan, acts: &[Act]) -> BTreeSet<String> {
    let (mut brought, mut left) = (BTreeSet::new(), BTreeSet::new());
    for act in acts {
        match way_of(act.deed()) {
            MedullaPassage::In(slug) => drop(brought.insert(slug)),
            MedullaPassage::Out(slug) => drop(left.insert(slug)),
            MedullaPassage::Neither => {}
        }
    }
    let live: BTreeSet<&str> = scan.claims.iter().map(|stored| stored.id.as_str()).collect();
    let unreadable: BTreeSet<String> = scan
        .unreadable
        .iter()
        .filter_map(|bad| bad.path.file_name()?.to_str()?.split('.').next().map(str::to_owned))
        .collect();
    let past: BTreeSet<&str> = history.versions.iter().map(|(slug, _)| slug.as_str()).collect();
    brought.retain(|slug| {
        let slug = slug.as_str();
        !left.contains(slug) && !live.contains(slug) && !unreadable.contains(slug) && !past.contains(slug)
    });
    brought
}

/// Which way a claim went by a deed, by its slug.
enum MedullaPassage {
    /// It came into the medulla.
    In(String),
    /// It left its name, or the medulla.
    Out(String),
    /// It stayed, or it is no claim.
    Neither,
}

fn way_of(deed: &Deed) -> MedullaPassage {
    let slug = deed.upon().and_then(Mention::slug).map(ToString::to_string);
    match deed {
        Deed::Doctrine { .. } | Deed::Promote { .. } | Deed::Import { .. } => {
            slug.map_or(MedullaPassage::Neither, MedullaPassage::In)
        }
        Deed::Retract { .. } | Deed::Demote { .. } | Deed::Rename { .. } | Deed::Migrate { .. } => {
            slug.map_or(MedullaPassage::Neither, MedullaPassage::Out)
        }
        // The acts upon what was forgotten are upon its tombstone's name since.
        Deed::Forget { tombstone, .. } => MedullaPassage::Out(tombstone.name().to_owned()),
        Deed::Bootstrap { .. }
        | Deed::Affirm { .. }
        | Deed::Learn { .. }
        | Deed::Propose { .. }
        | Deed::Decline { .. }
        | Deed::Withdraw { .. }
        | Deed::Resolve { .. }
        | Deed::MigrateBegin { .. }
        | Deed::MigrateEnd { .. }
        | Deed::MigrateRollback { .. }
        | Deed::MigrateIn { .. }
        | Deed::MigrateBack { .. }
        | Deed::SweepRoot { .. }
        | Deed::UnsweepRoot { .. }
        | Deed::TakeUp { .. }
        | Deed::SetAside { .. }
        | Deed::BootSet { .. }
        | Deed::BootDelete { .. }
        | Deed::Delegate { .. }
        | Deed::Debrief { .. }
        | Deed::Debriefed { .. }
        | Deed::Violation { .. }
        | Deed::Unknown { .. } => MedullaPassage::Neither,
    }
}
