//! Worktrees: of a repository, of a bare one, and of one that is away.

use crate::place::Place;
use crate::world::{Short as _, claim, code};
use brainstem_base::Coded as _;
use brainstem_memory::{
    BootstrapRequest, BrainWish, Caller, DoctorRequest, GitWish, InitRequest, MemorizeRequest, Moving,
    ResolveRequest, Tier, VerifyRequest,
};
use brainstem_transfer::mixed_medulla;

#[test] // spec: MEM-17
fn worktrees_map_to_their_repository() {
    let place = Place::new();
    place.repository("src/cherry");
    place.git("src/cherry", &["worktree", "add", "-q", "inside"]);
    place.git("src/cherry", &["worktree", "add", "-q", "../outside"]);
    assert_eq!(place.lands("src/outside/lib"), "src/cherry?");
    assert_eq!(place.begin("src/outside/lib"), place.at("src/cherry"));
    for dir in ["src/outside", "src/outside/lib", "src/cherry/inside", "src/cherry/inside/lib", "src/cherry"]
    {
        assert_eq!(place.lands(dir), "src/cherry", "{dir}");
    }
    place.tell("src/outside", "Retry policy", "three times");
    assert_eq!(place.found("src/cherry"), ["three times"]);
}

#[test] // spec: MEM-17
fn a_submodule_is_its_own_project_and_so_are_its_worktrees() {
    let place = Place::new();
    place.repository("src/plum");
    place.repository("src/cherry");
    place.git("src/cherry", &["submodule", "--quiet", "add", "../plum", "vendor/plum"]);
    place.commit("src/cherry");
    place.git("src/cherry/vendor/plum", &["worktree", "add", "-q", "../../../plum-tree"]);
    place.begin("src/cherry");
    assert_eq!(place.lands("src/cherry/vendor/plum/lib"), "src/cherry/vendor/plum?");
    assert_eq!(place.lands("src/plum-tree/lib"), "src/cherry/vendor/plum?");
    assert_eq!(place.begin("src/plum-tree"), place.at("src/cherry/vendor/plum"));
    assert_eq!(place.lands("src/plum-tree/lib"), "src/cherry/vendor/plum");
    assert_eq!(place.lands("src/cherry/vendor"), "src/cherry");
    assert_eq!(place.lands("src/plum"), "src/plum?", "where it was cloned from is another project");
}

#[test] // spec: MEM-17, MEM-21
fn a_folder_that_only_says_it_is_a_worktree_is_a_project_of_its_own() {
    let place = Place::new();
    place.repository("src/plum");
    place.begin("src/plum");
    place.tell("src/plum", "Colour", "blue");
    place.git("src/plum", &["worktree", "add", "-q", "../plum-tree"]);

    // Its own folder for git that names the repository of another project.
    place.write("src/one/.git", "gitdir: g\n");
    place.write("src/one/g/commondir", "../../plum/.git\n");
    place.write("src/one/g/gitdir", &format!("{}\n", place.at("src/one/.git").display()));
    // The folder of a worktree that is another one.
    let of_tree = place.at("src/plum/.git/worktrees/plum-tree");
    place.write("src/two/.git", &format!("gitdir: {}\n", of_tree.display()));
    // A repository of its own that says its files lie in another project.
    place.write("src/three/.git", "gitdir: c/worktrees/w\n");
    place.write("src/three/c/worktrees/w/commondir", "../..\n");
    place.write("src/three/c/worktrees/w/gitdir", "../../../.git\n");
    place.write("src/three/c/config", "[core]\n\tworktree = ../../plum\n");
    for dir in ["src/one", "src/two", "src/three"] {
        assert_eq!(place.lands(dir), format!("{dir}?"), "{dir}");
        assert_eq!(place.found(dir), [] as [String; 0], "{dir}");
        assert_eq!(code(place.memory().tell(&place.in_(dir), "a", "b")), "memory.brainless_root", "{dir}");
    }
    assert_eq!(place.lands("src/plum-tree"), "src/plum", "a true one stands for its repository");
}

