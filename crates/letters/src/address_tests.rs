//! Every spelling that was met, one case each.

use super::*;

fn words() -> Words {
    let alias = |name: &str, target: &str| (name.to_owned(), target.to_owned());
    Words {
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
    if brain == Aim::NoProject { repo } else { brain }
}

/// One line for an aim.
fn told(aim: Aim) -> String {
    match aim {
        Aim::NoProject => "none".into(),
        Aim::Project { tries, .. } => {
            let one = |one: Try| match one {
                Try::Path(path) => path,
                Try::Brain { origin } => format!("brain {origin}"),
                Try::Name(name) => format!("name {name}"),
            };
            tries.into_iter().map(one).collect::<Vec<_>>().join(", ")
        }
    }
}

#[track_caller]
fn check(repo: &str, expected: &str) {
    assert_eq!(told(first(&letter(Some(repo), None))), expected, "{repo}");
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
        assert_eq!(told(first(&letter(repo, brain))), expected, "{repo:?} {brain:?}");
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
    let nobody = Words::default();
    assert_eq!(told(nobody.aim_at("~/cherry")), "name ~/cherry", "no home is known");
}
