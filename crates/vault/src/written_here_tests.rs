use super::*;
use crate::{BrainManifest, StorePaths};
use brainstem_base::disk::SimDisk;
use brainstem_base::ids::CountingIds;
use brainstem_base::{Disk as _, Timestamp};
use brainstem_claims::{ClaimSlug, Label};
use std::sync::Arc;

const LIST: &str = "/home/ana/.brainstem/written-here.txt";

/// The store of a brain: in its repository, or under the home.
fn store(disk: &SimDisk, is_in_repo: bool) -> Store {
    let owner = Path::new("/home/ana/.brainstem/project-brains/cherry-1/agent-memory");
    let paths = StorePaths {
        claims: if is_in_repo { "/src/cherry/.brainstem/agent-memory".into() } else { owner.to_owned() },
        history: owner.join(".history"),
        locks: owner.join(".locks"),
        acts: owner.with_file_name("acts.jsonl"),
        kept: is_in_repo.then(|| owner.join(".kept")),
        placed: None,
    };
    Store::new(Arc::new(disk.clone()), Arc::new(CountingIds::from(1)), paths)
}

fn claim(agent: &str, state: &str) -> Claim {
    let file = format!(
        "---\nProtocol: L1GHT/1.0\nNode: Cache\nState: {state}\nCreated: 5\nSource-Agent: {agent}\n---\n\n# Cache\n\nsixty days\n"
    );
    Claim::parse(file.as_bytes()).unwrap()
}

#[test] // spec: MEM-10a
fn a_persons_version_in_a_repository_needs_a_line_and_one_under_the_home_does_not() {
    let disk = SimDisk::new();
    let (repo, home) = (store(&disk, true), store(&disk, false));
    let (own, agents) = (claim("human:ana", "authored"), claim("codex:maker", "authored"));
    let source = |store: &Store, claim: &Claim| store.source_of(claim).unwrap();
    assert_eq!([source(&repo, &own), source(&home, &own)], [HeaderSource::File, HeaderSource::ThisHome]);
    assert_eq!(source(&repo, &agents), HeaderSource::ThisHome, "an agent's word has no weight to prove");
    home.note_own_word(&agents).unwrap();
    assert!(disk.read(Path::new(LIST), 1_000).is_err(), "nothing is written down of it");
    home.note_own_word(&own).unwrap();
    assert_eq!(
        source(&repo, &own),
        HeaderSource::ThisHome,
        "it was written before it went into the repository"
    );
    let listed = disk.read(Path::new(LIST), 1_000).unwrap();
    repo.note_own_word(&own).unwrap();
    repo.note_source(&own, HeaderSource::ThisHome).unwrap();
    assert_eq!(disk.read(Path::new(LIST), 1_000).unwrap(), listed, "once");
    assert_eq!(source(&repo, &claim("human:ana", "verified")), HeaderSource::File, "another state");
    assert_eq!(source(&repo, &claim("human:ben", "authored")), HeaderSource::File, "another author");
    assert_eq!(repo.written_here().source_of_past(&Claim::from(own.outdated())), HeaderSource::ThisHome);
    home.note_source(&own, HeaderSource::File).unwrap();
    assert_eq!(source(&home, &own), HeaderSource::File, "the last line counts");
}

