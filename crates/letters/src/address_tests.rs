//! Every spelling that was seen, one case each.

use super::*;

fn words() -> LocalNames {
    let alias = |name: &str, target: &str| (name.to_owned(), target.to_owned());
    LocalNames {
        user_home: Some("/home/ana".into()),
        owners: vec!["/home/ana/.brainstem".into(), "/home/ana/.m1nd".into()],
        aliases: vec![
            alias("gitrooms", "~/reporooms"),
            alias("mind-*", "~/mind/"),
            alias("scratch*", "medulla"),
            alias("mind-site", "site"),
            alias("old", "cherry@0011aabb"),
        ],
    }
}

fn letter(repo: Option<&str>, brain: Option<&str>) -> Letter {
    let line = serde_json::json!({ "repo": repo, "brain": brain }).to_string();
    Letter::parse(line.as_bytes()).expect("a letter")
}

/// What a letter aims at first.
fn first(letter: &Letter) -> Aim {
    let [brain, repo] = words().aims(letter);
    if aim_line(brain.clone()) == "none" { repo } else { brain }
}

/// One line for an aim.
fn aim_line(aim: Aim) -> String {
    match aim {
        Aim::NoProject => "none".into(),
        Aim::Written { otherwise, .. } => aim_line(*otherwise),
        Aim::Project { tries, .. } => {
            let one = |one: ProjectClue| match one {
                ProjectClue::Path(path) => path,
                ProjectClue::Brain { origin } => format!("brain {origin}"),
                ProjectClue::Name(name) => format!("name {name}"),
                ProjectClue::Folder(name) => format!("folder {name}"),
                ProjectClue::Marked { name, mark } => format!("folder {name} {mark}"),
            };
            tries.into_iter().map(one).collect::<Vec<_>>().join(", ")
        }
    }
}

#[track_caller]
fn check(repo: &str, expected: &str) {
    assert_eq!(aim_line(first(&letter(Some(repo), None))), expected, "{repo}");
}

#[test] // spec: LTR-5
fn a_project_is_known_by_path_name_or_alias_without_remarks() {
    check("mind", "name mind");
    check("mind (worktree fix-3)", "name mind");
    check("  mind (worktree a (b)) ", "name mind");
    check("mind (left open", "name mind");
    check("`mind`", "name mind");
    check("~/almus", "/home/ana/almus");
    check("~/almus/", "/home/ana/almus");
    check("/srv/x/../y/./z", "/srv/y/z");
    check("gitrooms", "/home/ana/reporooms");
    check("mind-fix-7", "/home/ana/mind");
    check("mind-site", "name site");
    check("/tmp/wt/mind-fix-7", "/tmp/wt/mind-fix-7, /home/ana/mind");
    check("old", "brain cherry@0011aabb");
    check("org/cherry", "name org/cherry");
    check("https://host/org/cherry.git", "name cherry");
    check("git@host:org/cherry.git", "name cherry");
    check("My Project", "name My Project");
}

#[test] // spec: LTR-5
fn what_names_no_project_is_for_all() {
    for repo in ["all", "ALL", "(research task, no repo)", "(no repo)", "none", "", " ", "~", "~/", "*"] {
        check(repo, "none");
    }
    check("~/.m1nd/runtimes/codex", "none");
    check("~/.brainstem", "none");
    check("/home/ana/x/../.brainstem/local", "none");
    check("scratch-9", "none");
    // Beside the owner's folder, not in it.
    check("~/.brainstem-two", "/home/ana/.brainstem-two");
    check("~/.brainstem/../cherry", "/home/ana/cherry");
    assert_eq!(words().aims(&letter(None, None)), [Aim::NoProject, Aim::NoProject]);
}

#[test] // spec: LTR-5, LTR-6
fn a_brain_decides_but_the_medulla_never_over_a_project() {
    let check = |repo, brain, expected: &str| {
        assert_eq!(aim_line(first(&letter(repo, brain))), expected, "{repo:?} {brain:?}");
    };
    check(Some("plum"), Some("cherry@0011aabb"), "brain cherry@0011aabb");
    check(Some("plum"), Some("cherry"), "name cherry");
    check(None, Some("~/cherry"), "/home/ana/cherry");
    check(Some("plum"), Some("medulla"), "name plum");
    check(Some("plum"), Some("all"), "name plum");
    check(Some("all"), Some("Medulla"), "none");
    check(None, Some("medulla"), "none");
    check(Some("plum"), Some("(unknown)"), "name plum");
    check(Some("plum"), Some("~/.brainstem"), "name plum");
}

