//! One store: its claims, its history, its log and its locks.

use super::examined_store::{Birth, ExaminedStore, StoreCount, age_ms, found_returned, or_unreadable};
use super::finding::{Findings, Trouble, word};
use super::forgotten_acts::examine_forgotten_acts;
use super::mixed::FindMixed;
use crate::caller::secrets::Floor;
use crate::limits::{IN_FLIGHT_MS_MAX, MEDULLA_HARD_CAP};
use crate::promotion::stamps::stamps_in;
use crate::reading::misnamed::Misnamed;
use crate::reading::row::{calls_itself_doctrine, label_of, reason_of};
use crate::reading::several_claims::several_claims;
use crate::record::verdicts::Verdicts;
use crate::service::Memory;
use brainstem_base::disk::FileKind;
use brainstem_base::next::{Placeholder, calls};
use brainstem_base::{Advice, advice};
use brainstem_claims::act::{Act, Deed, VersionRef};
use brainstem_claims::folds::delegations::{Delegation, DelegationState};
use brainstem_claims::folds::tombstones::ForgottenWhere;
use brainstem_claims::undecided_file::UndecidedSide;
use brainstem_claims::{Claim, ClaimSlug};
use brainstem_vault::StorePaths;
use brainstem_vault::came_back::Renames;
use brainstem_vault::checkup::{self, HistoryScan};
use brainstem_vault::history::{ExitReason, PastVersion};
use brainstem_vault::home::MEDULLA_SOFT_CAP;
use brainstem_vault::scan::{StoreScan, StoredClaim};
use brainstem_vault::tombstones::Tombstones;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

impl Memory {
    /// Looks over a store; answers how much it holds and its youngest birth.
    pub(super) fn examine_store(
        &self,
        examined: &ExaminedStore,
        find_mixed: FindMixed,
        found: &mut Findings,
    ) -> (Option<StoreCount>, Option<Birth>) {
        let paths = examined.store.paths().clone();
        let mut inside = Findings::default();
        let sound =
            if examined.is_medulla { self.home.check_medulla() } else { examined.store.check_real_folders() };
        if or_unreadable(sound, &paths, &mut inside).is_none() {
            found.add_store(inside, &paths.claims, examined.whole);
            return (None, None);
        }
        let scan = or_unreadable(examined.store.scan(), &paths, &mut inside);
        let history = or_unreadable(checkup::history(&*self.disk, &paths.history), &paths, &mut inside);
        let acts = or_unreadable(examined.store.acts().read(), &paths, &mut inside);
        if let Some(scan) = &scan {
            let told = acts.as_ref().map_or(&[][..], |acts| &acts.acts);
            self.examine_claims(scan, &paths, told, &mut inside);
            Self::examine_renames(scan, &mut inside);
            self.examine_checkout(examined, scan, &mut inside);
            if !examined.is_medulla {
                examine_doctrine(scan, &mut inside);
            }
            if examined.is_medulla {
                let verdicts = acts.as_ref().map(|acts| Verdicts::of(&acts.acts));
                let sorted = self.examine_mixed(examined, find_mixed, &mut inside);
                examine_medulla(scan, &sorted, &paths, verdicts.as_ref(), &mut inside);
                for copy in self.copies_taken_back(&scan.claims) {
                    let detail = format!("{:?} is shared with every project: {}", copy.label, copy.reason);
                    let fix = advice![
                        calls::learn_wrong(&copy.label),
                        " takes it out, and so does ",
                        calls::consolidate_apply(),
                        "; if it still holds, write it down in its project and promote that"
                    ];
                    inside.add(Trouble::MedullaWitnessRetracted, copy.path, detail, fix);
                }
            }
        }
        if let (Some(scan), Some(history)) = (&scan, &history) {
            let acts = acts.as_ref().map_or(&[][..], |acts| &acts.acts);
            self.examine_history(examined, scan, history, acts, &mut inside);
            self.examine_gone(examined, scan, history, acts, &mut inside);
            self.examine_past(examined, scan, &mut inside);
            let verdicts = Verdicts::of(acts);
            Self::examine_came_back(examined, scan, &verdicts, &mut inside);
            examine_forgotten(scan, &examined.store.tombstones(), verdicts.renames(), &mut inside);
            let live = scan.claims.iter().map(|stored| (stored.id.as_str(), &stored.claim));
            let past = history.versions.iter().map(|(slug, past)| (slug.as_str(), &past.claim));
            examine_forgotten_acts(&paths.acts, acts, live.chain(past), &mut inside);
        }
        if let Some(acts) = &acts {
            self.examine_debriefs(&acts.acts, &paths, &mut inside);
        }
        // Of a repository's store there is a second log, under the home.
        for log in examined.store.logs() {
            let Some(count) = log.read().ok().map(|acts| acts.damaged_lines).filter(|count| *count > 0)
            else {
                continue;
            };
            let detail = format!(
                "{count} of its lines are no acts: torn by a power cut, or written by something else"
            );
            let fix = format!("look at the lines of {} that are not JSON and remove them", word(log.path()));
            // It names no claim.
            found.add(Trouble::ActsDamaged, log.path(), detail, fix);
        }
        self.examine_store_reach(examined, found);
        self.examine_index(examined, found);
        for lock in self.disk.stopped_locks(&paths.locks) {
            let detail =
                format!("process {} holds it and was stopped: writes to this store wait for it", lock.pid);
            found.add(Trouble::LockStopped, lock.path, detail, format!("kill -CONT {}", lock.pid));
        }
        let born =
            scan.as_ref().and_then(|scan| scan.claims.iter().filter_map(|stored| stored.claim.created).max());
        found.add_store(inside, &paths.claims, examined.whole);
        let copies = match examined.is_gone {
            true => examined.store.labels_absent().map_or(0, |absent| absent.len()),
            false => 0,
        };
        let count = scan.map(|scan| StoreCount {
            store: examined.name.clone(),
            root: examined.root.clone(),
            claims: scan.files.saturating_sub(scan.unreadable.len()) + copies,
            unreadable: scan.unreadable.len(),
            versions: history.map_or(0, |history| self.version_count(examined, &scan, &history))
                + examined.store.past_copies().unwrap_or_default(),
            acts: acts.map_or(0, |acts| acts.acts.len()),
            beats: examined.beats,
        });
        (count, born.map(|born| (born, paths.claims)))
    }