#[test] // spec: MEM-10a
fn only_the_authors_own_word_takes_the_mark_away() {
    let disk = SimDisk::new();
    let (repo, home) = (store(&disk, true), store(&disk, false));
    let planted = claim("human:ana", "authored");
    assert_eq!(home.source_of_brought(&planted).unwrap(), HeaderSource::File, "an import proves nothing");
    home.note_source(&planted, HeaderSource::File).unwrap();
    for store in [&repo, &home] {
        store.note_source(&planted, HeaderSource::ThisHome).unwrap();
        store.note_past(std::slice::from_ref(&planted), HeaderSource::ThisHome).unwrap();
        assert_eq!(store.source_of(&planted).unwrap(), HeaderSource::File);
    }
    assert_eq!(home.source_of(&claim("human:ana", "verified")).unwrap(), HeaderSource::File, "in any state");
    home.note_own_word(&planted).unwrap();
    assert_eq!(repo.source_of(&planted).unwrap(), HeaderSource::ThisHome);
    assert_eq!(home.source_of_brought(&planted).unwrap(), HeaderSource::ThisHome, "this home wrote it");
    // An import of her version that another person marked as verified changes nothing about what she wrote.
    let raised = claim("human:ana", "verified");
    home.note_source(&raised, home.source_of_brought(&raised).unwrap()).unwrap();
    let sources = [&planted, &raised].map(|claim| repo.source_of(claim).unwrap());
    assert_eq!(sources, [HeaderSource::ThisHome, HeaderSource::File]);
}

#[test] // spec: MEM-10a
fn a_list_that_cannot_be_read_refuses_the_record_and_is_no_empty_list() {
    let disk = SimDisk::new();
    disk.make_dirs(LIST);
    let (repo, own) = (store(&disk, true), claim("human:ana", "authored"));
    assert!(repo.source_of(&own).is_err());
    for store in [&repo, &store(&disk, false)] {
        assert!(store.check_written_here().is_err());
        let list = store.written_here();
        assert!(list.is_unread(), "a reader can say so");
        assert_eq!([list.source_of(&own), list.source_of_past(&own)], [HeaderSource::File; 2]);
    }
    assert!(repo.source_of_brought(&own).is_err());
    assert!(repo.note_source(&own, HeaderSource::File).is_err());
    assert!(repo.note_past(std::slice::from_ref(&own), HeaderSource::File).is_err());
    let agents = claim("codex:maker", "authored");
    assert_eq!(repo.source_of(&agents).unwrap(), HeaderSource::ThisHome, "it needs no record");
    repo.note_past(std::slice::from_ref(&agents), HeaderSource::File).unwrap();
    repo.note_own_word(&agents).unwrap();
}

#[test] // spec: MEM-10a, MEM-13
fn a_line_that_a_crash_tore_hurts_no_other() {
    let disk = SimDisk::new();
    let repo = store(&disk, true);
    repo.note_source(&claim("human:ana", "authored"), HeaderSource::ThisHome).unwrap();
    disk.append(Path::new(LIST), b"here 0123").unwrap();
    repo.note_source(&claim("human:ben", "authored"), HeaderSource::ThisHome).unwrap();
    let sources = ["human:ana", "human:ben"].map(|agent| repo.source_of(&claim(agent, "authored")).unwrap());
    assert_eq!(sources, [HeaderSource::ThisHome; 2]);
}

const A: &str = "0197d2a0-0000-7000-8000-0000aaaaaaaa";
const B: &str = "0197d2a0-0000-7000-8000-0000bbbbbbbb";
const COMMIT: &str = "1111111111111111111111111111111111111111";

