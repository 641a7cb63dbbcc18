//! Reads the stores raw, file by file, and holds them against what the children were told.

use crate::journal::{self, Answer};
use crate::{caller, journal_path, memory_at};
use brainstem_base::disk::RealDisk;
use brainstem_base::hash;
use brainstem_claims::act::{ActId, VersionRef};
use brainstem_claims::{Claim, ClaimSlug, Label, LightFile};
use brainstem_claims::{Confidence, State};
use brainstem_memory::limits::LIST_ROWS;
use brainstem_memory::{ListRequest, MemorizeRequest, Tier, TierUse, WriteTier};
use brainstem_testkit::TestHome;
use brainstem_vault::acts::codec;
use brainstem_vault::history::parse_version_name;
use brainstem_vault::store::STRIPES;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) acknowledged: usize,
    pub(crate) retractions: usize,
    pub(crate) unchanged: usize,
    pub(crate) refused: usize,
    pub(crate) busy: usize,
    pub(crate) versions: usize,
    pub(crate) labels: usize,
    pub(crate) temporary: usize,
    pub(crate) damaged_lines: usize,
    /// Answers that nothing on the disk bears out.
    pub(crate) lost: Vec<String>,
    /// Files that are no claims.
    pub(crate) torn: Vec<String>,
    /// Anything else that must not be.
    wrong: Vec<String>,
}

impl Findings {
    /// Fails with everything that is not as it must be.
    pub(crate) fn assert_sound(&self, kills: u64) {
        let show = |what: &[String]| what.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
        assert!(self.lost.is_empty(), "{} lost:\n{}", self.lost.len(), show(&self.lost));
        assert!(self.torn.is_empty(), "{} torn:\n{}", self.torn.len(), show(&self.torn));
        assert!(self.wrong.is_empty(), "{} wrong:\n{}", self.wrong.len(), show(&self.wrong));
        assert!(self.damaged_lines as u64 <= kills, "{} act lines for {kills} kills", self.damaged_lines);
        assert!(self.temporary as u64 <= kills, "{} temporary files for {kills} kills", self.temporary);
    }
}

/// Everything one store holds.
#[derive(Default)]
struct StoreRead {
    /// By `<slug>@<ms>`: the live file, the copies in history, and the text's hash.
    live: BTreeMap<String, Version>,
    history: BTreeMap<String, Vec<Version>>,
    /// The version each file in history holds, by its name.
    in_history: BTreeMap<String, String>,
    /// How often each act stands in the log, by id.
    acts: BTreeMap<String, usize>,
}

struct Version {
    name: String,
    sha256: String,
    supersedes: Option<String>,
    /// The file with its state set aside: what it says, wherever it lies.
    said: LightFile,
}

pub(crate) fn inspect(home: &TestHome, processes: u64) -> Findings {
    let mut found = Findings::default();
    let project = only_folder(&home.path().join("project-brains"));
    let stores = BTreeMap::from([
        ("project", read_store(&project, &mut found)),
        ("medulla", read_store(&home.path(), &mut found)),
    ]);
    for (tier, store) in &stores {
        check_versions(tier, store, &mut found);
    }
    let mut taken_back = BTreeSet::new();
    for index in 0..processes {
        for answer in journal::read(&journal_path(home, index)) {
            check_answer(&stores, &answer, &mut taken_back, &mut found);
        }
    }
    found
}

fn read_store(folder: &Path, found: &mut Findings) -> StoreRead {
    let mut store = StoreRead::default();
    let claims = folder.join("agent-memory");
    for (name, version, claim) in read_folder(&claims, found) {
        let slug = name.strip_suffix(".light.md").and_then(ClaimSlug::parse);
        let Some(slug) = slug.filter(|slug| is_slug_of(slug, &claim)) else {
            found.wrong.push(format!("the live name {name} is not that of {:?}", claim.label));
            continue;
        };
        found.labels += 1;
        store.live.insert(VersionRef::of(&slug, &claim).to_string(), version);
    }
    for (name, version, claim) in read_folder(&claims.join(".history"), found) {
        let Some((slug, _)) = parse_version_name(&name).filter(|(slug, _)| is_slug_of(slug, &claim)) else {
            found.wrong.push(format!("the version's name {name} is not that of {:?}", claim.label));
            continue;
        };
        let subject = VersionRef::of(&slug, &claim).to_string();
        store.in_history.insert(name, subject.clone());
        store.history.entry(subject).or_default().push(version);
    }
    let log = std::fs::read(folder.join("acts.jsonl")).unwrap_or_default();
    for line in log.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
        match codec::read(line) {
            Some(act) => *store.acts.entry(act.id().to_string()).or_default() += 1,
            None => found.damaged_lines += 1,
        }
    }
    store
}

fn read_folder(dir: &Path, found: &mut Findings) -> Vec<(String, Version, Claim)> {
    let mut read = Vec::new();
    for entry in std::fs::read_dir(dir).expect("the folder of a store") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a name we gave");
        if name.starts_with(".tmp-") {
            found.temporary += 1;
            continue;
        }
        if entry.file_type().expect("a type").is_dir() {
            continue;
        }
        match Claim::parse(&std::fs::read(entry.path()).expect("a readable file")) {
            Ok(claim) => {
                let version = Version {
                    name: name.clone(),
                    sha256: hash::sha256_hex(claim.text.as_bytes(), 64),
                    supersedes: claim.supersedes.clone(),
                    said: claim.outdated(),
                };
                read.push((name, version, claim));
            }
            Err(fault) => found.torn.push(format!("{}: {fault}", entry.path().display())),
        }
    }
    read
}