/// The gap of a worktree whose repository is not found, in every answer that reads.
fn lost(place: &Place, dir: &str, origin: &str, claims: &str) {
    let (memory, there) = (place.memory(), place.in_(dir));
    assert_eq!(place.lands(dir), "src/tree*");
    for gaps in [
        memory.all(&there).gaps,
        memory.find(&there, "tree", Tier::Both).gaps,
        memory.beat(&there, "tree").gaps,
        memory.status(&there).unwrap().replaced_gap.into_iter().collect(),
    ] {
        let gap = gaps.iter().find(|gap| gap.name == "root_gone").unwrap_or_else(|| panic!("{gaps:?}"));
        let detail = gap.detail.to_string();
        assert!(detail.contains(&format!("({origin}, {claims})")), "{detail}");
        assert!(
            detail.contains("is a worktree of the repository at") && detail.contains("--anew"),
            "{detail}"
        );
        assert!(detail.contains("git worktree repair"), "{detail}");
        assert!(!gaps.iter().any(|gap| gap.name == "empty"), "{gaps:?}");
    }
    assert_eq!(code(memory.look_at(&there, "From the tree", Tier::Both)), "memory.root_gone");
    assert_eq!(code(memory.begin(&there)), "memory.root_gone");
    assert_eq!(code(memory.tell(&there, "New", "text")), "memory.root_gone");
    assert_eq!(code(memory.init(&there, &InitRequest::default())), "memory.root_gone");
}

#[test] // spec: MEM-17, MEM-23, MEM-1a
fn a_worktree_whose_repository_is_away_names_the_memory_that_is_kept() {
    for in_repository in [false, true] {
        let place = Place::new();
        place.repository("src/cherry");
        place.begin("src/cherry");
        if in_repository {
            place.init("src/cherry");
            place.commit_all("src/cherry");
        }
        place.git("src/cherry", &["worktree", "add", "-q", "../tree"]);
        place.tell("src/tree", "From the tree", "three times");
        let (id, origin) = (place.id("src/tree"), place.origin("src/tree"));
        place.move_to("src/cherry", "src/moved");
        lost(&place, "src/tree/lib", &origin, "1 claim");
        assert!(!place.memory().brains(&place.in_("src/tree")).unwrap().brains.iter().any(|row| row.here));
        // Its new place is known: the repository names the worktree.
        assert_eq!(place.found("src/moved"), ["three times"]);
        lost(&place, "src/tree", &origin, "1 claim");
        place.git("src/moved", &["worktree", "repair"]);
        assert_eq!((place.lands("src/tree"), place.id("src/tree")), ("src/moved".into(), id));
        assert_eq!(place.found("src/tree"), ["three times"]);
        // The worktree was moved.
        place.move_to("src/tree", "src/elsewhere");
        assert_eq!(place.lands("src/elsewhere"), "src/elsewhere*");
        place.git("src/moved", &["worktree", "repair", "../elsewhere"]);
        assert_eq!(place.found("src/elsewhere"), ["three times"]);
    }
}

#[test] // spec: MEM-17, MEM-1b
fn a_worktree_whose_repository_is_gone_takes_its_memory_up_by_name() {
    for in_repository in [false, true] {
        let place = Place::new();
        place.repository("src/cherry");
        place.begin("src/cherry");
        if in_repository {
            place.init("src/cherry");
        }
        place.tell("src/cherry", "Retry policy", "three times");
        place.commit_all("src/cherry");
        place.git("src/cherry", &["worktree", "add", "-q", "../tree"]);
        let (id, origin) = (place.id("src/tree"), place.origin("src/tree"));
        place.move_to("src/cherry", "away");
        let request = BootstrapRequest { brain: BrainWish::TakeUp(origin), ..Default::default() };
        let taken = place.memory().bootstrap(&place.in_("src/tree"), &request).unwrap();
        assert!(taken.taken_up);
        assert_eq!((place.lands("src/tree"), place.id("src/tree")), ("src/tree".into(), id));
        assert_eq!(place.found("src/tree"), ["three times"]);
    }
}

#[test] // spec: MEM-17, MEM-23
fn a_brain_that_was_made_in_a_worktree_is_named_where_the_repository_serves_it() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.git("src/cherry", &["worktree", "add", "-q", "../tree"]);
    place.tell("src/tree", "From the tree", "three times");
    place.move_to("src/cherry", "away");
    let request = BootstrapRequest { brain: BrainWish::Anew, ..Default::default() };
    let made = place.memory().bootstrap(&place.in_("src/tree"), &request).unwrap();
    assert!(made.notes.iter().all(|note| !note.contains("changed nothing")), "{:?}", made.notes);
    place.tell("src/tree", "Meanwhile", "four times");
    assert_eq!(place.found("src/tree"), ["four times"]);
    place.move_to("away", "src/cherry");
    let (memory, there) = (place.memory(), place.in_("src/tree/lib"));
    assert_eq!(place.found("src/tree"), ["three times"]);
    let kept = format!("({}, 1 claim)", made.brain.origin());
    for gaps in [
        memory.all(&there).gaps,
        memory.find(&there, "tree", Tier::Project).gaps,
        memory.beat(&there, "tree").gaps,
        memory.status(&there).unwrap().project_gaps,
    ] {
        let gap = gaps.iter().find(|gap| gap.name == "worktree_brain").unwrap_or_else(|| panic!("{gaps:?}"));
        assert!(gap.detail.contains(&kept), "{gap:?}");
    }
    let found = memory.doctor(&there, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
    assert_eq!(found.iter().map(|found| found.trouble.name()).collect::<Vec<_>>(), ["worktree_brain"]);
    memory.set_aside(&there, &made.brain.fingerprint, "").unwrap();
    assert!(!memory.all(&there).gaps.iter().any(|gap| gap.name == "worktree_brain"));
}

