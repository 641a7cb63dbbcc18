//! Letters that mean harm: credentials, tricks with paths, lines that are none.

use super::world::{CHERRY, PLUM, SPOOL, USER, World, caller, draft, told};
use brainstem_post::letters::{Draft, End};
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
    assert_eq!(told(&done), (1, 0, 7, 0), "{done:?}");
    let rules: Vec<_> = done
        .letters
        .iter()
        .filter_map(|letter| match letter.end {
            End::Refused { rule } => Some(rule),
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
fn who_writes_a_credential_is_told_and_it_is_filed_nowhere() {
    let world = World::new();
    let letter = Draft { snippet: Some(format!("token {}", token())), ..draft("bug", "it was printed") };
    let written = world.post().write_letter(&caller(CHERRY), letter).unwrap();
    assert!(written.notes[0].contains("github_token") && !written.notes[0].contains(&token()[4..12]));
    assert_eq!(told(&world.distribute()), (0, 0, 1, 0));
    assert!(!holds(&elsewhere(&world), &token()));
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
    let (filed, pending, refused, unchanged) = told(&done);
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
    assert_eq!((told(&done), done.unreadable, done.waiting), ((2, 0, 0, 0), 4, 1));
    assert_eq!(world.disk.dump()[Path::new(SPOOL)], bytes);
    let health = world.post().letters_health(&caller(USER));
    let [finding] = health.findings.as_slice() else { panic!("{:?}", health.findings) };
    for number in ["line 2", "line 3", "line 4", "line 5"] {
        assert!(finding.detail.contains(number), "{}", finding.detail);
    }
    // The rest of the line comes, and the letter is whole.
    bytes.extend(b" yet\"}\n");
    world.disk.write_raw(SPOOL, &bytes);
    assert_eq!(told(&world.distribute()), (1, 0, 0, 2));
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
        let fault = world.post().distribute(&caller(USER), false, &|_, _| ()).unwrap_err();
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
        End::Pending { spelled, .. } => Some(spelled.chars().count()),
        _ => None,
    });
    assert_eq!(spelled, Some(201));
    let health = world.post().letters_health(&caller(USER));
    let longest = health.findings.iter().map(|finding| finding.detail.len()).max();
    assert!(longest < Some(1_000), "{longest:?}");
    let unreadable = health.findings.iter().filter(|finding| finding.place.starts_with(PLUM)).count();
    assert_eq!(unreadable, 1);
}