fn is_slug_of(slug: &ClaimSlug, claim: &Claim) -> bool {
    Label::parse(&claim.label).is_ok_and(|label| ClaimSlug::of(&label) == *slug)
}

/// A version has one stamp of its own and one place, and what it says it replaced is there.
fn check_versions(tier: &str, store: &StoreRead, found: &mut Findings) {
    for (name, copies) in &store.history {
        if let [first, second, ..] = copies.as_slice() {
            found.wrong.push(format!("{tier} {name}: two versions, {} and {}", first.name, second.name));
        }
    }
    for (name, live) in &store.live {
        // A change that was cut off may leave a copy of what is still live; then it says the same.
        if store.history.get(name).is_some_and(|copies| copies.iter().any(|copy| copy.said != live.said)) {
            found.wrong.push(format!("{tier} {name}: live and history differ under one stamp"));
        }
    }
    let exists = |name: &str| store.live.contains_key(name) || store.history.contains_key(name);
    for version in store.live.values().chain(store.history.values().flatten()) {
        if let Some(before) = version.supersedes.as_deref().filter(|before| !exists(before)) {
            found.wrong.push(format!("{tier} {} supersedes {before}, which is nowhere", version.name));
        }
    }
    let names: BTreeSet<&String> = store.live.keys().chain(store.history.keys()).collect();
    found.versions += names.len();
    for (id, times) in store.acts.iter().filter(|(_, times)| **times != 1) {
        found.wrong.push(format!("{tier}: the act {id} stands {times} times in the log"));
    }
}

fn check_answer(
    stores: &BTreeMap<&str, StoreRead>,
    answer: &Answer,
    taken_back: &mut BTreeSet<(String, String)>,
    found: &mut Findings,
) {
    match answer {
        Answer::Memorized { tier, slug, created, sha256, unchanged } => {
            found.acknowledged += 1;
            found.unchanged += usize::from(*unchanged);
            let (store, name) = (&stores[tier.as_str()], format!("{slug}@{created}"));
            let live = store.live.get(&name).into_iter();
            let mut places = live.chain(store.history.get(&name).into_iter().flatten());
            if !places.any(|version| version.sha256 == *sha256) {
                found.lost.push(format!("{tier} {name}: the text {sha256} is in neither live nor history"));
            }
        }
        Answer::Retracted { tier, slug, name } => {
            found.acknowledged += 1;
            found.retractions += 1;
            let store = &stores[tier.as_str()];
            let Some(subject) = store.in_history.get(name) else {
                found.lost.push(format!("{tier} {slug}: taken back, but {name} is not in history"));
                return;
            };
            if store.acts.get(ActId::of("retract", subject).as_str()) != Some(&1) {
                found.lost.push(format!("{tier} {subject}: taken back without an act"));
            }
            if store.live.contains_key(subject) {
                found.wrong.push(format!("{tier} {subject}: taken back and still live"));
            }
            if !taken_back.insert((tier.clone(), subject.clone())) {
                found.wrong.push(format!("{tier} {subject}: taken back twice"));
            }
        }
        Answer::Refused { code } => {
            found.refused += 1;
            found.busy += usize::from(code == "store.busy");
        }
    }
}

/// No lock outlived its process, and no leftover is in the way of the next write or listing.
pub(crate) fn every_stripe_still_takes_a_write(home: &TestHome) {
    let memory = memory_at(&home.path(), Arc::new(RealDisk));
    let caller = caller("human:ana", &home.cherry());
    let memorize = |label: String, tier: &str| {
        let request = MemorizeRequest {
            label,
            text: "written after the storm".into(),
            confidence: Some(Confidence::parse("1").expect("a confidence")),
            state: Some(State::Verified),
            tier: WriteTier::parse(TierUse::Memorize, Some(tier)).expect("a tier"),
            ..MemorizeRequest::default()
        };
        memory.memorize(&caller, &request).expect("a quiet store takes a write");
    };
    for tier in ["project", "medulla"] {
        let mut left: BTreeSet<u8> = (0..STRIPES).collect();
        for n in 0.. {
            let label = format!("probe {n}");
            let slug = ClaimSlug::of(&Label::parse(&label).expect("a label"));
            if left.remove(&(hash::sha256(slug.as_str().as_bytes())[0] % STRIPES)) {
                memorize(label, tier);
            }
            if left.is_empty() {
                break;
            }
        }
    }
    let request = ListRequest {
        tier: Tier::Both,
        limit: *LIST_ROWS.end(),
        filter: brainstem_memory::Filter::default(),
        cursor: None,
    };
    let listed = memory.list(&caller, &request).expect("a store can be listed");
    assert!(listed.gaps.is_empty(), "{:?}", listed.gaps);
    // What was live before is still open to a write of its own label, cut-off changes included.
    for row in listed.rows {
        memorize(row.label, row.tier);
    }
    let mut after = Findings::default();
    for folder in [only_folder(&home.path().join("project-brains")), home.path()] {
        check_versions("afterwards", &read_store(&folder, &mut after), &mut after);
    }
    assert_eq!((after.torn, after.wrong), (Vec::new(), Vec::new()));
}

fn only_folder(dir: &Path) -> PathBuf {
    let mut entries = std::fs::read_dir(dir).expect("the brains of a home");
    let only = entries.next().expect("one brain").expect("an entry").path();
    assert!(entries.next().is_none(), "one project has one brain");
    only
}
