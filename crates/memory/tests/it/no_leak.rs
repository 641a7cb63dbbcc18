//! What one project says stays in it; and memory that exists is never called absent.

use crate::index::{Letters, with_letters};
use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, claim, clock, code, doctrine, files_below,
    service, service_at, two_repositories,
};
use brainstem_base::Coded as _;
use brainstem_base::disk::{Disk as _, RealDisk, SimDisk};
use brainstem_memory::{
    Caller, DelegateRequest, MemorizeRequest, Memory, RetractRequest, Row, Tier, TierUse, WriteTier,
};
use brainstem_testkit::cases;
use brainstem_vault::Brain;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// A project in a folder that can be moved away with what is around it.
const DEEP: &str = "/src/deep/cherry";
const SENTINEL: &str = "the heron lands at dawn";

/// A process that has just started.
fn fresh(disk: &SimDisk) -> Memory {
    service(Arc::new(disk.clone()), &clock())
}

fn two_brains(disk: &SimDisk) -> (Brain, Brain) {
    let begin = |root| fresh(disk).begin(&caller(MAKER, root)).unwrap().brain;
    (begin(CHERRY), begin(PLUM))
}

#[test] // spec: MEM-21, MEM-16, MEM-11
fn the_probe_a_claim_is_found_at_once_at_home_and_nowhere_else() {
    let disk = two_repositories();
    let (cherry_brain, plum_brain) = two_brains(&disk);
    let (cherry, plum) = (caller(MAKER, CHERRY), caller(MAKER, PLUM));
    fresh(&disk).tell(&plum, "Colour", "blue").unwrap();
    fresh(&disk).memorize(&caller(PERSON, PLUM), &doctrine("Tabs", "use tabs")).unwrap();
    let others = |disk: &SimDisk| {
        let mut files = files_below(disk, &plum_brain.folder);
        files.extend(files_below(disk, Path::new(HOME).join("agent-memory")));
        files.extend(files_below(disk, Path::new(HOME).join("acts.jsonl")));
        files
    };
    let before = others(&disk);
    assert!(before.len() >= 6, "{before:?}");

    let told = fresh(&disk).tell(&cherry, "Sentinel", SENTINEL).unwrap();
    assert_eq!(told.path, cherry_brain.store_paths().claims.join("sentinel.light.md"));
    assert_eq!(told.tier, "project");

    let at_home = fresh(&disk);
    assert_eq!(at_home.find(&cherry, "heron dawn", Tier::Both).rows[0].text, SENTINEL);
    assert_eq!(at_home.find(&cherry, "heron dawn", Tier::Project).rows[0].text, SENTINEL);
    assert_eq!(at_home.beat(&cherry, "heron").memory[0].text, SENTINEL);
    assert!(at_home.all(&cherry).rows.iter().any(|row| row.text == SENTINEL));
    assert_eq!(at_home.look_at(&cherry, "Sentinel", Tier::Both).unwrap().claim.unwrap().text, SENTINEL);

    let elsewhere = fresh(&disk);
    for tier in [Tier::Both, Tier::Project, Tier::Medulla] {
        let sought = elsewhere.find(&plum, "Sentinel heron dawn lands", tier);
        assert!(!format!("{sought:?}").contains("heron"), "{tier:?}: {sought:?}");
        assert!(!format!("{sought:?}").contains("cherry"), "{tier:?}: {sought:?}");
        assert_eq!(code(elsewhere.look_at(&plum, "Sentinel", tier)), "claim.not_found");
    }
    for task in ["Sentinel heron dawn lands", "", "something else"] {
        let beat = format!("{:?}", elsewhere.beat(&plum, task).memory);
        assert!(!beat.contains("heron") && !beat.contains("cherry"), "{beat}");
    }
    assert!(!format!("{:?}", elsewhere.all(&plum)).contains("heron"));
    let seeded =
        DelegateRequest { seeds: vec!["Sentinel".into()], task: "heron dawn".into(), ..Default::default() };
    assert_eq!(
        code(elsewhere.delegate(&plum, &seeded, &|packet| packet)),
        "claim.not_found",
        "a seed is no way to another brain"
    );
    // Not even the refusal for a label that is nearly right names it.
    let refused = elsewhere.look_at(&plum, "Sentinels", Tier::Both).unwrap_err();
    assert!(!format!("{refused:?}").contains("\"Sentinel\""), "{refused:?}");
    assert_eq!(before, others(&disk), "the other store and the medulla are as they were");

    let again = fresh(&disk).tell(&cherry, "Sentinel", "the heron lands at noon").unwrap();
    assert_eq!(again.path, told.path, "superseded in place");
    let original = again.history.unwrap();
    assert_eq!(original.parent(), Some(cherry_brain.store_paths().history.as_path()));
    assert!(String::from_utf8_lossy(&disk.dump()[&original]).contains(SENTINEL));
    assert_eq!(before, others(&disk));
}