#[test] // spec: LTR-5
fn a_name_that_climbs_or_is_cut_off_is_looked_for_nowhere() {
    for repo in ["../cherry", "a/../../b", "..", ".", "a//b", "~ana/cherry/..", "x\0y"] {
        check(repo, "");
    }
    let nobody = LocalNames::default();
    assert_eq!(aim_line(nobody.aim_at("~/cherry")), "name ~/cherry", "no home is known");
}

/// Every place where a letter is looked for, with the folder that is called exactly as it is written.
fn looked_for(letter: &Letter) -> String {
    let of = |aim: Aim| match aim {
        Aim::Written { exact, otherwise, .. } => {
            let exact = aim_line(Aim::Project { spelled: String::new(), tries: vec![exact] });
            format!("{exact}, else {}", aim_line(*otherwise))
        }
        aim => aim_line(aim),
    };
    let [brain, repo] = words().aims(letter);
    format!("{}; {}", of(brain), of(repo))
}

#[test] // spec: LTR-2, LTR-6
fn a_name_that_the_writer_resolved_is_that_folder_or_brain_whatever_it_reads_like() {
    let aimed = |field: &str, name: &str, exactly: &str| {
        let line = serde_json::json!({ field: name, "exact": { field: exactly } }).to_string();
        looked_for(&Letter::parse(line.as_bytes()).expect("a letter"))
    };
    for name in [
        "all",
        "none",
        "medulla",
        "*",
        "~",
        "(no repo)",
        "cherry (copy)",
        "cherry (copy",
        " cherry",
        "cherry ",
        "`cherry`",
        "cherry.git",
        "cherry@0011aabb",
        "mind-fix-7",
        "scratch-9",
        "a:b@c",
    ] {
        assert_eq!(aimed("repo", name, "folder"), format!("none; folder {name}"));
        assert_eq!(aimed("brain", name, "folder"), format!("folder {name}; none"));
    }
    assert_eq!(aimed("repo", "/srv/cherry (copy)", "folder"), "none; /srv/cherry (copy)");
    assert_eq!(aimed("brain", "mind-x (y@0011aabb", "id"), "brain mind-x (y@0011aabb; none");
    // The person's alias of exactly this name is a second way, and never the medulla.
    assert_eq!(aimed("repo", "gitrooms", "folder"), "none; folder gitrooms, /home/ana/reporooms");
    assert_eq!(aimed("repo", "scratch*", "folder"), "none; folder scratch*");
    // Of all folders that ever have the name, the one with this mark.
    let marked = |line: &str| looked_for(&Letter::parse(line.as_bytes()).expect("a letter"));
    let exact = r#""exact":{"repo":"folder","at":"0011aabb-0123456789abcdef"}"#;
    assert_eq!(
        marked(&format!(r#"{{"repo":"gitrooms",{exact}}}"#)),
        "none; folder gitrooms 0011aabb-0123456789abcdef, /home/ana/reporooms"
    );
    assert_eq!(
        marked(r#"{"repo":"cherry","exact":{"repo":"folder","at":"0011aabb"}}"#),
        "none; folder cherry",
        "a mark of another form says nothing"
    );
    // What cannot be is looked for nowhere, and waits.
    assert_eq!(aimed("repo", "../cherry", "folder"), "none; ");
    assert_eq!(aimed("brain", "cherry", "id"), "; none");
    // Another word has no meaning: the letter is read as one of another program.
    assert_eq!(aimed("repo", "all", "sure"), "none; none");
    let odd = Letter::parse(br#"{"repo":"all","exact":["repo"]}"#).expect("a letter");
    assert_eq!(looked_for(&odd), "none; none");
}

#[test] // spec: LTR-5
fn a_folder_that_is_called_exactly_so_counts_before_the_spelling_without_remarks() {
    let check = |repo: &str, expected: &str| {
        assert_eq!(looked_for(&letter(Some(repo), None)), format!("none; {expected}"), "{repo}");
    };
    check("cherry (copy)", "folder cherry (copy), else name cherry");
    check("cherry ", "folder cherry , else name cherry");
    check("all (old)", "folder all (old), else none");
    check("(no repo)", "folder (no repo), else none");
    check("cherry.git", "folder cherry.git, else name cherry");
    check("~/cherry (copy)", "/home/ana/cherry (copy), else /home/ana/cherry");
    check("/srv/cherry ", "/srv/cherry , else /srv/cherry");
    // Nothing was cut off.
    for (repo, expected) in [("cherry", "name cherry"), ("all", "none"), ("/srv/cherry/", "/srv/cherry")] {
        check(repo, expected);
    }
    check("cherry@0011aabb", "brain cherry@0011aabb");
}
