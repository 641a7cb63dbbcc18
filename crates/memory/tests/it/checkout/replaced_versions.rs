//! Versions that a checkout or a pull took away or replaced: they are shown, named and brought back.

use super::{in_repository, live, maker, some};
use crate::world::{HOME, MAKER, START, Short as _};
use brainstem_base::disk::Disk;
use brainstem_claims::undecided_file::join;
use brainstem_memory::{Confirmation, ForgetRequest, ResolveRequest};
use brainstem_transfer::{ExportRequest, ExportScope, Format, Transfer};
use std::path::{Path, PathBuf};

#[test] // spec: MEM-2, MEM-5a
fn a_version_behind_more_than_a_header_names_is_still_shown_with_its_text() {
    let cherry = in_repository();
    cherry.tell("Cache", "base");
    let other = cherry.other();
    cherry.tell("Cache", "mine");
    for n in 0..20 {
        other.tell("Cache", &format!("theirs {n}"));
    }
    cherry.pull(&other);
    let past = || cherry.texts("Cache").1;
    assert!(past().iter().any(|(text, _)| text == "mine"), "{:?}", past());
    cherry.tell("Cache", "next");
    assert!(past().contains(&("mine".into(), false)), "history has it: {:?}", past());
}

#[test] // spec: MEM-47, MEM-2
fn forgetting_a_label_that_waits_for_a_decision_forgets_each_of_its_versions_everywhere() {
    let cherry = in_repository();
    let other = cherry.other();
    cherry.tell("Delta", "ana says");
    other.clock.advance(1);
    other.tell("Delta", "cleo says");
    let (one, two) = (cherry.read("delta"), other.read("delta"));
    other.disk.write_raw(live("delta"), &join(&[one.as_bytes(), two.as_bytes()]));
    other.forget("Delta");
    cherry.pull(&other);
    assert_eq!(cherry.gaps(), ["forgotten_elsewhere"], "it is not called missing");
    assert_eq!(cherry.init(), [""; 0]);
}

#[test] // spec: MEM-2
fn what_a_checkout_took_back_is_named_shown_and_comes_back() {
    let cherry = in_repository();
    cherry.tell("Gamma", "version one");
    let one = cherry.read("gamma");
    cherry.tell("Gamma", "version two");
    cherry.put("gamma", &one);
    assert_eq!(cherry.gaps(), ["version_absent"]);
    assert_eq!(cherry.texts("Gamma"), (some("version one"), vec![("version two".into(), true)]));
    assert_eq!(cherry.findings(), ["version_absent"]);
    assert_eq!(cherry.init(), ["Gamma"], "it was plainly written over what lies there");
    assert_eq!(cherry.texts("Gamma"), (some("version two"), vec![("version one".into(), false)]));
    assert!(cherry.gaps().is_empty() && cherry.findings().is_empty());
}

#[test] // spec: MEM-2, MEM-49
fn what_a_forced_pull_replaced_waits_for_a_decision() {
    for (side, kept, gone) in [("ours", "ben says", "maker says"), ("theirs", "maker says", "ben says")] {
        let cherry = in_repository();
        cherry.tell("Gamma", "base");
        let base = cherry.read("gamma");
        cherry.tell("Gamma", "maker says");
        let (then, later) = (format!("Created: {START}"), format!("Created: {}", START + 1_500));
        let other = base.replace("base", "ben says").replace(MAKER, "human:ben").replace(&then, &later);
        cherry.put("gamma", &other);
        assert_eq!(cherry.gaps(), ["version_absent"]);
        let (now, past) = cherry.texts("Gamma");
        assert_eq!((now, past[0].clone()), (some("ben says"), ("maker says".to_owned(), true)));
        assert_eq!(cherry.init(), Vec::<String>::new(), "nobody chooses in silence");
        assert_eq!(cherry.texts("Gamma").0, some("ben says"));
        let waiting = cherry.memory.resolve(&maker(), &ResolveRequest::default()).unwrap().waiting;
        let waiting: Vec<_> = waiting.iter().map(|row| (row.text.as_str(), row.side, row.missing)).collect();
        assert_eq!(waiting, [("ben says", Some("ours"), false), ("maker says", Some("theirs"), true)]);
        cherry.take("Gamma", side);
        let (now, past) = cherry.texts("Gamma");
        assert_eq!(now, some(kept));
        assert!(past.contains(&(gone.to_owned(), false)), "{side}: {past:?}");
        assert_eq!((cherry.gaps(), cherry.findings()), (Vec::new(), Vec::new()), "{side}");
    }
}

#[test] // spec: MEM-2
fn a_write_over_what_git_put_there_keeps_what_it_replaced() {
    let cherry = in_repository();
    cherry.tell("Gamma", "base");
    let base = cherry.read("gamma");
    cherry.tell("Gamma", "maker says");
    cherry.put("gamma", &base.replace("base", "ben says").replace(MAKER, "human:ben"));
    let done = cherry.memory.tell(&maker(), "Gamma", "all in all").unwrap();
    assert!(
        done.notes
            .iter()
            .any(|note| note.to_string().starts_with("1 version of it that this checkout did not have")),
        "{:?}",
        done.notes
    );
    let (now, past) = cherry.texts("Gamma");
    assert_eq!(now, some("all in all"));
    for text in ["maker says", "ben says"] {
        assert!(past.contains(&(text.to_owned(), false)), "{past:?}");
    }
    assert!(cherry.gaps().is_empty());
}