/// A few words that meet often, so that ranks are contested, and any text besides.
fn any_text() -> impl Strategy<Value = String> {
    let word = proptest::sample::select(vec![
        "retry",
        "cache",
        "deploy",
        "the",
        "policy",
        "größe",
        "日本",
        "Sentinel",
        "parseHTTP",
        "x_y",
    ]);
    let sentence = proptest::collection::vec(word, 1..6).prop_map(|words| words.join(" "));
    prop_oneof![3 => sentence, 1 => any::<String>()]
}

fn any_claims() -> impl Strategy<Value = Vec<(String, String)>> {
    proptest::collection::vec((any_text(), any_text()), 0..8)
}

fn render_all(memory: &Memory, root: &str, claims: &[(String, String)]) {
    for (label, text) in claims {
        // A label that is empty, or that shares its file name with another, is refused.
        let _ = memory.tell(&caller(MAKER, root), label, text);
    }
}

/// What a row is and what it is worth.
fn ranks(rows: &[Row]) -> Vec<(String, String, String)> {
    rows.iter()
        .map(|row| (row.path.display().to_string(), row.text.clone(), format!("{:?}", row.why)))
        .collect()
}

/// What a child would be given.
fn packet(memory: &Memory, caller: &Caller, task: &str) -> Vec<(String, String, String)> {
    let request = DelegateRequest { task: task.into(), budget_tokens: 1_200, ..DelegateRequest::default() };
    // A task of blanks is refused, with and without other brains.
    memory
        .delegate(caller, &request, &|packet| packet)
        .map(|packet| ranks(&packet.memory))
        .unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(64)))]

    #[test] // spec: MEM-21, MEM-22
    fn no_brain_sees_another_or_moves_its_ranks(
        ours in any_claims(), theirs in any_claims(), doctrines in any_claims(), query in any_text()
    ) {
        let disk = two_repositories();
        let (cherry_brain, _) = two_brains(&disk);
        let memory = fresh(&disk);
        render_all(&memory, CHERRY, &ours);
        for (label, text) in &doctrines {
            let _ = memory.memorize(&caller(PERSON, CHERRY), &doctrine(label, text));
        }
        let cherry = caller(MAKER, CHERRY);
        let answers = |memory: &Memory| {
            let both = memory.find(&cherry, &query, Tier::Both);
            let (all, beat) = (memory.all(&cherry), memory.beat(&cherry, &query));
            let counts = [both.memory_exists, all.memory_exists, beat.memory_exists, beat.rows_total];
            let gaps = format!("{:?} {:?} {:?}", both.gaps, all.gaps, beat.gaps);
            let packet = packet(memory, &cherry, &query);
            (ranks(&both.rows), ranks(&all.rows), ranks(&beat.memory), counts, gaps, packet)
        };
        let before = answers(&memory);
        render_all(&memory, PLUM, &theirs);
        let after = answers(&fresh(&disk));
        prop_assert_eq!(&before, &after);

        let own = cherry_brain.store_paths().claims.display().to_string();
        let medulla = format!("{HOME}/agent-memory");
        for (path, ..) in after.0.iter().chain(&after.1).chain(&after.2).chain(&after.5) {
            prop_assert!(path.starts_with(&own) || path.starts_with(&medulla), "{}", path);
        }
        for tier in [Tier::Project, Tier::Medulla] {
            let home = if tier == Tier::Project { &own } else { &medulla };
            for row in memory.find(&cherry, &query, tier).rows {
                prop_assert!(row.path.starts_with(home));
            }
        }
    }

    #[test] // spec: MEM-23
    fn a_store_that_is_not_empty_is_never_called_empty(
        claims in proptest::collection::vec((any_text(), any_text()), 1..4), task in any_text(), budget in 50usize..2_000
    ) {
        let disk = two_repositories();
        two_brains(&disk);
        let memory = fresh(&disk);
        render_all(&memory, CHERRY, &claims);
        let stored = memory.all(&caller(MAKER, CHERRY)).rows.len();
        let request = brainstem_memory::NorthRequest { task, budget_tokens: budget };
        let beat = memory.north(&caller(MAKER, CHERRY), &request).unwrap();
        prop_assert_eq!(beat.memory_exists, stored);
        prop_assert_eq!(beat.memory.is_empty(), stored == 0);
        let says_empty = beat.gaps.iter().any(|gap| gap.detail.contains("No durable memory yet"));
        prop_assert_eq!(says_empty, stored == 0);
    }
}