/// The places of a bare repository with two worktrees, `one` and `two`: beside it, below the folder that points to it, and
/// below the folder that holds it as `.git`. In each the bare repository and the folder of the worktrees.
const BARE: [(&str, &str); 3] =
    [("src/bare.git", "src"), ("src/hidden/.bare", "src/hidden"), ("src/inside/.git", "src/inside")];

/// Makes a bare repository with two worktrees out of a repository.
fn bare(place: &Place, from: &str, (bare, dir): (&str, &str)) {
    let (from, to) = (place.at(from).display().to_string(), place.at(bare).display().to_string());
    place.git("src", &["clone", "-q", "--bare", &from, &to]);
    if bare.ends_with(".bare") {
        place.write(&format!("{dir}/.git"), "gitdir: ./.bare\n");
    }
    for name in ["one", "two"] {
        let tree = place.at(&format!("{dir}/{name}")).display().to_string();
        place.git(bare, &["worktree", "add", "-q", &tree]);
    }
}

/// The root of a bare repository: the folder that holds it or names it, or the repository itself.
fn root_of(at: &str, dir: &str) -> String {
    if at.ends_with("bare.git") { at.to_owned() } else { dir.to_owned() }
}

#[test] // spec: MEM-17, MEM-15
fn the_worktrees_of_a_bare_repository_are_one_project() {
    for (at, dir) in BARE {
        let place = Place::new();
        place.repository("src/cherry");
        bare(&place, "src/cherry", (at, dir));
        let [one, two, three] = ["one", "two", "three"].map(|name| format!("{dir}/{name}"));
        let root = root_of(at, dir);
        for tree in [&one, &two] {
            assert_eq!(place.lands(&format!("{tree}/lib")), format!("{root}?"));
        }
        assert_eq!(code(place.memory().tell(&place.in_(&one), "a", "b")), "memory.brainless_root");
        assert_eq!(place.begin(&format!("{one}/lib")), place.at(&root));
        place.tell(&one, "Retry policy", "three times");
        let tree = place.at(&three).display().to_string();
        place.git(at, &["worktree", "add", "-q", &tree]);
        place.git(at, &["worktree", "remove", "one"]);
        for tree in [&two, &three, &root] {
            assert_eq!((place.found(tree), place.lands(tree)), (vec!["three times".into()], root.clone()));
        }
        assert_eq!(place.lands("src/cherry"), "src/cherry?");
    }
}

#[test] // spec: MEM-17, MEM-2
fn init_in_a_worktree_of_a_bare_repository_brings_the_memory_there_and_all_worktrees_see_it() {
    for (at, dir) in BARE {
        let place = Place::new();
        place.repository("src/cherry");
        bare(&place, "src/cherry", (at, dir));
        let [one, two] = ["one", "two"].map(|name| format!("{dir}/{name}"));
        place.begin(&one);
        place.tell(&two, "Retry policy", "three times");
        let id = place.id(&one);
        let planned = InitRequest { moving: Moving::DryRun, ..InitRequest::default() };
        let planned = place.memory().init(&place.in_(&one), &planned).unwrap();
        assert_eq!((planned.root, planned.moves.len()), (place.at(&one), 1));
        assert_eq!(place.lands(&one), root_of(at, dir), "a plan changes nothing");
        let done = place.memory().init(&place.in_(&one), &InitRequest::default()).unwrap();
        assert_eq!((done.root, done.moves.len()), (place.at(&one), 1));
        assert!(place.at(&format!("{one}/.brainstem/agent-memory/retry-policy.light.md")).exists());
        assert!(!place.at(&format!("{}/.brainstem", root_of(at, dir))).exists());
        place.tell(&two, "Port", "5432");
        for tree in [&one, &two] {
            assert_eq!(place.lands(tree), one);
            assert_eq!((place.found(tree).len(), place.id(tree)), (2, id.clone()));
        }
        // The worktree with the checkout goes, and what the home keeps of it is named.
        place.commit_all(&one);
        place.git(at, &["worktree", "remove", "--force", "one"]);
        let status = place.memory().status(&place.in_(&two)).unwrap();
        let orphan = status.orphan.expect("the memory is kept");
        assert!(orphan.is_recognised, "{orphan:?}");
        let taken = BootstrapRequest { brain: BrainWish::TakeUp(id.clone()), ..BootstrapRequest::default() };
        place.memory().bootstrap(&place.in_(&two), &taken).unwrap();
        place.init(&two);
        assert_eq!((place.lands(&two), place.found(&two).len(), place.id(&two)), (two.clone(), 2, id));
    }
}

