//! From where a caller stands to its brain, in real folders with real repositories.

use crate::place::Place;
use crate::world::{MAKER, Short as _, caller, clock, code, principal, service_at};
use brainstem_base::Coded as _;
use brainstem_base::disk::RealDisk;
use brainstem_memory::{
    BootstrapRequest, BrainWish, Caller, CallerPlace, DoctorRequest, EjectRequest, InitRequest, MemoryError,
    ProjectAt, RootHints, RootWish, Tier,
};
use brainstem_transfer::mixed_medulla;
use std::path::PathBuf;
use std::sync::Arc;

#[test] // spec: MEM-15, MEM-17
fn a_repository_is_one_project_wherever_in_it_the_caller_stands() {
    let place = Place::new();
    place.repository("src/cherry");
    place.repository("src/cherry/vendor/nested");
    place.link("src/cherry", "shortcut");
    assert_eq!(place.lands("src/cherry/lib"), "src/cherry?");
    assert_eq!(code(place.memory().tell(&place.in_("src/cherry"), "a", "b")), "memory.brainless_root");
    assert!(!place.at("home/.brainstem").exists(), "a refused write leaves nothing");

    assert_eq!(place.begin("src/cherry/lib"), place.at("src/cherry"));
    for dir in ["src/cherry", "src/cherry/lib", "src/cherry/vendor", "shortcut", "shortcut/lib"] {
        assert_eq!(place.lands(dir), "src/cherry", "{dir}");
    }
    assert_eq!(place.lands("src/cherry/not/yet/there"), "src/cherry");
    assert_eq!(place.lands("src/cherry/vendor/nested"), "src/cherry/vendor/nested?", "a project of its own");
    assert_eq!(place.begin("src/cherry/vendor/nested/lib"), place.at("src/cherry/vendor/nested"));
    assert_eq!(place.lands("src/cherry/vendor/nested/lib"), "src/cherry/vendor/nested");
    assert_eq!(place.lands("src/cherry/vendor"), "src/cherry");
}

#[test] // spec: MEM-17
fn a_folder_can_be_made_a_project_inside_a_repository() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    let request =
        BootstrapRequest { path: Some("lib".into()), root: RootWish::ExactFolder, ..Default::default() };
    let made = place.memory().bootstrap(&place.in_("src/cherry"), &request).unwrap();
    assert_eq!((made.brain.root, made.existed), (place.at("src/cherry/lib"), false));
    assert_eq!(place.lands("src/cherry/lib/deep"), "src/cherry/lib", "the nearest root wins");
    assert_eq!(place.lands("src/cherry"), "src/cherry");
}

#[test] // spec: MEM-2, MEM-17
fn a_project_inside_a_repository_moves_no_memory_of_the_repository() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.tell("src/cherry", "Retry policy", "three times");
    let request =
        BootstrapRequest { path: Some("lib".into()), root: RootWish::ExactFolder, ..Default::default() };
    place.memory().bootstrap(&place.in_("src/cherry"), &request).unwrap();
    std::fs::create_dir(place.at("src/cherry/lib/deep")).unwrap();
    let top = place.at("src/cherry");
    let init = |dir: &str, path: Option<PathBuf>| {
        let request = InitRequest { path, ..Default::default() };
        place.memory().init(&place.in_(dir), &request).map(|done| done.root)
    };
    let eject = |dir: &str, path: Option<PathBuf>| {
        let request = EjectRequest { path, ..Default::default() };
        place.memory().eject(&place.in_(dir), &request).map(|done| done.root)
    };
    type Call<'a> = &'a dyn Fn(&str, Option<PathBuf>) -> Result<PathBuf, MemoryError>;
    let verbs: [Call<'_>; 2] = [&init, &eject];
    for verb in verbs {
        let stood =
            [("src/cherry/lib", None), ("src/cherry/lib/deep", None), ("src/cherry", Some("lib".into()))];
        for (dir, path) in stood {
            let refused = verb(dir, path).unwrap_err();
            assert_eq!(refused.code().name(), "memory.not_a_repository");
            assert!(refused.fix().unwrap().contains(&top.display().to_string()), "{:?}", refused.fix());
        }
        assert!(!top.join(".brainstem").exists(), "nothing became committable");
    }
    // The fix, to the letter.
    assert_eq!(init("src/cherry/lib", Some(top.clone())).unwrap(), top);
    assert_eq!(eject("src/cherry/lib", Some(top.clone())).unwrap(), top);
}