/// Something that is done in one of the brains.
#[derive(Clone, Debug)]
enum Act {
    Tell { place: usize, label: usize, text: String, grouped: bool },
    TakeBack { place: usize, label: usize },
    Settle(usize),
}

fn any_act() -> impl Strategy<Value = Act> {
    let tell = (0..3_usize, 0..6_usize, any_text(), any::<bool>())
        .prop_map(|(place, label, text, grouped)| Act::Tell { place, label, text, grouped });
    prop_oneof![
        8 => tell,
        1 => (0..3_usize, 0..6_usize).prop_map(|(place, label)| Act::TakeBack { place, label }),
        1 => (0..3_usize).prop_map(Act::Settle),
    ]
}

/// Does these acts, those of the other brain too or without them, and answers as two processes do.
fn lived(acts: &[Act], query: &str, with_the_other: bool) -> (Vec<String>, SimDisk) {
    let (disk, clock, letters) = (two_repositories(), clock(), Letters::new());
    let memory = with_letters(&disk, &clock, &letters);
    let (cherry, plum, person) = (caller(MAKER, CHERRY), caller(MAKER, PLUM), caller(PERSON, CHERRY));
    memory.begin(&cherry).unwrap();
    if with_the_other {
        memory.begin(&plum).unwrap();
    }
    for act in acts {
        clock.advance(1_000);
        let (Act::Tell { place, .. } | Act::TakeBack { place, .. } | Act::Settle(place)) = act;
        let who = [&cherry, &person, &plum][*place];
        if *place == 2 && !with_the_other {
            continue;
        }
        let tier = (*place == 1).then_some(WriteTier::Medulla);
        // What is refused is refused with and without the other brain.
        match act {
            Act::Tell { label, text, grouped, .. } => {
                let text = if *place == 2 { format!("{text} plumonly") } else { text.clone() };
                let group = grouped.then(|| "s".to_owned());
                let request = MemorizeRequest { tier, group, ..claim(&format!("Retry {label}"), &text) };
                let _ = memory.memorize(who, &request);
            }
            Act::TakeBack { label, .. } => {
                let (label, reason) = (format!("Retry {label}"), "wrong".to_owned());
                let _ = memory.retract(who, &RetractRequest { label, reason, tier });
            }
            Act::Settle(_) => drop(memory.settle(who, Tier::Both)),
        }
    }
    // Both kinds of vectors are the same everywhere then.
    memory.settle(&cherry, if with_the_other { Tier::AllBrains } else { Tier::Both });
    let mut told = Vec::new();
    for process in [&memory, &with_letters(&disk, &clock, &letters)] {
        for tier in [Tier::Both, Tier::Project, Tier::Medulla] {
            let sought = process.find(&cherry, query, tier);
            told.push(format!("{:?} {} {:?}", ranks(&sought.rows), sought.memory_exists, sought.gaps));
        }
        let (beat, all) = (process.beat(&cherry, query), process.all(&cherry));
        told.push(format!("{:?} {} {:?}", ranks(&beat.memory), beat.rows_total, beat.gaps));
        told.push(format!("{:?} {}", ranks(&all.rows), all.memory_exists));
        told.push(format!("{:?}", packet(process, &cherry, query)));
    }
    (told, disk)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(48)))]

    #[test] // spec: MEM-21, MEM-22
    fn whatever_was_done_in_another_brain_moves_no_bit_of_my_answers(
        acts in proptest::collection::vec(any_act(), 1..24), query in any_text()
    ) {
        let (alone, _) = lived(&acts, &query, false);
        let (beside, disk) = lived(&acts, &query, true);
        prop_assert!(!beside.iter().any(|line| line.contains("plumonly")));
        for (alone, beside) in alone.iter().zip(&beside) {
            prop_assert_eq!(alone, beside);
        }
        // None is missing: every label is about this, so every live claim of the two stores is there.
        let (found, _) = lived(&acts, "Retry", true);
        let is_mine = |path: &Path| {
            let path = path.to_string_lossy();
            path.ends_with(".light.md") && !path.contains("/.") && !path.contains("/plum-")
        };
        let files = disk.dump().into_keys();
        let short = |path: &Path| path.strip_prefix(HOME).unwrap_or(path).to_owned();
        for path in files.filter(|path| is_mine(&short(path))) {
            prop_assert!(found[0].contains(&path.display().to_string()), "{:?} in {}", path, found[0]);
        }
    }
}