    /// Names the delegations whose debrief was cut off, once no call can be at it any more.
    fn examine_debriefs(&self, acts: &[Act], paths: &StorePaths, found: &mut Findings) {
        let now = self.clock.now();
        for delegation in Delegation::all(acts, now) {
            let Some(debrief) = &delegation.debrief else { continue };
            let is_begun_lately = now.ms().saturating_sub(debrief.at.ms()) < IN_FLIGHT_MS_MAX;
            if delegation.standing != DelegationState::Unfinished || delegation.is_foreign || is_begun_lately
            {
                continue;
            }
            let detail = format!(
                "the outcome of {} was recorded by {} at {}, and not all of its findings are remembered",
                delegation.id,
                debrief.by,
                debrief.at.to_words()
            );
            let fix = advice![
                "repeat ",
                calls::debrief(delegation.id.to_string()),
                " with the same report: the repeat completes it"
            ];
            found.add(Trouble::DebriefUnfinished, &paths.acts, detail, fix);
        }
    }

    /// What a finding says of a link in the place of a claim. The words of a file outside the store are no claim: in a
    /// repository any committer can write a link to a file of the reader that pulls it.
    fn link_words(&self, path: &std::path::Path, paths: &StorePaths) -> (String, String) {
        let target = self.disk.canonical(path).ok();
        let detail = match &target {
            Some(target) => format!("it is a symbolic link to `{}`, which is not followed", target.display()),
            None => "it is a symbolic link to nothing, and is not followed".to_owned(),
        };
        let is_inside = target.is_some_and(|target| target.starts_with(&paths.claims));
        let fix = match (is_inside, paths.kept.is_some()) {
            (false, true) => {
                format!("remove the link {}: a commit of what it leads to would publish that", word(path))
            }
            (true, _) | (_, false) => format!("put a copy of the file in place of the link {}", word(path)),
        };
        (detail, fix)
    }