#[test] // spec: MEM-17, MEM-1
fn a_home_reached_by_a_link_is_the_same_home() {
    let place = Place::new();
    place.repository("src/cherry");
    std::fs::create_dir(place.at("disk2")).unwrap();
    place.link("disk2", "home/.brainstem");
    place.begin("src/cherry");
    place.tell("src/cherry", "Retry policy", "three times");
    assert!(place.at("disk2/home.json").exists());
    let memory = service_at(Arc::new(RealDisk), &clock(), &place.at("disk2"), Some(&place.at("home")));
    assert_eq!(memory.all(&place.in_("src/cherry")).rows.len(), 1);
    assert_eq!(place.lands("disk2"), "nowhere", "the home is no project by any name");
}

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

#[test] // spec: MEM-17, MEM-15
fn a_worktree_of_a_bare_repository_is_a_root_of_its_own() {
    for (at, dir) in BARE {
        let place = Place::new();
        place.repository("src/cherry");
        bare(&place, "src/cherry", (at, dir));
        let [one, two] = ["one", "two"].map(|name| format!("{dir}/{name}"));
        assert_eq!(place.lands(&format!("{one}/lib")), format!("{one}?"));
        assert_eq!(code(place.memory().tell(&place.in_(&one), "a", "b")), "memory.brainless_root");
        assert_eq!(place.begin(&format!("{one}/lib")), place.at(&one));
        place.tell(&one, "Retry policy", "three times");
        assert_eq!(place.found(&one), ["three times"]);
        assert_eq!(place.lands(&format!("{two}/lib")), format!("{two}?"));
        assert_eq!(place.lands("src/cherry"), "src/cherry?");
        assert_eq!(place.memory().project_at(&place.at(&one)), ProjectAt::Root(place.at(&one)));
    }
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
    let refused = place.memory().init(&place.in_("src/one"), &InitRequest::default()).unwrap_err();
    assert_eq!(refused.code().name(), "memory.not_a_repository");
    assert!(refused.to_string().contains("is a bare repository"), "{refused}");
    assert!(!place.at("src/bare.git/.brainstem").exists() && !place.at("src/one/.brainstem").exists());
}

#[test] // spec: MEM-1, MEM-4
fn a_deleted_root_still_has_its_brain() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.tell("src/cherry", "Retry policy", "three times");
    place.delete("src/cherry");
    let hints = RootHints {
        explicit: Some(place.at("src/cherry")),
        cwd: Some(place.at("src")),
        ..RootHints::default()
    };
    let there = Caller::new(principal(MAKER), CallerPlace::lasting(hints));
    let memory = place.memory();
    assert_eq!(memory.find(&there, "retry", Tier::Project).rows[0].text, "three times");
    assert_eq!(memory.beat(&there, "retry").memory.len(), 1);
    let brains = memory.brains(&place.in_("src")).unwrap();
    assert_eq!(
        brains.brains.iter().map(|row| (row.claims, row.missing)).collect::<Vec<_>>(),
        [(Some(1), true)]
    );
    assert_eq!(code(memory.begin(&there)), "memory.root_missing");
    memory.tell(&there, "Retry policy", "four times").unwrap();
    assert_eq!(memory.look_at(&there, "Retry policy", Tier::Project).unwrap().history.len(), 1);
}