/// What a caller there is told, without what is only said about the folder itself.
fn answers_at(memory: &Memory, there: &Caller, query: &str) -> Vec<String> {
    let gaps = |gaps: &[brainstem_memory::Gap]| {
        let names = gaps.iter().map(|gap| gap.name);
        let of_the_folder = ["root_replaced", "unbound", "empty"];
        format!("{:?}", names.filter(|name| !of_the_folder.contains(name)).collect::<Vec<_>>())
    };
    let (both, all, beat) =
        (memory.find(there, query, Tier::Both), memory.all(there), memory.beat(there, query));
    vec![
        format!("{:?} {} {}", ranks(&both.rows), both.memory_exists, gaps(&both.gaps)),
        format!("{:?} {} {}", ranks(&all.rows), all.memory_exists, gaps(&all.gaps)),
        format!("{:?} {} {}", ranks(&beat.memory), beat.memory_exists, gaps(&beat.gaps)),
        format!("{:?}", packet(memory, there, query)),
        format!("{:?}", memory.boot_list(there, None, Tier::Both).unwrap().rows),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(48)))]

    #[test] // spec: MEM-1, MEM-21, MEM-22
    fn a_folder_at_the_path_of_another_project_is_told_what_a_folder_of_its_own_would_be(
        theirs in any_claims(), doctrines in any_claims(), ours in any_claims(), query in any_text(),
        in_repository in any::<bool>()
    ) {
        let world = |has_predecessor: bool| {
            let disk = two_repositories();
            disk.write_raw(format!("{DEEP}/.git/HEAD"), b"ref: refs/heads/main\n");
            let memory = fresh(&disk);
            for (label, text) in &doctrines {
                let _ = memory.memorize(&caller(PERSON, PLUM), &doctrine(label, text));
            }
            if has_predecessor {
                memory.begin(&caller(MAKER, DEEP)).unwrap();
                if in_repository {
                    memory.init(&caller(MAKER, DEEP), &Default::default()).unwrap();
                }
                render_all(&memory, DEEP, &theirs);
                let _ = memory.boot_set(&caller(MAKER, DEEP), "secret", "theirs", None);
                memory.count_call(caller(MAKER, DEEP).place(), None);
            }
            disk.rename(Path::new("/src/deep"), Path::new("/src/deep-away")).unwrap();
            disk.write_raw(format!("{DEEP}/.git/HEAD"), b"ref: refs/heads/main\n");
            disk
        };
        let (after, alone) = (world(true), world(false));
        let there = caller(MAKER, DEEP);
        prop_assert_eq!(
            answers_at(&fresh(&after), &there, &query),
            answers_at(&fresh(&alone), &there, &query)
        );
        for disk in [&after, &alone] {
            fresh(disk).begin(&there).unwrap();
            render_all(&fresh(disk), DEEP, &ours);
        }
        // The name of a folder under the home tells brains apart, and nothing else.
        let plain = |texts: Vec<String>| texts.join("\n").replace("-2/agent-memory", "/agent-memory");
        prop_assert_eq!(
            plain(answers_at(&fresh(&after), &there, &query)),
            plain(answers_at(&fresh(&alone), &there, &query))
        );
        // What was kept is all there, where the project lies now.
        let moved = caller(MAKER, "/src/deep-away/cherry");
        let kept: BTreeSet<String> = fresh(&after).all(&moved).rows.into_iter().map(|row| row.text).collect();
        let told = two_repositories();
        fresh(&told).begin(&caller(MAKER, CHERRY)).unwrap();
        render_all(&fresh(&told), CHERRY, &theirs);
        for row in fresh(&told).all(&caller(MAKER, CHERRY)).rows {
            prop_assert!(kept.contains(&row.text), "{:?} in {:?}", row.text, kept);
        }
    }
}