#[test] // spec: MEM-17, MEM-1a
fn a_bare_repository_that_names_the_folder_of_another_project_gets_nothing_of_it() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.tell("src/cherry", "Retry policy", "three times");
    place.repository("src/plum");
    bare(&place, "src/plum", BARE[1]);
    let there = place.at("src/cherry/.git").display().to_string();
    place.write("src/hidden/.bare/worktrees/a/gitdir", &format!("{there}\n"));
    place.write("src/hidden/.bare/worktrees/a/commondir", "../..\n");
    place.write("src/hidden/.bare/worktrees/a/HEAD", "ref: refs/heads/one\n");
    assert_eq!(place.lands("src/hidden/one"), "src/hidden?");
    assert_eq!(place.found("src/hidden/one"), [""; 0]);
}

#[test] // spec: MEM-17, MEM-2
fn the_memory_that_is_committed_in_a_worktree_of_a_bare_repository_is_served_there() {
    for (at, dir) in BARE {
        let place = Place::new();
        place.repository("src/cherry");
        place.begin("src/cherry");
        place.init("src/cherry");
        place.tell("src/cherry", "Retry policy", "three times");
        place.commit_all("src/cherry");
        let id = place.id("src/cherry");
        bare(&place, "src/cherry", (at, dir));
        let [one, two] = ["one", "two"].map(|name| format!("{dir}/{name}"));
        for tree in [&one, &two] {
            assert_eq!((place.found(tree), place.id(tree)), (vec!["three times".into()], id.clone()));
        }
        assert_eq!(place.begin(&one), place.at(&one), "its brain is the one that it carries");
        place.init(&one);
        place.tell(&one, "Retry policy", "four times");
        assert_eq!(place.found(&one), ["four times"]);
        assert!(place.committable(&one).iter().any(|path| path.contains("retry-policy")));
        assert_eq!(place.found(&two), ["three times"], "until git brings it there");
        place.commit_all(&one);
        place.git(&two, &["merge", "-q", "one"]);
        assert_eq!(place.found(&two), ["four times"]);
        let found =
            place.memory().doctor(&place.in_(&two), &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap();
        assert_eq!(found.findings.iter().map(|found| found.trouble.name()).collect::<Vec<_>>(), [""; 0]);
    }
}

#[test] // spec: MEM-17, MEM-2
fn worktrees_share_the_brain_that_a_bare_repository_itself_was_given() {
    let place = Place::new();
    place.repository("src/cherry");
    bare(&place, "src/cherry", BARE[0]);
    assert_eq!(place.begin("src/bare.git"), place.at("src/bare.git"));
    place.tell("src/one", "Retry policy", "three times");
    assert_eq!(place.lands("src/two/lib"), "src/bare.git");
    assert_eq!(place.found("src/two"), ["three times"]);
    assert_eq!(place.lands("src/bare.git/objects"), "src/bare.git");
    let refused = place.memory().init(&place.in_("src/bare.git"), &InitRequest::default()).unwrap_err();
    assert_eq!(refused.code().name(), "memory.not_a_repository");
    assert!(refused.to_string().contains("is a bare repository"), "{refused}");
    assert!(!place.at("src/bare.git/.brainstem").exists() && !place.at("src/one/.brainstem").exists());
}

#[test] // spec: MEM-32, MEM-17
fn evidence_that_is_given_in_a_worktree_is_that_of_the_worktrees_own_branch() {
    let place = Place::new();
    place.repository("src/cherry");
    place.write("src/cherry/conf.ini", "retries = 3\n");
    place.commit("src/cherry");
    place.begin("src/cherry");
    place.git("src/cherry", &["worktree", "add", "-q", "../tree"]);
    place.write("src/tree/conf.ini", "retries = 5\n");
    place.write("src/tree/new.ini", "new = 1\n");
    place.commit("src/tree");
    let (memory, tree) = (place.memory(), place.in_("src/tree"));
    let main = place.in_("src/cherry");
    let whole = place.at("src/tree/new.ini").display().to_string();
    let said = memory.memorize(
        &tree,
        &MemorizeRequest {
            evidence: vec!["conf.ini#L1".into(), "new.ini".into(), whole],
            ..claim("Retries", "five times since this branch")
        },
    );
    let said = said.unwrap();
    assert!(said.notes.is_empty(), "{:?}", said.notes);
    assert!(said.claim.evidence.iter().all(|one| one.hash.is_some() && !one.path.starts_with('/')));
    let broken = |caller: &Caller| {
        let request = VerifyRequest { label: Some("Retries".into()), tier: Tier::Project, limit: 9 };
        memory.verify(caller, &request).unwrap().broken
    };
    let marked = |caller: &Caller| memory.all(caller).rows[0].evidence_changed.len();
    assert_eq!((broken(&tree), marked(&tree)), (0, 0), "the worktree has what the claim says");
    assert_eq!(broken(&main), 1, "the main checkout has another branch");
    place.git("src/cherry", &["merge", "-q", "tree"]);
    assert_eq!((broken(&main), marked(&main)), (0, 0), "the merged branch has it");
}

/// A shared project whose worktree `src/tree` merges two versions of a claim.
fn merged_in_a_worktree(place: &Place) {
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.init("src/cherry");
    place.tell("src/cherry", "Retry", "three times");
    place.commit("src/cherry");
    place.git("src/cherry", &["worktree", "add", "-q", "-b", "feature", "../tree"]);
    place.tell("src/cherry", "Retry", "four times");
    let main =
        std::fs::read_to_string(place.at("src/cherry/.brainstem/agent-memory/retry.light.md")).unwrap();
    place.commit("src/cherry");
    let before =
        std::fs::read_to_string(place.at("src/tree/.brainstem/agent-memory/retry.light.md")).unwrap();
    let other = before.replace("three times", "five times");
    let merged = format!("<<<<<<< ours\n{other}=======\n{main}>>>>>>> theirs\n");
    place.write("src/tree/.brainstem/agent-memory/retry.light.md", &merged);
}

#[test] // spec: MEM-49
fn versions_that_git_merged_in_a_worktree_wait_there_and_are_decided_there() {
    let place = Place::new();
    merged_in_a_worktree(&place);
    let (memory, tree) = (place.memory(), place.in_("src/tree"));
    let doctor = || {
        let found = memory.doctor(&tree, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
        found.into_iter().filter(|finding| finding.trouble.name() == "merge_undecided").count()
    };
    let waiting = |request: &ResolveRequest| memory.resolve(&tree, request).unwrap();
    let listed = waiting(&ResolveRequest::default());
    let file = place.at("src/tree/.brainstem/agent-memory/retry.light.md");
    assert_eq!(listed.waiting.len(), 2, "{listed:?}");
    assert!(listed.waiting.iter().all(|row| row.path == file), "{:?}", listed.waiting);
    assert_eq!(doctor(), 1);
    assert!(memory.resolve(&place.in_("src/cherry"), &ResolveRequest::default()).unwrap().waiting.is_empty());
    let (label, take) = (Some("Retry".to_owned()), Some("theirs".to_owned()));
    let done = waiting(&ResolveRequest { label, take, ..ResolveRequest::default() });
    assert_eq!(
        (done.claim.unwrap().text.as_str(), done.path, done.waiting.len()),
        ("four times", Some(file), 0)
    );
    assert_eq!(doctor(), 0);
    let shown = memory.look_at(&place.in_("src/cherry"), "Retry", Tier::Project).unwrap();
    let live = shown.claim.unwrap();
    assert!(!live.resurrected, "the main checkout has the version that was taken, and nothing came back");
}

#[test] // spec: MEM-43, MEM-17
fn a_worktree_is_diagnosed_as_its_repository_and_its_fixes_name_that() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.init("src/cherry");
    place.tell("src/cherry", "Retry", "three times");
    place.commit("src/cherry");
    place.git("src/cherry", &["worktree", "add", "-q", "-b", "feature", "../tree"]);
    let (memory, tree) = (place.memory(), place.in_("src/tree"));
    let stores = memory.doctor(&tree, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().stores;
    let roots: Vec<_> = stores.into_iter().filter_map(|store| store.root).collect();
    assert_eq!(roots, [place.at("src/cherry")], "brains has no other");
    let request = InitRequest { git: GitWish::Private, ..InitRequest::default() };
    let notes = memory.init(&tree, &request).unwrap().notes;
    let line = format!("git -C {} rm -r --cached .brainstem", place.at("src/cherry").display());
    assert!(notes.iter().any(|note| note.to_string().contains(&line)), "{notes:?}");
}
