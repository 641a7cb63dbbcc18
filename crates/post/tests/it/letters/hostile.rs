//! Letters that mean harm: credentials, tricks with paths, lines that are none.

use super::world::{CHERRY, PLUM, SPOOL, USER, World, caller, counts, draft, refusal};
use brainstem_post::letters::{Fate, Filing, LetterDraft, LetterEnd, LetterId};
use std::collections::BTreeSet;
use std::path::Path;

/// A token in the form of one forge, put together so that no scanner takes this file for a leak.
fn token() -> String {
    ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat()
}

/// Every file that can be committed or copied on: all but the spool.
fn elsewhere(world: &World) -> Vec<u8> {
    world
        .disk
        .dump()
        .into_iter()
        .filter(|(path, _)| path != Path::new(SPOOL))
        .flat_map(|(_, bytes)| bytes)
        .collect()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test] // spec: LTR-8, MEM-14
fn a_credential_never_leaves_the_spool_and_is_never_shown() {
    let world = World::new();
    let secret = token();
    // In plain sight; behind escapes; in a field nobody knows; as a name; in a field given twice.
    let escaped: String = secret.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
    let lines = [
        format!(r#"{{"repo":"cherry","what":"use {secret}"}}"#),
        format!(r#"{{"repo":"cherry","what":"use {escaped}"}}"#),
        format!(r#"{{"repo":"all","more":[{{"deep":"{escaped}"}}],"what":"x"}}"#),
        format!(r#"{{"repo":"cherry","{escaped}":1,"what":"y"}}"#),
        format!(r#"{{"repo":"cherry","what":"{escaped}","what":"z"}}"#),
        format!(r#"{{"repo":"{secret}","what":"pending and secret"}}"#),
        r#"{"repo":"cherry","what":"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic"}"#.to_owned(),
    ];
    for line in &lines {
        world.raw(line);
    }
    world.raw(r#"{"repo":"cherry","what":"the password lives in the keychain"}"#);
    let done = world.distribute();
    assert_eq!(counts(&done), (1, 0, 7, 0), "{done:?}");
    let rules: Vec<_> = done
        .letters
        .iter()
        .filter_map(|letter| match letter.end {
            LetterEnd::Refused { rule } => Some(rule),
            _ => None,
        })
        .collect();
    assert_eq!(rules[0], "github_token");
    let files = elsewhere(&world);
    assert!(!holds(&files, &secret) && !holds(&files, &escaped) && !holds(&files, &secret[4..20]));

    let shown = format!(
        "{:?} {:?} {:?} {:?}",
        world.sweep(),
        world.mailbox(CHERRY, None).unwrap(),
        world.post().letters_health(&caller(USER)),
        world.post().open_letters(&caller(CHERRY)),
    );
    assert!(!shown.contains(&secret[4..20]), "{shown}");
    assert_eq!(world.sweep().stuck.len(), 7);
}

#[test] // spec: LTR-8
fn a_credential_is_masked_before_the_letter_is_written_and_the_writer_is_told() {
    let world = World::new();
    let letter =
        LetterDraft { snippet: Some(format!("token {}", token())), ..draft("bug", "it was printed") };
    let written = world.post().write_letter(&caller(CHERRY), letter).unwrap();
    assert!(written.notes[0].contains("github_token") && !written.notes[0].contains(&token()[4..12]));
    assert!(!holds(&world.disk.dump()[Path::new(SPOOL)], &token()[4..20]), "not even in the spool");
    assert_eq!(counts(&world.distribute()), (1, 0, 0, 0), "the letter itself is not lost");
    let swept = world.sweep();
    assert_eq!((swept.letters[0].letter.id.clone(), swept.letters.len()), (written.id, 1));
    // An unfinished merge is no secret: it is kept as it is, in the spool alone.
    let merge = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic";
    world.write(CHERRY, draft("bug", merge)).unwrap();
    assert_eq!(counts(&world.distribute()), (0, 0, 1, 1));
}

/// The line of a letter that some program wrote with a secret in it.
fn leaking(secret: &str) -> String {
    format!(
        r#"{{"ts":"2026-07-01T08:00:00Z","class":"memory_misdelivery","kind":"leak","repo":"cherry","what":"it was shown","more":"password = {secret}"}}"#
    )
}

/// The hash of a whole line.
fn hash_of(line: &str) -> String {
    LetterId::of_line(line.as_bytes()).to_string()
}

/// Everything that is answered about letters.
fn answers(world: &World) -> String {
    let ids: Vec<String> = world.sweep().letters.iter().map(|row| row.letter.id.to_string()).collect();
    let shown: Vec<_> = ids.iter().map(|id| world.post().show_letter(&caller(CHERRY), id).unwrap()).collect();
    format!(
        "{:?} {:?} {:?} {:?} {:?} {shown:?}",
        world.plan(),
        world.sweep(),
        world.mailbox(CHERRY, None).unwrap(),
        world.post().letters_health(&caller(USER)),
        world.post().open_letters(&caller(CHERRY)),
    )
}

#[test] // spec: LTR-3, LTR-8
fn the_id_of_a_letter_is_the_same_whatever_secret_is_in_it() {
    let id_with = |secret: &str| {
        let world = World::new();
        world.raw(&leaking(secret));
        let shown = answers(&world);
        assert!(!shown.contains(&hash_of(&leaking(secret))), "{shown}");
        world.sweep().letters[0].letter.id.to_string()
    };
    assert_eq!(id_with("kq8Fz2Lw9xTT"), id_with("Zt1mXw9Kd3Vb"));
    // Two of them in one spool are two letters.
    let world = World::new();
    world.raw(&leaking("kq8Fz2Lw9xTT"));
    world.raw(&leaking("Zt1mXw9Kd3Vb"));
    let ids: BTreeSet<_> = world.sweep().letters.iter().map(|row| row.letter.id.to_string()).collect();
    assert_eq!(ids.len(), 2);
    assert!(ids.contains(&id_with("kq8Fz2Lw9xTT")), "the first in the spool is known as it was alone");
    // The hash of a guess finds nothing.
    for line in [leaking("kq8Fz2Lw9xTT"), leaking("wrong-guess-1X")] {
        let fault = refusal(world.post().show_letter(&caller(CHERRY), &hash_of(&line)));
        assert!(fault.message.starts_with("no letter has the id"), "{fault}");
    }
}

#[test] // spec: LTR-3, LTR-10
fn a_letter_with_a_secret_is_closed_by_its_id_and_by_the_hash_that_older_receipts_have() {
    let world = World::new();
    let line = leaking("kq8Fz2Lw9xTT");
    let closes = |answers: &str| {
        format!(r#"{{"class":"receipt","repo":"cherry","what":"seen","answers":["{answers}"]}}"#)
    };
    let fate = |world: &World| {
        let rows = world.sweep().letters;
        rows.into_iter().find(|row| row.letter.what.as_deref() == Some("it was shown")).unwrap()
    };
    world.raw(&line);
    let id = fate(&world).letter.id.to_string();
    assert_eq!(fate(&world).state, Fate::WetInk);
    // A receipt of an older program, which was filed by it.
    let old = World::new();
    old.raw(&line);
    old.raw(&closes(&hash_of(&line)));
    assert_eq!(fate(&old).state, Fate::FiredClay);
    assert!(!answers(&old).contains(&hash_of(&line)), "{}", answers(&old));
    let done = old.distribute();
    assert_eq!(counts(&done), (0, 0, 2, 0), "what repeats the hash is not committed any more: {done:?}");
    old.disk.write_raw(
        format!("{CHERRY}/.brainstem/inbox.jsonl"),
        format!("{}\n", closes(&hash_of(&line))).as_bytes(),
    );
    assert_eq!((counts(&old.distribute()), fate(&old).state), ((0, 0, 1, 1), Fate::FiredClay));
    // Who gives a hash now is answered alike whether the guess at the secret is right or wrong.
    let guessed = |line: &str| {
        let receipt = LetterDraft { answers: vec![hash_of(line)], ..draft("triage", &hash_of(line)) };
        let written = world.post().write_letter(&caller(CHERRY), receipt).unwrap();
        let row = world.post().show_letter(&caller(CHERRY), written.id.as_str()).unwrap().0;
        assert_eq!((row.letter.answers, row.letter.what), (vec![hash_of(line)], Some(hash_of(line))));
        let done = world.distribute();
        (
            written.notes[0].to_string().replace(&hash_of(line), "ID"),
            row.state,
            fate(&world).state,
            counts(&done).0,
        )
    };
    let right = guessed(&line);
    assert_eq!(right, guessed(&leaking("Zt1mXw9Kd3Vb")));
    assert_eq!((right.0.starts_with("no letter within reach"), right.2), (true, Fate::WetInk));
    // By its id it is closed.
    let receipt = LetterDraft { answers: vec![id.clone()], ..draft("triage", "seen") };
    let written = world.post().write_letter(&caller(CHERRY), receipt).unwrap();
    assert_eq!((written.notes, fate(&world).state), (Vec::new(), Fate::FiredClay));
    assert_eq!(counts(&world.distribute()).0, 1);
}

#[test] // spec: LTR-3, LTR-17
fn the_case_of_a_letter_with_a_secret_is_named_by_its_id() {
    let world = World::new();
    let line = leaking("kq8Fz2Lw9xTT");
    world.raw(&line);
    let id = world.sweep().letters[0].letter.id.to_string();
    let verdict = LetterDraft {
        answers: vec![id.clone()],
        verdict: Some("confirmed".into()),
        ..draft("triage", "yes")
    };
    world.write(CHERRY, verdict).unwrap();
    let added = world.post().draft_case(&caller(CHERRY), &id, None).unwrap();
    assert!(added.path.ends_with(format!("leak-{id}.json")), "{added:?}");
    assert!(!holds(&elsewhere(&world), &hash_of(&line)));
    // A case of an older program is known by the hash.
    let text = String::from_utf8(world.disk.dump().remove(&added.path).unwrap()).unwrap();
    world.disk.write_raw(&added.path, text.replace(&id, &hash_of(&line)).as_bytes());
    let health = world.post().letters_health(&caller(USER));
    let found: Vec<&str> = health.findings.iter().map(|finding| finding.detail.as_str()).collect();
    assert!(found.iter().any(|detail| detail.contains("has only a draft")), "{found:?}");
}

#[test] // spec: LTR-2, LTR-5
fn tricks_with_paths_reach_no_folder_that_is_no_project() {
    let world = World::new();
    world.disk.make_dirs("/etc");
    world.disk.make_dirs("/home/ana/.ssh");
    for (at, repo) in [
        "/",
        "/etc",
        "/proc/self",
        "~",
        "~/..",
        "/home/ana/.brainstem/local",
        "../../etc",
        "..",
        "a/../..",
        "x\\u0000y",
        "\\n",
        "~root/x",
        "/home/ana/cherry/.git/HEAD",
        "file:///etc/passwd",
        "-rf",
        "*",
        "?????",
    ]
    .iter()
    .enumerate()
    {
        world.raw(&format!(r#"{{"n":{at},"repo":"{repo}","what":"x"}}"#));
        world.raw(&format!(r#"{{"n":{at},"brain":"{repo}","what":"y"}}"#));
    }
    let before = world.disk.dump();
    let done = world.distribute();
    let (filed, pending, refused, unchanged) = counts(&done);
    assert_eq!((filed + pending, refused, unchanged), (34, 0, 0));
    let new: Vec<_> = world.disk.dump().into_keys().filter(|path| !before.contains_key(path)).collect();
    let allowed = |path: &Path| path.starts_with("/home/ana/.brainstem");
    assert!(new.iter().all(|path| allowed(path)), "{new:?}");
}

#[test] // spec: LTR-1, LTR-2
fn lines_that_are_no_letters_stay_are_counted_and_block_nothing() {
    let world = World::new();
    world.raw(r#"{"repo":"cherry","what":"first"}"#);
    world.raw("resolved, see above");
    world.raw(&format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000)));
    world.raw(&format!(r#"{{"repo":"cherry","what":"{}"}}"#, "x".repeat(300 * 1024)));
    let mut bytes = world.disk.dump().remove(Path::new(SPOOL)).unwrap();
    bytes.extend(
        b"\xff\xfe{}\n{\"repo\":\"cherry\",\"what\":\"last\"}\n{\"repo\":\"cherry\",\"what\":\"no newline",
    );
    world.disk.write_raw(SPOOL, &bytes);
    let done = world.distribute();
    assert_eq!((counts(&done), done.unreadable, done.waiting), ((2, 0, 0, 0), 4, 1));
    assert_eq!(world.disk.dump()[Path::new(SPOOL)], bytes);
    let health = world.post().letters_health(&caller(USER));
    let [finding] = health.findings.as_slice() else { panic!("{:?}", health.findings) };
    for number in ["line 2", "line 3", "line 4", "line 5"] {
        assert!(finding.detail.contains(number), "{}", finding.detail);
    }
    // The rest of the line comes, and the letter is whole.
    bytes.extend(b" yet\"}\n");
    world.disk.write_raw(SPOOL, &bytes);
    assert_eq!(counts(&world.distribute()), (1, 0, 0, 2));
}

#[test] // spec: LTR-1, LTR-12, LTR-13
fn a_spool_that_cannot_be_read_is_told_and_never_counts_as_empty() {
    for odd in ["folder", "link"] {
        let world = World::new();
        match odd {
            "folder" => world.disk.make_dirs(SPOOL),
            _ => world.disk.make_link("/etc/passwd", SPOOL),
        }
        let open = world.post().open_letters(&caller(CHERRY));
        assert!(open.count.is_none() && open.why.is_some_and(|why| why.contains(SPOOL)), "{odd}");
        let counts = world.post().open_counts(&caller(USER), &[CHERRY.into()]);
        assert!(counts.values().all(Result::is_err), "{odd}: a box may have letters there");
        let fault = refusal(world.post().distribute(&caller(USER), Filing::Real, &|_, _| ()));
        assert_eq!(fault.code.name(), "store.unreadable", "{odd}: nothing was filed");
        assert_eq!(world.sweep().unreachable.len(), 1, "{odd}");
        assert!(world.write(CHERRY, draft("bug", "a")).is_err(), "{odd}");
    }
}

#[test] // spec: LTR-6, LTR-12
fn what_is_told_of_a_letter_is_short_and_told_once() {
    let world = World::new();
    world.raw(&format!(r#"{{"repo":"{}","what":"x"}}"#, "a/".repeat(50_000)));
    world.raw(r#"{"repo":"plum","what":"x"}"#);
    world.disk.make_dirs(format!("{PLUM}/.brainstem/inbox.jsonl"));
    world.bootstrap(PLUM);
    let done = world.distribute();
    assert_eq!(done.unreachable.len(), 1, "{:?}", done.unreachable);
    let spelled = done.letters.iter().find_map(|ended| match &ended.end {
        LetterEnd::Pending { spelled, .. } => Some(spelled.chars().count()),
        _ => None,
    });
    assert_eq!(spelled, Some(201));
    let health = world.post().letters_health(&caller(USER));
    let longest = health.findings.iter().map(|finding| finding.detail.len()).max();
    assert!(longest < Some(1_000), "{longest:?}");
    let unreadable = health.findings.iter().filter(|finding| finding.place.starts_with(PLUM)).count();
    assert_eq!(unreadable, 1);
}