    fn examine_claims(&self, scan: &StoreScan, paths: &StorePaths, acts: &[Act], found: &mut Findings) {
        let mend = |path: &std::path::Path| format!("open {}, mend it or move it aside", word(path));
        for bad in &scan.unreadable {
            let is_link = self.disk.stat(&bad.path).is_ok_and(|stat| stat.kind == FileKind::Link);
            if is_link {
                let (detail, fix) = self.link_words(&bad.path, paths);
                found.add(Trouble::ClaimLink, &bad.path, detail, fix);
            } else {
                let fix = bad.merge_anew().unwrap_or_else(|| mend(&bad.path).into());
                found.add(Trouble::ClaimUnreadable, &bad.path, bad.why.clone(), fix);
            }
        }
        for bad in &scan.folders {
            let fix = format!("move the folder {} aside", word(&bad.path));
            found.add(Trouble::ClaimFolder, &bad.path, "a folder has the name of a claim", fix);
        }
        let floor = self.floor();
        let names: BTreeSet<&str> = scan.claims.iter().map(|stored| stored.id.as_str()).collect();
        let mut labels: BTreeMap<&str, &StoredClaim> = BTreeMap::new();
        for stored in &scan.claims {
            examine_secret(&floor, stored, found);
            match stored.side {
                Some(UndecidedSide::OURS) => {
                    let (detail, fix) = undecided_words(stored, scan, acts);
                    found.add(Trouble::MergeUndecided, &stored.path, detail, fix);
                    continue;
                }
                Some(_) => continue,
                None => {}
            }
            if let Some(first) = labels.insert(stored.claim.label.trim(), stored) {
                let detail = format!("{:?} is in `{}` too", stored.claim.label, first.path.display());
                let fix = "keep the file that holds, and move the other one aside";
                found.add(Trouble::LabelTwice, &stored.path, detail, fix);
                continue;
            }
            let is_taken = |slug: &ClaimSlug| names.contains(slug.as_str());
            if let Some(Misnamed { detail, fix }) = Misnamed::of(&floor, &paths.claims, stored, is_taken) {
                found.add(Trouble::ClaimMisnamed, &stored.path, detail, fix);
            }
        }
    }

    /// Looks for claims that live under two names: a renaming was cut off before it took the old one away.
    fn examine_renames(scan: &StoreScan, found: &mut Findings) {
        let mut born: HashMap<i64, Vec<&StoredClaim>> = HashMap::new();
        for stored in scan.claims.iter().filter(|stored| stored.side.is_none()) {
            born.entry(stored.claim.created.map_or(0, |at| at.ms())).or_default().push(stored);
        }
        for twins in born.into_values().filter(|twins| twins.len() > 1) {
            for new in &twins {
                let old = twins.iter().find(|old| old.id != new.id && new.claim.follows(&old.claim));
                if let Some(old) = old {
                    let (from, to) = (&old.claim.label, &new.claim.label);
                    let detail =
                        format!("a renaming of {from:?} to {to:?} was cut off: it lives under both names");
                    let fix = advice![calls::rename(from, to), " completes it"];
                    found.add(Trouble::RenameInterrupted, &old.path, detail, fix);
                }
            }
        }
    }

    /// Looks for live files under a name that their claim had before it was renamed.
    fn examine_came_back(
        examined: &ExaminedStore,
        scan: &StoreScan,
        verdicts: &Verdicts,
        found: &mut Findings,
    ) {
        let cut_off = examined.store.cut_off_renames().unwrap_or_default();
        for stored in scan.claims.iter().filter(|stored| stored.side.is_none()) {
            let Some(slug) = ClaimSlug::parse(&stored.id) else { continue };
            if cut_off.iter().any(|pair| pair.from == slug)
                || examined.store.came_back_from_history(&slug, &stored.claim)
            {
                continue;
            }
            let back = verdicts.renames().came_back(&examined.store, &slug, &stored.claim);
            let Some(Some(back)) = or_unreadable(back, examined.store.paths(), found) else { continue };
            let label = &stored.claim.label;
            let (detail, fix) = match (back.renamed_to, &back.retraction) {
                (Some(to), retraction) => {
                    let to = label_of(&examined.store, &to);
                    let then = retraction.as_ref().map(|act| format!(" and retracted: {}", reason_of(act)));
                    let then = then.unwrap_or_default();
                    let fix = advice![
                        calls::show(&to),
                        " shows what the claim says; then ",
                        calls::retract(label, calls::REASON)
                    ];
                    (format!("{label:?} came back after its claim was renamed to {to:?}{then}"), fix)
                }
                (None, Some(act)) => {
                    let reason = reason_of(act);
                    let detail = format!(
                        "{label:?} came back after it was retracted here under an earlier label: {reason}"
                    );
                    (detail, "memorize what holds, or retract it".into())
                }
                (None, None) => {
                    let detail = format!(
                        "{label:?} came back after a later version was written here under an earlier label"
                    );
                    (detail, "memorize what holds, or retract it".into())
                }
            };
            found.add(Trouble::ClaimResurrected, &stored.path, detail, fix);
        }
    }