#[test] // spec: MEM-23
fn any_task_over_memory_gives_a_beat_with_memory() {
    let disk = two_repositories();
    two_brains(&disk);
    let cherry = caller(MAKER, CHERRY);
    let tasks =
        ["", "   ", "qwxz vbnm", "なぜ再試行するのか", "the a of", "\0\u{202e}", &"word ".repeat(2_000)];
    let empty = |beat: &brainstem_memory::Beat| format!("{beat:?}").contains("No durable memory yet");
    for task in tasks {
        let beat = fresh(&disk).beat(&cherry, task);
        assert!(empty(&beat) && beat.memory_exists == 0, "{task:?}");
    }
    fresh(&disk).tell(&cherry, "Retry policy", "three times").unwrap();
    for task in tasks {
        let beat = fresh(&disk).beat(&cherry, task);
        assert_eq!((beat.memory.len(), beat.memory_exists, empty(&beat)), (1, 1, false), "{task:?}");
    }
    // A claim in the medulla alone is memory for a project without one.
    fresh(&disk).memorize(&caller(PERSON, PLUM), &doctrine("Tabs", "use tabs")).unwrap();
    for task in tasks {
        let beat = fresh(&disk).beat(&caller(MAKER, PLUM), task);
        assert_eq!((beat.memory.len(), beat.memory_exists, empty(&beat)), (1, 1, false), "{task:?}");
    }
}

#[test] // spec: MEM-22, MEM-4
fn all_brains_are_asked_by_name_grouped_and_with_their_gaps() {
    let disk = two_repositories();
    let (cherry_brain, plum_brain) = two_brains(&disk);
    for root in ["/src/dormant", "/src/broken", "/src/blocked"] {
        disk.write_raw(format!("{root}/.git/HEAD"), b"ref: refs/heads/main\n");
        fresh(&disk).begin(&caller(MAKER, root)).unwrap();
        fresh(&disk).tell(&caller(MAKER, root), "Retry", &format!("retry in {root}")).unwrap();
    }
    for root in [CHERRY, PLUM] {
        fresh(&disk).tell(&caller(MAKER, root), "Retry", &format!("retry in {root}")).unwrap();
    }
    fresh(&disk).memorize(&caller(PERSON, PLUM), &doctrine("Retry", "retry everywhere")).unwrap();
    let brain_of = |root| fresh(&disk).route(&caller(MAKER, root)).brain().unwrap().clone();
    let (broken, blocked, dormant) =
        (brain_of("/src/broken"), brain_of("/src/blocked"), brain_of("/src/dormant"));
    disk.rename(Path::new("/src/dormant"), Path::new("/src/nobody-knows-where")).unwrap();
    disk.write_raw(broken.folder.join("root.json"), b"\0\0\0");
    let store = blocked.store_paths().claims;
    disk.rename(&store, &store.with_extension("aside")).unwrap();
    disk.write_raw(&store, b"not a folder");

    let sought = fresh(&disk).find(&caller(MAKER, CHERRY), "retry", Tier::AllBrains);
    let groups = sought.groups.unwrap();
    let got: BTreeSet<_> = groups
        .iter()
        .map(|group| (group.origin_brain.clone(), group.rows.iter().map(|row| row.text.clone()).collect()))
        .collect();
    let expected = BTreeSet::from([
        (cherry_brain.origin(), vec![format!("retry in {CHERRY}")]),
        (plum_brain.origin(), vec![format!("retry in {PLUM}")]),
        (dormant.origin(), vec!["retry in /src/dormant".to_owned()]),
        ("medulla".to_owned(), vec!["retry everywhere".to_owned()]),
    ]);
    assert_eq!(got, expected);
    let mut gaps: Vec<_> = sought.gaps.iter().map(|gap| (gap.name, gap.detail.to_string())).collect();
    gaps.sort();
    assert_eq!(
        gaps.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        ["store_unreadable", "unreadable_brain"]
    );
    assert!(gaps[0].1.contains(&blocked.origin()), "{gaps:?}");
    assert!(gaps[1].1.contains(&broken.folder.display().to_string()), "{gaps:?}");

    let near = fresh(&disk).find(&caller(MAKER, CHERRY), "retry", Tier::Both);
    let texts: BTreeSet<_> = near.rows.iter().map(|row| row.text.as_str()).collect();
    assert_eq!(texts, BTreeSet::from(["retry everywhere", "retry in /src/cherry"]));
    assert!(near.groups.is_none());
}