#[test] // spec: MEM-5, MEM-2
fn versions_over_a_claim_of_the_end_of_time_are_told_apart_and_survive() {
    let cherry = in_repository();
    cherry.tell("Gamma", "version 0");
    let near = cherry.read("gamma");
    let far = near.lines().map(|line| match line.starts_with("Created: ") {
        true => "Created: 253402207199999".to_owned(),
        false => line.to_owned(),
    });
    let far = far.collect::<Vec<_>>().join("\n") + "\n";
    cherry.put("gamma", &far);
    for n in 1..=4 {
        // Within one millisecond.
        cherry.memory.tell(&maker(), "Gamma", &format!("version {n}")).unwrap();
    }
    let shown = cherry.show("Gamma");
    let mut born: Vec<_> = shown.history.iter().map(|version| version.created).collect();
    born.push(shown.claim.unwrap().created);
    born.sort();
    born.dedup();
    assert_eq!(
        born.len(),
        6,
        "the one that was told, the one that came, and four more: each has a stamp of its own"
    );
    cherry.put("gamma", &far);
    let (now, past) = cherry.texts("Gamma");
    let all: Vec<&str> =
        now.iter().map(String::as_str).chain(past.iter().map(|(text, _)| text.as_str())).collect();
    for n in 0..=4 {
        assert!(all.contains(&format!("version {n}").as_str()), "{all:?}");
    }
    assert_eq!(cherry.gaps(), ["version_absent"]);
}

#[test] // spec: MEM-49
fn a_label_that_waits_for_a_decision_is_shown_with_its_history() {
    let cherry = in_repository();
    cherry.tell("Gamma", "base");
    cherry.tell("Gamma", "one side");
    let ours = cherry.read("gamma");
    let third = ours.replace("one side", "a third").replace("Created: 1", "Created: 3");
    let theirs = ours.replace("one side", "the other side").replace("Created: 1", "Created: 2");
    let file = join(&[ours.as_bytes(), theirs.as_bytes(), third.as_bytes()]);
    cherry.disk.write_raw(live("gamma"), &file);
    let shown = cherry.show("Gamma");
    assert!(shown.claim.is_none());
    let sides: Vec<_> = shown.sides.iter().map(|row| (row.text.as_str(), row.side.unwrap())).collect();
    assert_eq!(sides, [("one side", "ours"), ("the other side", "theirs"), ("a third", "third")]);
    assert!(shown.history.iter().any(|version| version.text == "base"));
    cherry.take("Gamma", "third");
    let (now, past) = cherry.texts("Gamma");
    assert_eq!(now, some("a third"));
    for text in ["one side", "the other side", "base"] {
        assert!(past.contains(&(text.to_owned(), false)), "{past:?}");
    }
}

#[test] // spec: MEM-13a, MEM-48, MEM-47
fn a_file_of_any_size_costs_a_bounded_amount_of_memory() {
    let cherry = in_repository();
    cherry.tell("Gamma", "version one");
    let large = [cherry.read("gamma").as_bytes(), &vec![b'x'; 9 << 20]].concat();
    cherry.disk.write_raw(live("gamma"), &large);
    let history =
        cherry.disk.dump().into_keys().find(|path| path.ends_with("acts.jsonl") && path.starts_with(HOME));
    let claims = history.unwrap().with_file_name("agent-memory");
    cherry.disk.write_raw(claims.join(".history/gamma.5.light.md"), &large);
    cherry.disk.make_dirs("/out");
    cherry.disk.set_read_len_max(4 << 20);
    let out = Some(PathBuf::from("/out/cherry"));
    let request = ExportRequest { scope: ExportScope::Project, format: Format::Folder, out };
    Transfer::new(&cherry.memory).export(&maker(), &request, &|_, _| ()).unwrap();
    for copy in
        ["/out/cherry/agent-memory/gamma.light.md", "/out/cherry/agent-memory/.history/gamma.5.light.md"]
    {
        assert_eq!(cherry.disk.stat(Path::new(copy)).unwrap().len, large.len() as u64, "{copy}");
    }
    assert!(cherry.disk.dump()[Path::new("/out/cherry/agent-memory/gamma.light.md")] == large);
    let request = ForgetRequest { label: "Gamma".into(), tier: None, confirmation: Confirmation::Given };
    cherry.memory.forget(&maker(), &request).unwrap();
    let left: Vec<_> =
        cherry.disk.dump().into_keys().filter(|path| path.to_string_lossy().contains("gamma")).collect();
    assert!(left.iter().all(|path| path.starts_with("/out")), "{left:?}");
    assert_eq!(cherry.gaps(), Vec::<&str>::new());
}