    /// How many versions there are in history: the stamp of a promotion makes none, nor does a second name.
    fn version_count(&self, examined: &ExaminedStore, scan: &StoreScan, history: &HistoryScan) -> usize {
        let left = examined.store.left_in_history(None).unwrap_or_default();
        let stamps = stamps_in(scan, history);
        let is_left = |version: &PastVersion| left.iter().any(|left| left.path == version.path);
        let versions = history.versions.iter().map(|(_, version)| version);
        versions.filter(|version| !stamps.contains(version.path.as_path()) && !is_left(version)).count()
    }

    fn examine_history(
        &self,
        examined: &ExaminedStore,
        scan: &StoreScan,
        history: &HistoryScan,
        acts: &[Act],
        found: &mut Findings,
    ) {
        // A decision between two versions may have been for the older one.
        let sides = |act: &Act| match act.deed() {
            Deed::Resolve { ours, theirs, .. } => {
                [ours, theirs].map(|side| side.as_ref()?.version().cloned())
            }
            _ => [None, None],
        };
        let decided: HashSet<VersionRef> = acts.iter().flat_map(sides).flatten().collect();
        for bad in &history.unreadable {
            let fix = format!("restore {} from a backup, or move it aside", word(&bad.path));
            found.add(Trouble::VersionUnreadable, &bad.path, bad.why.clone(), fix);
        }
        let live: HashMap<&str, &Claim> = scan
            .claims
            .iter()
            .filter(|stored| stored.side.is_none())
            .map(|stored| (stored.id.as_str(), &stored.claim))
            .collect();
        let mut named = HashSet::new();
        for (slug, version) in &history.versions {
            let Some(now) = live.get(slug.as_str()) else { continue };
            let is_copy = match version.exit {
                ExitReason::Superseded => version.claim.file == now.outdated(),
                ExitReason::Retracted | ExitReason::Moved => version.claim.file == now.file,
            };
            let age_ms =
                || self.disk.stat(&version.path).map_or(0, |stat| age_ms(self.clock.now(), stat.modified_ns));
            if is_copy {
                // A change that runs now has just made its copy; one that came back has its own finding.
                let came_back = examined.store.came_back_from_history(slug, now);
                if came_back && examined.store.paths().kept.is_none() && named.insert(slug) {
                    found_returned(&examined.store, slug, now, &examined.store.live_path(slug), found);
                } else if age_ms() > IN_FLIGHT_MS_MAX && !came_back {
                    let detail =
                        format!("a change of {:?} was cut off after it copied the live version", now.label);
                    let fix =
                        "repeat the change, or memorize the label again: the copy is then used or removed";
                    found.add(Trouble::ChangeInterrupted, &version.path, detail, fix);
                }
            } else if version.claim.created > now.created
                // What was written under a clock that ran ahead stays younger, whatever is memorized today.
                && version.claim.created <= Some(self.clock.now())
                && now.created.is_some()
                && !decided.contains(&VersionRef::of(slug, &version.claim))
                && !now.lineage().covers(&version.claim)
            {
                let detail = format!(
                    "it is younger than the live version of {:?}: a clock went back, or an old file was restored",
                    now.label
                );
                let fix = advice!["compare the two (", calls::show(&now.label), "), and memorize what holds"];
                found.add(Trouble::VersionNewer, &version.path, detail, fix);
            }
        }
    }
}

/// Looks for claims that were forgotten and are back: by a pull, a checkout, or a restored backup.
fn examine_forgotten(scan: &StoreScan, tombstones: &Tombstones, renames: &Renames, found: &mut Findings) {
    for stored in &scan.claims {
        let label = &stored.claim.label;
        let forgotten = match ClaimSlug::parse(&stored.id) {
            Some(slug) => renames.forgotten(tombstones, &slug, &stored.claim),
            None => tombstones.forgotten(&stored.claim),
        };
        match forgotten {
            None => {}
            Some(ForgottenWhere::Here) => {
                let detail = format!("{label:?} was forgotten and came back");
                let fix = advice![
                    calls::forget_for_good(label, None::<&str>),
                    ", then commit its removal where git has it"
                ];
                found.add(Trouble::ClaimForgotten, &stored.path, detail, fix);
            }
            Some(ForgottenWhere::Elsewhere) => {
                let detail = format!(
                    "{label:?} is live, and was forgotten in another clone, which only the repository's log says"
                );
                let fix = advice![
                    "git log names the commit that brought that line; ",
                    calls::show(label),
                    " shows the claim, and what holds is memorized anew"
                ];
                found.add(Trouble::ForgottenElsewhere, &stored.path, detail, fix);
            }
        }
    }
}