#[test] // spec: MEM-20
fn an_unknown_tier_is_refused() {
    for word in ["", "Project", "all", "allbrains", "global", " medulla"] {
        assert_eq!(code(Tier::parse(Some(word))), "input.bad_value", "{word:?}");
        // No verb names a word that it refuses next.
        let refused = Tier::parse_of_project(Some(word)).unwrap_err();
        assert!(!refused.fix().unwrap().contains("all-brains"), "{refused:?}");
    }
    assert_eq!(code(WriteTier::parse(TierUse::Memorize, Some("all-brains"))), "input.bad_value");
}

/// What may lie under a claim's name and is no claim.
const UNREADABLE: &[&str] =
    &["not utf-8", "conflict", "too large", "link", "fifo", "folder", "empty", "prose"];

fn make_unreadable(kind: &str, path: &Path) {
    let claim = "---\nProtocol: L1GHT/1.0\nNode: X\n---\n# X\n\n";
    match kind {
        "not utf-8" => std::fs::write(path, [claim.as_bytes(), b"\xff\xfe"].concat()).unwrap(),
        "conflict" => {
            let text = format!("<<<<<<< HEAD\n{claim}=======\nno claim\n>>>>>>> them\n");
            std::fs::write(path, text).unwrap();
        }
        "too large" => std::fs::write(path, format!("{claim}{}", "x".repeat(2 << 20))).unwrap(),
        "link" => std::os::unix::fs::symlink("/etc/hostname", path).unwrap(),
        "fifo" => assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success()),
        "folder" => std::fs::create_dir(path).unwrap(),
        "empty" => std::fs::write(path, "").unwrap(),
        "prose" => std::fs::write(path, "Dear diary\n").unwrap(),
        other => panic!("{other}"),
    }
}

/// What a file is, byte for byte where it has bytes.
fn portrait(path: &Path) -> String {
    let stat = RealDisk.stat(path).unwrap();
    let bytes = RealDisk.read(path, u64::MAX).map(|bytes| brainstem_base::hash::sha256_hex(&bytes, 64)).ok();
    format!("{stat:?} {bytes:?} {:?}", std::fs::read_link(path).ok())
}

#[test] // spec: MEM-6, MEM-23
fn what_is_no_claim_is_named_counted_and_left_alone() {
    for &kind in UNREADABLE {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().canonicalize().unwrap().join(path);
        std::fs::create_dir_all(at("cherry/.git")).unwrap();
        std::fs::write(at("cherry/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let memory = service_at(Arc::new(RealDisk), &clock(), &at("home"), None);
        let cherry = caller(MAKER, at("cherry"));
        let store = memory.begin(&cherry).unwrap().brain.store_paths().claims;
        let path = store.join("x.light.md");
        make_unreadable(kind, &path);
        let before = portrait(&path);
        let counted = usize::from(kind != "folder");
        for readable in [0, 1] {
            if readable == 1 {
                memory.tell(&cherry, "Retry policy", "three times").unwrap();
            }
            let (beat, all) = (memory.beat(&cherry, "retry"), memory.all(&cherry));
            let sought = memory.find(&cherry, "retry", Tier::Both);
            for (gaps, exists) in [
                (&beat.gaps, beat.memory_exists),
                (&all.gaps, all.memory_exists),
                (&sought.gaps, sought.memory_exists),
            ] {
                assert_eq!(exists, readable, "{kind}");
                let named = gaps.iter().filter(|gap| gap.detail.contains("x.light.md")).count();
                assert_eq!(named, 1, "{kind}: {gaps:?}");
            }
            assert_eq!((beat.memory.len(), all.rows.len()), (readable, readable), "{kind}");
            let empty = format!("{beat:?}").contains("No durable memory yet");
            assert_eq!(empty, counted + readable == 0, "{kind}: {:?}", beat.gaps);
        }
        assert_eq!(code(memory.tell(&cherry, "X", "something new")), "claim.unreadable", "{kind}");
        assert_eq!(code(memory.take_back(&cherry, "X")), "claim.unreadable", "{kind}");
        assert_eq!(code(memory.look_at(&cherry, "X", Tier::Both)), "claim.unreadable", "{kind}");
        assert_eq!(portrait(&path), before, "{kind}");
        let history = std::fs::read_dir(store.join(".history")).unwrap().count();
        assert_eq!(history, 0, "{kind}");
    }
}