/// The store of the brain `id` in the repository `/src/<name>`, known to the home in the folder `<name>-1`.
fn repo_of(disk: &SimDisk, name: &str, id: &str) -> Store {
    let folder = Path::new("/home/ana/.brainstem/project-brains").join(format!("{name}-1"));
    let manifest = BrainManifest::new(id.parse().unwrap(), name, Timestamp::MIN);
    disk.write_raw(folder.join("brain.json"), &serde_json::to_vec(&manifest).unwrap());
    let record = format!(r#"{{"root":"/src/{name}","store":"repo"}}"#);
    disk.write_raw(folder.join("root.json"), record.as_bytes());
    let owner = folder.join("agent-memory");
    let paths = StorePaths {
        claims: format!("/src/{name}/.brainstem/agent-memory").into(),
        history: owner.join(".history"),
        locks: owner.join(".locks"),
        acts: folder.join("acts.jsonl"),
        kept: Some(owner.join(".kept")),
        placed: None,
    };
    Store::new(Arc::new(disk.clone()), Arc::new(CountingIds::from(1)), paths).of_brain(&manifest)
}

/// The answer of both functions for a live version.
fn asked(store: &Store, claim: &Claim) -> HeaderSource {
    let source = store.source_of(claim).unwrap();
    assert_eq!(store.written_here().source_of(claim), source);
    source
}

#[test] // spec: MEM-10a
fn a_line_speaks_of_its_brain_and_of_no_other() {
    let disk = SimDisk::new();
    let (cherry, plum) = (repo_of(&disk, "cherry", A), repo_of(&disk, "plum", B));
    let own = claim("human:ana", "authored");
    cherry.note_own_word(&own).unwrap();
    let listed = String::from_utf8(disk.read(Path::new(LIST), 1_000).unwrap()).unwrap();
    assert_eq!(listed, format!("here {} authored {A} cherry-1\n", own.content_hash()));
    assert_eq!([asked(&cherry, &own), asked(&plum, &own)], [HeaderSource::ThisHome, HeaderSource::File]);
    let past = Claim::from(own.outdated());
    assert_eq!(plum.written_here().source_of_past(&past), HeaderSource::File);
    plum.note_past(std::slice::from_ref(&own), HeaderSource::File).unwrap();
    assert_eq!(asked(&cherry, &own), HeaderSource::ThisHome, "a line about plum says nothing of cherry");
    assert_eq!(plum.source_of_brought(&own).unwrap(), HeaderSource::File, "in plum it is what a file says");
    let pear = repo_of(&disk, "pear", "0197d2a0-0000-7000-8000-0000cccccccc");
    assert_eq!(pear.source_of_brought(&own).unwrap(), HeaderSource::ThisHome, "this home wrote it");
    pear.note_source(&own, HeaderSource::ThisHome).unwrap();
    assert_eq!(asked(&pear, &own), HeaderSource::ThisHome, "it was brought by a word");
    plum.note_own_word(&own).unwrap();
    assert_eq!(asked(&plum, &own), HeaderSource::ThisHome, "she says it there too");
}

#[test] // spec: MEM-10a
fn a_line_of_another_clone_counts_and_one_of_a_repository_that_only_carries_the_id_does_not() {
    let disk = SimDisk::new();
    let (cherry, second) = (repo_of(&disk, "cherry", A), repo_of(&disk, "second", A));
    let own = claim("human:ana", "authored");
    cherry.note_own_word(&own).unwrap();
    assert_eq!(asked(&second, &own), HeaderSource::ThisHome, "nothing speaks against it");
    let folder = Path::new("/home/ana/.brainstem/project-brains/cherry-1");
    let marks = format!(r#"{{"root":"/src/cherry","store":"repo","marks":{{"commits":["{COMMIT}"]}}}}"#);
    disk.write_raw(folder.join("root.json"), marks.as_bytes());
    disk.write_raw("/src/second/.git/HEAD", b"ref: refs/heads/main\n");
    assert_eq!(asked(&second, &own), HeaderSource::File, "it has no commit of cherry");
    assert_eq!(second.written_here().source_of_past(&own), HeaderSource::File);
    let (first, rest) = COMMIT.split_at(2);
    disk.write_raw(format!("/src/second/.git/objects/{first}/{rest}"), b"a commit");
    assert_eq!(asked(&second, &own), HeaderSource::ThisHome);
    assert_eq!(second.written_here().source_of_past(&own), HeaderSource::ThisHome);
    second.note_past(std::slice::from_ref(&own), HeaderSource::File).unwrap();
    assert_eq!(asked(&second, &own), HeaderSource::ThisHome, "its history needs no line of its own");
    assert_eq!(asked(&second, &claim("human:ana", "verified")), HeaderSource::File, "another state");

    // A brain that was set aside and came back under another name is the same brain.
    let renamed = repo_of(&disk, "cherry-1-2", A);
    disk.write_raw(folder.join("brain.json"), b"{}");
    assert_eq!(asked(&renamed, &own), HeaderSource::ThisHome);
}

#[test] // spec: MEM-10a
fn a_line_of_an_older_program_counts_for_the_brain_that_holds_a_copy() {
    let disk = SimDisk::new();
    let (cherry, plum) = (repo_of(&disk, "cherry", A), repo_of(&disk, "plum", B));
    let own = claim("human:ana", "authored");
    let slug = ClaimSlug::of(&Label::parse("Cache").unwrap());
    disk.write_raw(LIST, format!("here {} authored\n", own.content_hash()).as_bytes());
    assert_eq!([asked(&cherry, &own), asked(&plum, &own)], [HeaderSource::File; 2], "no brain holds it");
    cherry.keep_live(&slug, &own.file).unwrap();
    assert_eq!([asked(&cherry, &own), asked(&plum, &own)], [HeaderSource::ThisHome, HeaderSource::File]);
    assert_eq!(asked(&repo_of(&disk, "second", A), &own), HeaderSource::ThisHome, "a second clone");
    assert_eq!(asked(&store(&disk, false), &own), HeaderSource::ThisHome, "under the home");

    // A version that goes into history unproven stays so, although the older line has no brain.
    plum.archive(&slug, &own, history::ExitReason::Superseded, own.outdated().render().as_bytes()).unwrap();
    assert_eq!(plum.written_here().source_of_past(&own), HeaderSource::File);
    assert_eq!(asked(&plum, &own), HeaderSource::File);
    cherry.archive(&slug, &own, history::ExitReason::Superseded, own.outdated().render().as_bytes()).unwrap();
    cherry.drop_copy_of(&slug, &own);
    assert_eq!(asked(&cherry, &own), HeaderSource::ThisHome, "a copy in history");
    assert_eq!(cherry.written_here().source_of_past(&own), HeaderSource::ThisHome);

    // The next word about it is written with the brain, once.
    cherry.note_source(&own, cherry.source_of(&own).unwrap()).unwrap();
    let listed = disk.read(Path::new(LIST), 1_000).unwrap();
    assert!(String::from_utf8_lossy(&listed).ends_with(&format!("authored {A} cherry-1\n")));
    cherry.note_own_word(&own).unwrap();
    assert_eq!(disk.read(Path::new(LIST), 1_000).unwrap(), listed);

    // An unproven version of an older program is unproven everywhere.
    let raised = claim("human:ana", "verified");
    disk.append(Path::new(LIST), format!("file {} verified\n", raised.content_hash()).as_bytes()).unwrap();
    for store in [&cherry, &plum, &store(&disk, false)] {
        assert_eq!(asked(store, &raised), HeaderSource::File);
    }
}

#[test] // spec: MEM-10a
fn the_medulla_has_lines_of_its_own() {
    let disk = SimDisk::new();
    let claims = Path::new("/home/ana/.brainstem/agent-memory");
    let paths = StorePaths {
        claims: claims.to_owned(),
        history: claims.join(".history"),
        locks: claims.join(".locks"),
        acts: "/home/ana/.brainstem/acts.jsonl".into(),
        kept: None,
        placed: None,
    };
    let medulla = Store::new(Arc::new(disk.clone()), Arc::new(CountingIds::from(1)), paths);
    let (cherry, own) = (repo_of(&disk, "cherry", A), claim("human:ana", "authored"));
    medulla.note_source(&own, HeaderSource::File).unwrap();
    let listed = disk.read(Path::new(LIST), 1_000).unwrap();
    assert!(String::from_utf8_lossy(&listed).ends_with(" authored medulla\n"));
    cherry.note_own_word(&own).unwrap();
    assert_eq!([asked(&medulla, &own), asked(&cherry, &own)], [HeaderSource::File, HeaderSource::ThisHome]);
}