/// Looks at the size of the medulla, and for claims that say nothing of the project they belong to. Names the files of
/// a project that say they are doctrine.
fn examine_doctrine(scan: &StoreScan, found: &mut Findings) {
    for stored in scan.claims.iter().filter(|stored| calls_itself_doctrine(&stored.claim)) {
        let detail =
            format!("{:?} says that it is doctrine, which no claim of a project is", stored.claim.label);
        let fix = "find out with git log which commit brought it; memorize what holds, or retract it";
        found.add(Trouble::ClaimCallsItselfDoctrine, &stored.path, detail, fix);
    }
}

fn examine_medulla(
    scan: &StoreScan,
    sorted: &HashSet<String>,
    paths: &StorePaths,
    verdicts: Option<&Verdicts>,
    found: &mut Findings,
) {
    let detail = format!(
        "{} claims; it is an index and not a warehouse, and should hold fewer than {MEDULLA_SOFT_CAP}",
        scan.files
    );
    let fix = advice![calls::consolidate(), " says what can go; retract what is not for every project"];
    match scan.files {
        files if files >= MEDULLA_HARD_CAP => found.add(Trouble::MedullaOverfull, &paths.claims, detail, fix),
        files if files >= MEDULLA_SOFT_CAP => found.add(Trouble::MedullaFull, &paths.claims, detail, fix),
        _ => {}
    }
    for stored in scan.claims.iter().filter(|stored| !sorted.contains(&stored.id)) {
        let claim = &stored.claim;
        let is_known = match claim.origin_brain.as_deref() {
            Some("medulla") => true,
            Some(_) => claim.origin_claim.is_some(),
            None => false,
        };
        if stored.side.is_some_and(|side| side != UndecidedSide::OURS) {
            continue;
        }
        // A log that could not be read is a finding of its own, and says nothing about any claim.
        let is_explained = verdicts.is_none_or(|it| it.accounts().explain(&stored.id, claim));
        if !is_known {
            let detail = format!("{:?} does not say where it came from", claim.label);
            let fix = advice![
                "read ",
                word(&stored.path),
                "; memorize it again if it is doctrine, or say where it belongs: ",
                calls::migrate_decide(Placeholder("LABEL=BRAIN"))
            ];
            found.add(Trouble::MedullaOriginUnknown, &stored.path, detail, fix);
        } else if !is_explained {
            let detail = format!("no recorded act says how {:?} came into the medulla", claim.label);
            let fix = advice![
                "read ",
                word(&stored.path),
                "; if it is doctrine, memorize it again (",
                calls::reaffirm_doctrine(&claim.label),
                "), or move it aside"
            ];
            found.add(Trouble::MedullaUnaccounted, &stored.path, detail, fix);
        }
    }
}

/// Names the file of a claim that carries a secret, or its folder if the name of the file is the secret.
fn examine_secret(floor: &Floor, stored: &StoredClaim, found: &mut Findings) {
    let names = [stored.id.as_str(), stored.claim.label.as_str()];
    let named = names.iter().find_map(|name| floor.check_name("label", name).err());
    if let (Some(fault), Some(folder)) = (named, stored.path.parent()) {
        let detail = format!(
            "the name or the label of a file in it is a secret ({}, rule {}): no verb takes that name",
            fault.kind.name, fault.kind.id
        );
        let fix = format!(
            "in {} give that file another name and another label in its line Node, then forget that label; change the secret where it is used",
            word(folder)
        );
        found.add(Trouble::ClaimSecret, folder, detail, fix);
    } else if let Some(carried) = floor.carried(&stored.claim) {
        let detail = format!(
            "it carries a secret ({}, rule {}), so that recall holds it back",
            carried.kind.name, carried.kind.id
        );
        let fix = advice![
            "take it out of ",
            word(&stored.path),
            ", or ",
            calls::forget_for_good(&stored.claim.label, None::<&str>)
        ];
        found.add(Trouble::ClaimSecret, &stored.path, detail, fix);
    }
}

/// What a finding says of versions that wait for a decision, and what decides.
pub(super) fn undecided_words(stored: &StoredClaim, scan: &StoreScan, acts: &[Act]) -> (String, Advice) {
    let sides = scan.claims.iter().filter(|side| side.id == stored.id);
    let sides: Vec<&Claim> = sides.map(|side| &side.claim).collect();
    let detail = format!("several versions of {:?} wait for a decision", stored.claim.label);
    let mut fix = advice![
        calls::resolve(),
        " lists them; ",
        calls::resolve_take(calls::LABEL, calls::SIDE),
        " decides, with ours, theirs or an author"
    ];
    if let Some(told) = several_claims(&stored.id, &sides, acts) {
        fix.push(advice!["; ", told]);
    }
    (detail, fix)
}