#[test] // spec: MEM-1
fn a_moved_root_rebinds_by_itself() {
    let place = Place::new();
    place.repository("src/cherry");
    std::fs::create_dir(place.at("src/plain")).unwrap();
    std::fs::create_dir(place.at("elsewhere")).unwrap();
    for (from, to) in [("src/cherry", "elsewhere/morello"), ("src/plain", "src/simple")] {
        place.begin(from);
        place.tell(from, "Retry policy", from);
        let id = place.id(from);
        place.move_to(from, to);
        std::fs::create_dir_all(place.at(to).join("deep/down")).unwrap();
        assert_eq!(place.lands(&format!("{to}/deep/down")), to);
        assert_eq!((place.id(to), place.found(to)), (id.clone(), vec![from.to_owned()]));
        place.tell(to, "Retry policy", "moved");
        let made = place.memory().begin(&place.in_(to)).unwrap();
        assert!(made.existed && made.brain.manifest.id.to_string() == id);
        let shown = place.memory().look_at(&place.in_(to), "Retry policy", Tier::Project).unwrap();
        assert_eq!(shown.history.len(), 1, "its history came along");
        assert_eq!(place.lands(from), "nowhere");
    }
    assert_eq!(place.memory().brains(&place.in_("src")).unwrap().brains.len(), 2);
}

#[test] // spec: MEM-1
fn a_brain_that_lost_the_record_of_its_root_gets_it_back_with_its_id() {
    for damage in [None, Some("\0\0\0\0"), Some("{}")] {
        let place = Place::new();
        place.repository("src/cherry");
        place.begin("src/cherry");
        place.tell("src/cherry", "Retry policy", "three times");
        let id = place.id("src/cherry");
        let folder = place.memory().route(&place.in_("src/cherry")).brain().unwrap().folder.clone();
        match damage {
            None => std::fs::remove_file(folder.join("root.json")).unwrap(),
            Some(text) => std::fs::write(folder.join("root.json"), text).unwrap(),
        }
        assert_eq!(place.lands("src/cherry"), "src/cherry!");
        let gaps = place.memory().brains(&place.in_("src")).unwrap().gaps;
        assert_eq!(gaps.iter().map(|gap| gap.name).collect::<Vec<_>>(), ["unreadable_brain"]);
        place.begin("src/cherry");
        assert_eq!((place.id("src/cherry"), place.found("src/cherry")), (id, vec!["three times".into()]));
    }
}

#[test] // spec: MEM-1
fn a_bootstrap_where_a_root_was_moved_to_finds_its_brain() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.tell("src/cherry", "Retry policy", "three times");
    place.move_to("src/cherry", "src/morello");
    let made = place.memory().begin(&place.in_("src/morello/lib")).unwrap();
    assert!(made.existed);
    assert_eq!(place.found("src/morello"), ["three times"]);
}

#[test] // spec: MEM-1
fn a_repository_that_is_cloned_again_keeps_its_brain_and_can_be_moved_then() {
    let place = Place::new();
    place.repository("src/origin");
    place.git("src", &["clone", "-q", "origin", "cherry"]);
    place.begin("src/cherry");
    place.tell("src/cherry", "Retry policy", "three times");
    let id = place.id("src/cherry");
    place.delete("src/cherry");
    // So that the new folder cannot have the old one's number.
    std::fs::create_dir(place.at("src/other")).unwrap();
    place.git("src", &["clone", "-q", "origin", "cherry"]);
    assert_eq!((place.id("src/cherry"), place.found("src/cherry")), (id.clone(), vec!["three times".into()]));
    place.tell("src/cherry", "Retry policy", "four times");
    place.move_to("src/cherry", "src/morello");
    assert_eq!((place.id("src/morello"), place.found("src/morello")), (id, vec!["four times".into()]));
}

