//! What callers see of letters: threads, open ones, and boxes that cannot be read.

use super::world::{CHERRY, HOME, PLUM, SPOOL, USER, World, caller, draft, refusal};
use brainstem_base::disk::{Disk, ObservedDisk, verbs};
use brainstem_post::letters::{Fate, LetterDraft, LetterFilter};
use std::path::Path;
use std::sync::Arc;

#[test] // spec: LTR-2, LTR-10, LTR-15
fn a_letter_is_written_answered_and_closed() {
    let world = World::new();
    let origin = world.bootstrap(CHERRY);
    let written = world.post().write_letter(&caller(CHERRY), draft("friction", "it is slow")).unwrap();
    assert_eq!((written.repo.as_deref(), written.brain), (Some("cherry"), Some(origin)));
    let id = written.id.to_string();
    let fate = || {
        world
            .mailbox(CHERRY, None)
            .unwrap()
            .letters
            .iter()
            .find(|row| row.letter.id.as_str() == id)
            .unwrap()
            .state
    };
    assert_eq!(fate(), Fate::WetInk);
    let answer = |class: &str, what: &str| {
        let answer = LetterDraft { answers: vec![id.clone()], ..draft(class, what) };
        world.write(CHERRY, answer).unwrap()
    };
    answer("friction", "here too");
    assert_eq!(fate(), Fate::InFlight);
    let closing = answer("receipt", "mended");
    assert_eq!(fate(), Fate::FiredClay);
    let (letter, around) = world.post().show_letter(&caller(USER), &id[..6]).unwrap();
    assert_eq!((letter.answered_by.len(), around.len()), (2, 2));
    assert!(letter.answered_by.iter().any(|by| by.as_str() == closing));
    assert_eq!(
        refusal(world.post().show_letter(&caller(USER), "ffffffffffff")).code.name(),
        "letter.not_found"
    );

    let fault = refusal(world.write(CHERRY, draft("memory_misdelivery", "x")));
    assert_eq!((fault.code.name(), fault.rule), ("letter.bad_kind", Some("LTR-15")));
}

#[test] // spec: LTR-5
fn a_letter_can_be_about_another_project_or_none() {
    let world = World::new();
    let about = |repo: &str| {
        let draft = LetterDraft { repo: Some(repo.into()), ..draft("win", repo) };
        let written = world.post().write_letter(&caller(CHERRY), draft).unwrap();
        (written.repo, written.brain)
    };
    assert_eq!(about("all"), (Some("all".into()), None));
    assert_eq!(about(PLUM), (Some("plum".into()), None), "no path of this machine");
    assert_eq!(about("/not/here"), (Some("/not/here".into()), None));
    world.distribute();
    let names = |brain| world.mailbox(CHERRY, brain).unwrap().letters.len();
    assert_eq!((names(None), names(Some("medulla"))), (0, 1));
    assert_eq!(world.mailbox(PLUM, None).unwrap().letters.len(), 1, "a project without a brain has its box");
}

/// Names of folders that mean something else as words of a letter, or another folder once something is cut off.
const ODD: &[&str] = &[
    "cherry (copy)",
    "cherry (copy",
    "(cherry)",
    "cherry ",
    " cherry",
    "Cherry",
    "`cherry`",
    "cherry.git",
    "plum (worktree x)",
    "all",
    "none",
    "medulla",
    "*",
    "~",
    " ",
    "(no repo)",
    "mind-9",
];

/// The letters in every box, each by the root of the project; the medulla's is the home.
fn boxed(world: &World) -> Vec<(String, String)> {
    let files = world.disk.dump().into_iter().filter(|(path, _)| path.ends_with("inbox.jsonl"));
    let lines = files.flat_map(|(path, bytes)| {
        let root = path
            .to_str()
            .unwrap()
            .trim_end_matches("/inbox.jsonl")
            .trim_end_matches("/.brainstem")
            .to_owned();
        let lines: Vec<String> = String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect();
        lines.into_iter().map(move |line| {
            let letter: serde_json::Value = serde_json::from_str(&line).unwrap();
            (root.clone(), letter["what"].as_str().unwrap().to_owned())
        })
    });
    lines.collect()
}