#[test] // spec: MEM-1, MEM-21
fn a_new_repository_at_the_old_path_of_a_moved_one_never_sees_its_claims() {
    for visited in [true, false] {
        let place = Place::new();
        place.repository("src/cherry");
        place.begin("src/cherry");
        place.tell("src/cherry", "Retry policy", "of the moved one");
        let id = place.id("src/cherry");
        place.move_to("src/cherry", "src/morello");
        if visited {
            assert_eq!(place.lands("src/morello"), "src/morello");
        }
        place.repository("src/cherry");
        assert_eq!(place.lands("src/cherry"), "src/cherry?", "visited: {visited}");
        assert_eq!(place.found("src/cherry"), [] as [String; 0], "visited: {visited}");
        place.begin("src/cherry");
        place.tell("src/cherry", "Retry policy", "of the new one");
        assert_ne!(place.id("src/cherry"), id);
        assert_eq!(place.found("src/cherry"), ["of the new one"], "visited: {visited}");
        assert_eq!(
            (place.id("src/morello"), place.found("src/morello")),
            (id, vec!["of the moved one".into()])
        );
        place.delete("src/morello");
        assert_eq!(place.found("src/cherry"), ["of the new one"], "visited: {visited}");
        let fingerprints: Vec<_> =
            std::fs::read_dir(place.at("home/.brainstem/project-brains")).unwrap().collect();
        assert_eq!(fingerprints.len(), 2);
    }
}

#[test] // spec: MEM-1, MEM-21
fn a_brain_does_not_come_back_to_a_new_repository_when_the_renamed_one_is_deleted() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.tell("src/cherry", "Retry policy", "of the moved one");
    place.move_to("src/cherry", "src/morello");
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.delete("src/morello");
    assert_eq!(place.found("src/cherry"), [] as [String; 0]);
}

/// A manifest as a repository carries it.
const MANIFEST: &str = r#"{"id":"0197d2a0-0000-7000-8000-0000aaaaaaaa","name":"cherry","kind":"project","created":1,"schema":1}"#;

#[test] // spec: MEM-1, MEM-2
fn two_clones_that_carry_one_id_are_two_brains() {
    let place = Place::new();
    place.repository("src/origin");
    place.write("src/origin/.brainstem/brain.json", MANIFEST);
    place.commit("src/origin");
    place.git("src", &["clone", "-q", "origin", "one"]);
    place.git("src", &["clone", "-q", "origin", "two"]);
    for dir in ["src/one", "src/two"] {
        assert_eq!(place.lands(dir), dir, "a clone comes with its brain");
        place.tell(dir, "Retry policy", dir);
        place.tell(dir, "Retry policy", &format!("{dir} again"));
    }
    for dir in ["src/one", "src/two"] {
        assert_eq!(place.found(dir), [format!("{dir} again")]);
        assert!(place.at(dir).join(".brainstem/agent-memory/retry-policy.light.md").exists());
        assert!(!place.at(dir).join(".brainstem/agent-memory/.history").exists(), "history is not committed");
    }
    let brains = place.memory().brains(&place.in_("src")).unwrap();
    let listed: Vec<_> = brains.brains.iter().map(|row| (row.brain.root.clone(), row.claims)).collect();
    assert_eq!(listed, [(place.at("src/one"), Some(1)), (place.at("src/two"), Some(1))]);
    assert_eq!(brains.gaps, []);

    // Each has its own history, and takes it along.
    place.move_to("src/two", "src/three");
    let shown = place.memory().look_at(&place.in_("src/three"), "Retry policy", Tier::Project).unwrap();
    assert_eq!((shown.claim.unwrap().text.as_str(), shown.history.len()), ("src/two again", 1));
    place.tell("src/three", "Retry policy", "of three");
    let brains = place.memory().brains(&place.in_("src")).unwrap();
    assert_eq!((brains.brains.len(), brains.gaps), (2, vec![]));
}

#[test] // spec: MEM-52, MEM-4, MEM-22
fn a_brain_that_was_only_read_is_known_everywhere_from_then_on() {
    type Reading<'a> = &'a dyn Fn(&brainstem_memory::Memory, &Caller);
    let reads: [Reading<'_>; 2] =
        [&|memory, there| memory.count_call(there.place(), None), &|memory, there| {
            drop(memory.beat(there, "retry"))
        }];
    for (at, read) in reads.into_iter().enumerate() {
        for has_home in [true, false] {
            let place = Place::new();
            place.repository("src/origin");
            place.write("src/origin/.brainstem/brain.json", MANIFEST);
            place.write(
                "src/origin/.brainstem/agent-memory/retry.light.md",
                "---\nProtocol: L1GHT/1.0\nNode: Retry\nState: authored\nCreated: 5\n---\n\n# Retry\n\nthree times\n",
            );
            place.commit("src/origin");
            for clone in ["one", "two"] {
                place.git("src", &["clone", "-q", "origin", clone]);
            }
            place.repository("src/other");
            if has_home {
                place.begin("src/other");
            }
            for clone in ["src/one", "src/two"] {
                read(&place.memory(), &place.in_(clone));
            }
            let (memory, other) = (place.memory(), place.in_("src/other"));
            let brains = memory.brains(&other).unwrap();
            let roots: Vec<_> =
                brains.brains.iter().map(|row| (row.brain.root.clone(), row.claims)).collect();
            for clone in ["src/one", "src/two"] {
                assert!(roots.contains(&(place.at(clone), Some(1))), "{at} {has_home}: {roots:?}");
            }
            let all = memory.find(&other, "retry", Tier::AllBrains).groups.unwrap();
            assert_eq!(all.iter().filter(|group| group.rows.len() == 1).count(), 2, "{at} {has_home}");
            assert_eq!(memory.live_claims().0, 2);
            // The clones have what they had, and nothing more.
            assert_eq!(place.committable("src/one"), [] as [String; 0]);
        }
    }
}

#[test] // spec: MEM-52
fn where_nothing_can_be_written_a_brain_is_read_all_the_same() {
    let disk = crate::world::two_repositories();
    disk.write_raw("/src/cherry/.brainstem/brain.json", MANIFEST.as_bytes());
    disk.make_dirs(crate::world::HOME);
    let before = disk.dump();
    disk.set_read_only(true);
    let memory = crate::world::service(Arc::new(disk.clone()), &clock());
    let cherry = caller(MAKER, crate::world::CHERRY);
    assert_eq!(memory.beat(&cherry, "retry").binding.brain.as_deref(), Some("cherry@aaaaaaaa"));
    memory.count_call(cherry.place(), None);
    assert_eq!(disk.dump(), before);
}

#[test] // spec: MEM-2
fn a_checkout_that_takes_the_claims_away_does_not_stop_a_write() {
    let place = Place::new();
    place.repository("src/cherry");
    place.write("src/cherry/.brainstem/brain.json", MANIFEST);
    place.commit("src/cherry");
    place.git("src/cherry", &["branch", "without"]);
    place.tell("src/cherry", "Retry policy", "three times");
    place.commit("src/cherry");
    place.git("src/cherry", &["checkout", "-q", "without"]);
    assert!(!place.at("src/cherry/.brainstem/agent-memory").exists());
    assert_eq!(place.found("src/cherry"), [] as [String; 0]);
    place.tell("src/cherry", "Retry policy", "on this branch");
    assert_eq!(place.found("src/cherry"), ["on this branch"]);
}

#[test] // spec: MEM-2
fn a_manifest_that_is_no_projects_makes_no_brain() {
    let place = Place::new();
    place.repository("src/cherry");
    place.write("src/cherry/.brainstem/brain.json", &MANIFEST.replace("project", "medulla"));
    assert_eq!(place.lands("src/cherry"), "src/cherry?");
    place.write("home/.brainstem/brain.json", MANIFEST);
    place.write("home/.brainstem/.brainstem/brain.json", MANIFEST);
    place.write("home/project/readme", "");
    for dir in ["home", "home/.brainstem", "home/project"] {
        assert_eq!(place.lands(dir), "nowhere", "{dir}");
    }
}

#[test] // spec: MEM-15, MEM-17
fn a_persons_home_and_the_home_of_the_program_are_never_projects() {
    let place = Place::new();
    place.repository("home");
    place.write("home/.brainstem/agent-memory/readme", "");
    place.write("home/notes/readme", "");
    for dir in ["home", "home/.brainstem", "home/.brainstem/agent-memory"] {
        assert_eq!(place.lands(dir), "nowhere", "{dir}");
        assert_eq!(code(place.memory().begin(&place.in_(dir))), "memory.not_a_project", "{dir}");
        assert_eq!(code(place.memory().tell(&place.in_(dir), "a", "b")), "memory.brainless_root", "{dir}");
    }
    assert_eq!(code(place.memory().begin(&caller(MAKER, "/"))), "memory.not_a_project");
    assert_eq!(
        place.lands("home/notes"),
        "nowhere",
        "dotfiles in git make no project of what lies in a home"
    );
    assert_eq!(place.begin("home/notes"), place.at("home/notes"));
    assert_eq!(place.lands("home/notes"), "home/notes");
    assert_eq!(place.lands("home"), "nowhere");
}

#[test] // spec: MEM-15, MEM-17
fn outside_every_repository_reads_see_the_medulla_and_writes_are_refused() {
    let place = Place::new();
    let memory = place.memory();
    let deleted = place.at("src/gone");
    std::fs::create_dir(&deleted).unwrap();
    std::fs::remove_dir(&deleted).unwrap();
    let nobody_knows = Caller::new(principal(MAKER), CallerPlace::lasting(RootHints::default()));
    for caller in [place.in_("src"), caller(MAKER, &deleted), nobody_knows] {
        assert_eq!(code(memory.tell(&caller, "a", "b")), "memory.brainless_root");
        assert_eq!(code(memory.take_back(&caller, "a")), "memory.brainless_root");
        let beat = memory.beat(&caller, "anything");
        assert_eq!(beat.binding.trust_mode.as_str(), "unbound");
        assert!(beat.gaps.iter().any(|gap| gap.name == "unbound"), "{:?}", beat.gaps);
        assert_eq!(beat.sources.len(), 1);
    }
    assert!(!place.at("home/.brainstem").exists(), "nothing was written");
    assert_eq!(code(memory.begin(&caller(MAKER, &deleted))), "memory.root_missing");
}

#[test] // spec: MEM-1, MEM-13
fn a_home_that_is_no_folder_is_named_by_every_read_and_refused_to_every_write() {
    let place = Place::new();
    place.repository("src/cherry");
    place.write("home/file", "not a folder");
    let memory = service_at(Arc::new(RealDisk), &clock(), &place.at("home/file"), Some(&place.at("home")));
    let cherry = place.in_("src/cherry");
    let beat = memory.beat(&cherry, "retry");
    let home = place.at("home/file").display().to_string();
    for gaps in [
        &beat.gaps,
        &memory.all(&cherry).gaps,
        &memory.find(&cherry, "retry", Tier::Both).gaps,
        &memory.brains(&cherry).unwrap().gaps,
    ] {
        let named =
            |gap: &brainstem_memory::Gap| gap.name.contains("unreadable") && gap.detail.contains(&home);
        assert!(gaps.iter().any(named), "{gaps:?}");
        assert!(!gaps.iter().any(|gap| gap.name == "empty"), "{gaps:?}");
    }
    assert_eq!(beat.binding.trust_mode.as_str(), "degraded");
    assert_eq!(code(memory.look_at(&cherry, "Retry policy", Tier::Both)), "home.unusable");
    assert_eq!(code(memory.begin(&cherry)), "home.unusable");
    assert_eq!(std::fs::read_to_string(place.at("home/file")).unwrap(), "not a folder");
}

#[test] // spec: MEM-2
fn a_home_in_the_folder_of_the_repository_is_no_place_to_init_from() {
    let place = Place::new();
    place.repository("src/cherry");
    for home in ["src/cherry/.brainstem", "src/cherry/.brainstem/home"] {
        let memory = service_at(Arc::new(RealDisk), &clock(), &place.at(home), Some(&place.at("home")));
        let refused = memory.init(&place.in_("src/cherry"), &InitRequest::default()).unwrap_err();
        assert!(refused.fix().unwrap().contains("BRAINSTEM_HOME"), "{refused:?}");
        assert_eq!(refused.code().name(), "home.unusable", "{home}");
        assert!(!place.at("src/cherry/.brainstem").exists(), "{home}");
    }
}

#[test] // spec: MEM-17
fn folders_of_the_system_are_no_projects_and_a_repository_among_them_is_one() {
    let disk = crate::world::two_repositories();
    let memory = crate::world::service(std::sync::Arc::new(disk.clone()), &crate::world::clock());
    for dir in
        ["/dev", "/dev/pts", "/proc/self", "/sys/kernel", "/etc", "/tmp", "/usr", "/var", "/home", "/dev/shm"]
    {
        disk.make_dirs(dir);
        let refused = memory.begin(&caller(MAKER, dir)).unwrap_err();
        assert!(refused.fix().is_some_and(|fix| fix.contains("bootstrap PATH")), "{dir}");
        assert_eq!(code(Err::<(), _>(refused)), "memory.not_a_project", "{dir}");
    }
    assert!(disk.dump().keys().all(|path| !path.starts_with("/home/ana/.brainstem")), "nothing was made");
    disk.write_raw("/etc/.git/HEAD", b"ref: refs/heads/main\n");
    for dir in ["/etc", "/tmp/play", "/var/lib/jenkins", "/dev/shm/play", "/usr/src/app"] {
        disk.make_dirs(dir);
        assert_eq!(code(memory.begin(&caller(MAKER, dir))), "ok", "{dir}");
    }
}

#[test] // spec: MEM-17
fn init_says_at_once_that_a_home_folder_is_no_project() {
    for is_repository in [false, true] {
        let place = Place::new();
        if is_repository {
            place.git("home", &["init", "-q"]);
        }
        let refused = place.memory().init(&place.in_("home"), &InitRequest::default()).unwrap_err();
        assert_eq!(refused.code().name(), "memory.not_a_project", "{refused}");
        assert!(refused.to_string().contains("a person's home folder"), "{refused}");
    }
}

#[test] // spec: MEM-17, MEM-15
fn a_folder_inside_a_project_without_git_gets_a_brain_of_its_own_only_by_name() {
    let place = Place::new();
    place.write("src/notes/deep/readme", "hello");
    place.begin("src/notes");
    let origin = place.origin("src/notes");
    let (memory, deep) = (place.memory(), place.in_("src/notes/deep"));
    let refused = memory.begin(&deep).unwrap_err();
    assert_eq!(refused.code().name(), "memory.has_brain");
    assert!(refused.to_string().contains(&origin), "{refused}");
    let fix = refused.fix().unwrap().to_string();
    assert!(
        fix.contains(&format!("brainstem bootstrap {} --exact", place.at("src/notes/deep").display())),
        "{fix}"
    );
    place.tell("src/notes/deep", "Retry policy", "three times");
    assert_eq!(place.found("src/notes"), ["three times"]);
    let exact = BootstrapRequest { root: RootWish::ExactFolder, ..Default::default() };
    assert_eq!(memory.bootstrap(&deep, &exact).unwrap().brain.root, place.at("src/notes/deep"));
    assert!(memory.begin(&deep).unwrap().existed, "the repeat finds it");
}