#[test] // spec: LTR-2, LTR-6
fn a_letter_about_a_project_is_filed_there_whatever_its_folder_is_called() {
    for with_brain in [false, true] {
        let world = World::new();
        let origin = world.bootstrap(CHERRY);
        let aliases = format!("[aliases]\n\"mind-*\" = \"{CHERRY}\"\n\"cherry*\" = \"medulla\"\n");
        world.disk.write_raw(format!("{HOME}/projects.toml"), aliases.as_bytes());
        let roots: Vec<String> =
            ODD.iter().chain([&origin.as_str()]).map(|name| format!("/home/ana/src/{name}")).collect();
        for root in &roots {
            world.repository(root);
            if with_brain {
                world.bootstrap(root);
            }
            world.write(root, draft("win", &format!("{root}|stands there"))).unwrap();
            let given = |repo: Option<&str>, brain: Option<&str>, how: &str| {
                let draft = draft("win", &format!("{root}|{how}"));
                let draft =
                    LetterDraft { repo: repo.map(str::to_owned), brain: brain.map(str::to_owned), ..draft };
                world.write(PLUM, draft).unwrap();
            };
            given(Some(root), None, "repo");
            given(None, Some(root), "brain");
        }
        let spooled = world.box_lines(SPOOL);
        assert!(spooled.iter().all(|line| !line.contains(r#"repo":"/home"#)), "no path of this machine");
        world.distribute();
        let found = boxed(&world);
        assert_eq!(found.len(), roots.len() * 3, "{:?}", world.sweep().stuck);
        for (root, what) in found {
            assert_eq!(what.split('|').next(), Some(root.as_str()), "{what}, with a brain: {with_brain}");
        }
    }
}

#[test] // spec: LTR-2, LTR-6
fn a_letter_waits_for_its_own_folder_and_goes_to_no_other() {
    let world = World::new();
    for (at, name) in ODD.iter().enumerate() {
        let root = format!("/home/ana/src/{name}");
        world.repository(&root);
        world.write(&root, draft("win", &root)).unwrap();
        world.disk.rename(Path::new(&root), Path::new(&format!("/home/ana/src/moved-{at}"))).unwrap();
    }
    // A folder that is no project is no remark on another one either.
    let plain = format!("{CHERRY} (notes)");
    world.disk.make_dirs(&plain);
    world.write(PLUM, LetterDraft { repo: Some(plain.clone()), ..draft("win", "notes") }).unwrap();
    world.distribute();
    assert_eq!(boxed(&world), [], "nothing is filed");
    assert_eq!(world.sweep().stuck.len(), ODD.len() + 1);
}

#[test] // spec: LTR-5
fn a_line_of_another_program_means_the_folder_that_is_called_exactly_so() {
    let world = World::new();
    let copy = "/home/ana/src/cherry (copy)";
    let end = |at: &str| {
        world.raw(&format!(r#"{{"repo":"cherry (copy)","what":"{at}"}}"#));
        world.raw(&format!(r#"{{"repo":"~/src/cherry (copy)","what":"{at}, by its path"}}"#));
        world.distribute();
        boxed(&world)
            .into_iter()
            .filter(|(_, what)| what.starts_with(at))
            .map(|(root, _)| root)
            .collect::<Vec<_>>()
    };
    assert_eq!(end("before"), [CHERRY], "a remark, and a path where nothing is");
    world.repository(copy);
    world.write(copy, draft("win", "seen")).unwrap();
    assert_eq!(end("since"), [copy, copy]);
}

#[test] // spec: LTR-12
fn a_sweep_shows_what_is_asked_for_newest_first() {
    let world = World::new();
    for n in 0..5 {
        world.raw(&format!(r#"{{"ts":"2026-07-0{}T00:00:00Z","class":"bug","what":"{n}"}}"#, n + 1));
    }
    world.raw(r#"{"class":"win","what":"undated"}"#);
    let sweep = |state: Option<&str>, class: Option<&str>, limit: Option<usize>| {
        let filter = LetterFilter::parse(state, class.map(str::to_owned), limit)?;
        let swept = world.post().sweep_letters(&caller(USER), &filter)?;
        let whats: Vec<String> = swept.letters.into_iter().filter_map(|row| row.letter.what).collect();
        Ok::<_, brainstem_base::Fault>((whats.join(" "), swept.left_out))
    };
    assert_eq!(sweep(None, None, None), Ok(("4 3 2 1 0 undated".into(), 0)));
    assert_eq!(sweep(None, Some("bug"), Some(2)), Ok(("4 3".into(), 3)));
    assert_eq!(sweep(Some("open"), Some("win"), None), Ok(("undated".into(), 0)));
    assert_eq!(sweep(Some("fired_clay"), None, None), Ok((String::new(), 0)));
    assert_eq!(sweep(Some("wet"), None, None).unwrap_err().field.as_deref(), Some("state"));
    assert_eq!(sweep(None, None, Some(0)).unwrap_err().field.as_deref(), Some("limit"));
}

#[test] // spec: LTR-12, LTR-13
fn a_box_that_cannot_be_read_is_named_and_never_an_invented_zero() {
    let world = World::new();
    world.bootstrap(PLUM);
    world.disk.make_dirs("/home/ana/plum/.brainstem/inbox.jsonl");
    world.write(CHERRY, draft("bug", "a")).unwrap();
    let swept = world.sweep();
    assert_eq!((swept.letters.len(), swept.unreachable.len()), (1, 1));
    assert!(swept.unreachable[0].path.starts_with(PLUM));
    let counts = world.post().open_counts(&caller(USER), &[CHERRY.into(), PLUM.into()]);
    assert_eq!(counts[&Some(CHERRY.into())], Ok(1));
    assert!(counts[&Some(PLUM.into())].is_err());
    assert_eq!(refusal(world.mailbox(PLUM, None)).code.name(), "store.unreadable");
    let open = world.post().open_letters(&caller(PLUM));
    assert!(open.count.is_none() && open.why.is_some(), "{open:?}");
}

#[test] // spec: MEM-27
fn a_beat_carries_the_open_letters_of_its_own_project_alone() {
    let world = World::new();
    assert_eq!(world.post().open_letters(&caller(CHERRY)).count, Some(0));
    for n in 0..5 {
        world.write(CHERRY, draft("bug", &format!("{n} {}", "long ".repeat(80)))).unwrap();
    }
    world.write(PLUM, draft("bug", "elsewhere")).unwrap();
    let open = world.post().open_letters(&caller(CHERRY));
    assert_eq!((open.count, open.newest.len()), (Some(5), 3));
    assert!(
        open.newest.iter().all(|row| row
            .letter
            .what
            .as_ref()
            .is_some_and(|what| what.chars().count() <= 121))
    );
    world.distribute();
    assert_eq!(world.post().open_letters(&caller(CHERRY)), {
        let mut filed = open;
        filed.newest.iter_mut().for_each(|row| row.boxes = vec![CHERRY.into()]);
        filed
    });
    assert_eq!(world.post().open_letters(&caller(PLUM)).count, Some(1));
    // Too many to read in a moment: said, not guessed.
    world.disk.write_raw(format!("{HOME}/field-reports.jsonl"), &vec![b'\n'; 9 * 1024 * 1024]);
    let open = world.post().open_letters(&caller(CHERRY));
    assert!(open.count.is_none() && open.why.unwrap().contains("sweep"));
}

#[test] // spec: MEM-27, LTR-10
fn what_a_beat_counted_is_kept_and_holds_as_long_as_nothing_changes() {
    let world = World::new();
    let mut spool = String::new();
    for n in 0..3_000 {
        let repo = ["cherry", "~/plum", "/home/ana/gone"][n % 3];
        spool.push_str(&format!(
            "{{\"repo\":\"{repo}\",\"class\":\"bug\",\"what\":\"{n} {}\"}}\n",
            "x".repeat(60)
        ));
    }
    world.disk.write_raw(SPOOL, spool.as_bytes());
    let reads = || {
        let observed = Arc::new(ObservedDisk::counting(Arc::new(world.disk.clone())));
        let open = world.post_on(observed.clone()).open_letters(&caller(CHERRY));
        let all = observed.counts();
        (open, all.get(verbs::READ).copied().unwrap_or_default())
    };
    let (first, whole) = reads();
    assert_eq!((first.count, first.newest.len()), (Some(1_000), 3));
    let (again, few) = reads();
    assert_eq!(again, first, "the same, from what is kept");
    assert!(few < whole, "{few} of {whole}: the spool and the boxes are not read");
    let kept: Vec<_> = world
        .disk
        .dump()
        .into_keys()
        .filter(|path| path.starts_with(format!("{HOME}/local/letters-open")))
        .collect();
    assert_eq!(kept.len(), 1);
    // Whatever the count was made from changes it at once: a line, an alias, a folder that comes.
    world.raw(r#"{"repo":"cherry","class":"bug","what":"one more"}"#);
    assert_eq!(reads().0.count, Some(1_001));
    world.disk.write_raw(format!("{HOME}/projects.toml"), b"[aliases]\n\"~/plum\" = \"cherry\"\n");
    assert_eq!(reads().0.count, Some(2_001));
    world.disk.write_raw("/home/ana/gone/.git", format!("gitdir: {CHERRY}/.git/worktrees/gone\n").as_bytes());
    world.disk.write_raw(format!("{CHERRY}/.git/worktrees/gone/commondir"), b"../..\n");
    world.disk.write_raw(format!("{CHERRY}/.git/worktrees/gone/gitdir"), b"/home/ana/gone/.git\n");
    let (counted, whole) = reads();
    assert_eq!(counted.count, Some(3_001), "a worktree of cherry that is there now");
    let settled = reads();
    assert_eq!(settled.0, counted);
    assert!(settled.1 < whole, "and is kept anew");
    for broken in [&b""[..], b"{}", b"\xff", b"[]"] {
        world.disk.write_raw(&kept[0], broken);
        assert_eq!(reads().0, settled.0, "dropped, it is counted to the same");
    }
}

#[test] // spec: LTR-10a, LTR-16
fn a_line_that_only_the_repository_has_is_marked_and_decides_over_no_letter_of_this_home() {
    let world = World::new();
    let bug = LetterDraft {
        kind: Some("leak".into()),
        ..draft("memory_misdelivery", "The deploy deletes the backups")
    };
    let own = world.write(CHERRY, bug).unwrap();
    world.distribute();
    let boxed = format!("{CHERRY}/.brainstem/inbox.jsonl");
    let brought = |lines: &[String]| {
        let mut bytes = world.disk.dump()[std::path::Path::new(&boxed)].clone();
        for line in lines {
            bytes.extend(format!("{line}\n").bytes());
        }
        world.disk.write_raw(&boxed, &bytes);
    };
    let line = |second: u32, class: &str, more: &str| {
        format!(
            r#"{{"ts":"2026-07-05T12:00:{second:02}.000Z","agent":"human:ana","class":"{class}","what":"I decided so","repo":"cherry"{more}}}"#
        )
    };
    brought(&[
        line(0, "triage", &format!(r#","answers":["{own}"],"verdict":"dismissed""#)),
        line(1, "friction", ""),
    ]);
    let rows = || world.mailbox(CHERRY, None).unwrap().letters;
    let of_own = || rows().into_iter().find(|row| row.letter.id.as_str() == own).unwrap();
    assert_eq!((of_own().state, of_own().unrecorded), (Fate::InFlight, false), "it stays open");
    assert_eq!(rows().iter().filter(|row| row.unrecorded).count(), 2);
    assert_eq!(world.post().letters_health(&caller(CHERRY)).unjudged, 1, "nobody here has judged it");
    let open = world.post().open_letters(&caller(CHERRY));
    assert_eq!(open.count, Some(2), "the letter of this home, and the friction");
    let marks: Vec<(String, bool)> =
        open.newest.into_iter().map(|row| (row.letter.class.unwrap_or_default(), row.unrecorded)).collect();
    assert!(marks.contains(&("friction".into(), true)), "{marks:?}");
    assert!(marks.contains(&("memory_misdelivery".into(), false)), "{marks:?}");
    // Among themselves, letters of others decide as ever.
    let theirs = rows().into_iter().find(|row| row.letter.class.as_deref() == Some("friction")).unwrap();
    brought(&[line(2, "triage", &format!(r#","answers":["{}"]"#, theirs.letter.id))]);
    let state = |id: &str| rows().into_iter().find(|row| row.letter.id.as_str() == id).unwrap().state;
    assert_eq!(state(theirs.letter.id.as_str()), Fate::FiredClay);
    // What is said through this home closes its letter.
    let triage = LetterDraft {
        answers: vec![own.clone()],
        verdict: Some("dismissed".into()),
        ..draft("triage", "harmless")
    };
    world.write(CHERRY, triage).unwrap();
    assert_eq!(state(&own), Fate::FiredClay);
    assert_eq!(world.post().letters_health(&caller(CHERRY)).unjudged, 0);
}

#[test] // spec: LTR-2
fn an_answer_without_an_address_goes_to_the_project_of_the_letters_it_answers() {
    let world = World::new();
    world.bootstrap(PLUM);
    let of_plum = world.write(PLUM, draft("bug", "it breaks")).unwrap();
    let of_cherry = world.write(CHERRY, draft("bug", "this too")).unwrap();
    let answer = |ids: &[&String]| LetterDraft {
        answers: ids.iter().map(|id| (*id).clone()).collect(),
        ..draft("triage", "looked at")
    };
    let written = |draft| world.post().write_letter(&caller(CHERRY), draft).unwrap().repo;
    assert_eq!(written(answer(&[&of_plum])).as_deref(), Some("plum"));
    assert_eq!(written(answer(&[&of_cherry])).as_deref(), Some("cherry"));
    assert_eq!(written(answer(&[&of_plum, &of_cherry])).as_deref(), Some("cherry"), "of several, its own");
    let named = LetterDraft { repo: Some("cherry".into()), ..answer(&[&of_plum]) };
    assert_eq!(written(named).as_deref(), Some("cherry"), "unless it names one");
}

#[test] // spec: LTR-2
fn a_brain_that_is_not_known_here_is_told() {
    let world = World::new();
    let told = |brain: &str| {
        let letter = LetterDraft { brain: Some(brain.into()), ..draft("bug", "it breaks") };
        world
            .post()
            .write_letter(&caller(CHERRY), letter)
            .unwrap()
            .notes
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert!(told("chery").contains("no brain of this home is called \"chery\""), "{}", told("chery"));
    assert!(told("chery@00000000").contains("no brain of this home"));
    assert_eq!((told("cherry").as_str(), told("medulla").as_str()), ("", ""));
}

#[test] // spec: LTR-12, LTR-13
fn a_mailbox_names_what_may_hold_its_letters_and_no_project_that_is_gone_without_any() {
    let world = World::new();
    for gone in ["/home/ana/m-copy", "/home/ana/almus"] {
        world.repository(gone);
        world.bootstrap(gone);
    }
    world.write("/home/ana/almus", draft("bug", "of almus")).unwrap();
    world.distribute();
    for gone in ["/home/ana/m-copy", "/home/ana/almus"] {
        world.disk.rename(Path::new(gone), Path::new(&format!("{gone}.deleted"))).unwrap();
    }
    let lost = || -> Vec<String> {
        let lost = world.mailbox(CHERRY, None).unwrap().unreachable;
        lost.into_iter().map(|lost| lost.path.display().to_string()).collect()
    };
    assert_eq!(lost(), [""; 0], "without letters nothing is answered");
    world.write(CHERRY, draft("bug", "of cherry")).unwrap();
    assert_eq!(lost(), ["/home/ana/almus/.brainstem/inbox.jsonl"], "it had letters");
    // One that is there and cannot be read may hold an answer.
    world.bootstrap(PLUM);
    world.disk.make_dirs(format!("{PLUM}/.brainstem/inbox.jsonl"));
    assert_eq!(lost().len(), 2, "{:?}", lost());
    // The sweep is over all of them.
    assert_eq!(world.sweep().unreachable.len(), 3);
}
