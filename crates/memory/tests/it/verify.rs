//! Evidence: compared with the files of the project, and with nothing outside it.

use crate::world::{
    CHERRY, MAKER, PERSON, Short as _, caller, claim, clock, code, doctrine, service, service_at,
    two_repositories,
};
use brainstem_base::disk::{DiskStep, ObservedDisk, RealDisk, verbs};
use brainstem_memory::{Filter, ListRequest, MemorizeRequest, Memory, Tier, Verified, VerifyRequest};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

fn verify(memory: &Memory, cwd: impl AsRef<Path>, label: Option<&str>, limit: usize) -> Verified {
    let request = VerifyRequest { label: label.map(str::to_owned), tier: Tier::Both, limit };
    memory.verify(&caller(MAKER, cwd), &request).unwrap()
}

fn found(verified: &Verified) -> Vec<String> {
    let row = |row: &brainstem_memory::VerifiedRow| {
        let evidence = row.evidence.iter().map(|(path, found)| format!("{path} {}", found.as_str()));
        format!("{}: {}", row.label, evidence.collect::<Vec<_>>().join(", "))
    };
    verified.rows.iter().map(row).collect()
}

fn with_evidence(label: &str, evidence: &[&str]) -> MemorizeRequest {
    let evidence = evidence.iter().map(|text| (*text).to_owned()).collect();
    MemorizeRequest { evidence, ..claim(label, &format!("{label} is so")) }
}

#[test] // spec: MEM-32, MEM-24, IF-19
fn each_piece_of_evidence_has_one_of_four_verdicts_and_the_worst_comes_first() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    memory.tell(&maker, "Old", "a claim without evidence").unwrap();
    clock.advance(1_000);
    for name in ["kept", "changed", "gone"] {
        disk.write_raw(format!("{CHERRY}/src/{name}.rs"), b"fn it() {}\n");
    }
    let kinds = ["src/kept.rs#L1", "src/never.rs", "https://example.org/x"];
    memory.memorize(&maker, &with_evidence("Kept", &kinds[..1])).unwrap();
    memory.memorize(&maker, &with_evidence("Changed", &["src/changed.rs#it", "src/kept.rs"])).unwrap();
    memory.memorize(&maker, &with_evidence("Gone", &["src/gone.rs", "src/kept.rs"])).unwrap();
    memory.memorize(&maker, &with_evidence("Elsewhere", &kinds[2..])).unwrap();
    memory.memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", "use tabs")).unwrap();
    disk.write_raw(format!("{CHERRY}/src/changed.rs"), b"fn it() { loop {} }\n");
    brainstem_base::Disk::unlink(&disk, Path::new(CHERRY).join("src/gone.rs").as_path()).unwrap();
    clock.advance(720 * 60 * 60 * 1_000);

    let all = verify(&memory, CHERRY, None, 50);
    let expected = [
        "Gone: src/gone.rs evidence_missing, src/kept.rs fresh",
        "Changed: src/changed.rs#it evidence_changed, src/kept.rs fresh",
        "Old: ",
        "Elsewhere: https://example.org/x unverifiable",
        "Tabs: ",
        "Kept: src/kept.rs#L1 fresh",
    ];
    assert_eq!(found(&all), expected);
    assert_eq!((all.broken, all.aged_out, all.left_out), (2, 1, 0));
    assert!(all.rows[2].aged_out && !all.rows[0].aged_out, "after 720 hours, and not with them");
    let few = verify(&memory, CHERRY, None, 2);
    assert_eq!((found(&few), few.left_out), (expected[..2].iter().map(|row| (*row).to_owned()).collect(), 4));
    assert_eq!(found(&verify(&memory, CHERRY, Some("kept"), 50)), expected[5..]);
    let nobody = VerifyRequest { label: Some("Kepd".into()), tier: Tier::Both, limit: 1 };
    assert_eq!(code(memory.verify(&maker, &nobody)), "claim.not_found");
    let every = VerifyRequest { label: None, tier: Tier::AllBrains, limit: 1 };
    assert_eq!(code(memory.verify(&maker, &every)), "input.bad_value");
}

#[test] // spec: MEM-32, MEM-25
fn a_row_says_that_its_evidence_changed_and_comes_after_its_equal() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    for name in ["a", "b"] {
        disk.write_raw(format!("{CHERRY}/deploy-{name}.md"), b"one");
        let label = format!("Deploy {name}");
        let evidence = vec![format!("deploy-{name}.md")];
        let claim = MemorizeRequest { evidence, ..claim(&label, "the deploy clears the cache") };
        memory.memorize(&maker, &claim).unwrap();
    }
    let rows = || -> Vec<(String, Vec<String>)> {
        let rows = memory.find(&maker, "deploy cache", Tier::Project).rows;
        rows.into_iter().map(|row| (row.id, row.evidence_changed)).collect()
    };
    assert_eq!(rows(), [("deploy-a".into(), vec![]), ("deploy-b".into(), vec![])]);
    disk.write_raw(format!("{CHERRY}/deploy-a.md"), b"another");
    assert_eq!(rows(), [("deploy-b".into(), vec![]), ("deploy-a".into(), vec!["deploy-a.md".into()])]);
    assert_eq!(
        memory.beat(&maker, "zebra").memory.iter().filter(|row| !row.evidence_changed.is_empty()).count(),
        1
    );
}

#[test] // spec: MEM-32
fn no_path_and_no_link_leads_out_of_the_project() {
    let top = tempfile::tempdir().unwrap();
    let top = top.path().canonicalize().unwrap();
    let root = top.join("cherry");
    fs::create_dir_all(root.join(".git")).unwrap();
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::create_dir(top.join("secrets")).unwrap();
    fs::write(top.join("secrets/there"), "x").unwrap();
    let memory = service_at(Arc::new(RealDisk), &clock(), &top.join("home"), None);
    let maker = caller(MAKER, &root);
    memory.begin(&maker).unwrap();
    for (link, to) in [("out", "../secrets"), ("file", "../secrets/there"), ("dangling", "../secrets/not")] {
        std::os::unix::fs::symlink(to, root.join(link)).unwrap();
    }
    let hash = "a".repeat(64);
    let absolute = top.join("secrets/there").display().to_string();
    for path in ["../secrets/there", "../secrets/not", "out/there", "out/not", "file", "dangling", &absolute]
    {
        memory.memorize(&maker, &with_evidence("It", &[&format!("{path} sha256:{hash}")])).unwrap();
        let verdicts = found(&verify(&memory, &root, Some("It"), 1));
        assert!(verdicts[0].ends_with(" unverifiable"), "{path}: {verdicts:?}");
    }
    memory.memorize(&maker, &with_evidence("It", &[&format!("nothing/here sha256:{hash}")])).unwrap();
    assert_eq!(found(&verify(&memory, &root, Some("It"), 1)), ["It: nothing/here evidence_missing"]);
}

#[test] // spec: MEM-32
fn a_range_is_told_apart_from_its_file_and_followed_when_it_moves() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    let path = format!("{CHERRY}/app/main.py");
    let text = "import x\n\nLIMIT = 5\n\ndef send(self):\n    return LIMIT\n";
    disk.write_raw(&path, text.as_bytes());
    let forms = ["app/main.py#L3", "app/main.py:3", "app/main.py:5-6", "app/main.py#send", "app/main.py"];
    for (at, form) in forms.iter().enumerate() {
        let done = memory.memorize(&maker, &with_evidence(&format!("Claim {at}"), &[form])).unwrap();
        assert_eq!(done.notes, [] as [&str; 0], "{form}");
    }
    let verdicts = || {
        let mut rows = found(&verify(&memory, CHERRY, None, 50));
        rows.sort();
        rows
    };
    let all = |words: [&str; 5]| -> Vec<String> {
        let places =
            ["app/main.py#L3", "app/main.py#L3", "app/main.py#L5-L6", "app/main.py#send", "app/main.py"];
        (0..5).map(|at| format!("Claim {at}: {} {}", places[at], words[at])).collect()
    };
    assert_eq!(verdicts(), all(["fresh"; 5]));
    // A comment at the end touches none of the lines, and the whole file alone.
    disk.write_raw(&path, format!("{text}# more\n").as_bytes());
    assert_eq!(verdicts(), all(["fresh", "fresh", "fresh", "fresh", "evidence_changed"]));
    disk.write_raw(&path, format!("# head\n# two\n{text}").as_bytes());
    assert_eq!(verdicts(), all(["moved", "moved", "moved", "fresh", "evidence_changed"]));
    let row = memory
        .find(&maker, "Claim 0", Tier::Project)
        .rows
        .into_iter()
        .find(|row| row.label == "Claim 0")
        .unwrap();
    assert_eq!(row.evidence_moved, [("app/main.py#L3".to_owned(), "L5".to_owned())]);
    assert!(row.evidence_changed.is_empty() && row.evidence_holds);
    disk.write_raw(&path, text.replace("LIMIT = 5", "LIMIT = 6").as_bytes());
    let words = ["evidence_changed", "evidence_changed", "fresh", "fresh", "evidence_changed"];
    assert_eq!(verdicts(), all(words));
    disk.write_raw(&path, b"LIMIT = 5\n");
    let words = ["moved", "moved", "evidence_changed", "evidence_missing", "evidence_changed"];
    assert_eq!(verdicts(), all(words));
    // One claim in full says the same of its evidence as recall does.
    let shown = memory.look_at(&maker, "Claim 3", Tier::Project).unwrap().claim.unwrap();
    assert_eq!(shown.evidence_changed, ["app/main.py#send"]);
}

#[test] // spec: MEM-32
fn a_line_or_symbol_that_is_not_there_is_said_at_once_and_is_never_fresh() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    disk.write_raw(format!("{CHERRY}/a.py"), b"one = 1\ntwo = 2\n");
    let notes = |evidence: &str| {
        let done = memory.memorize(&maker, &with_evidence(evidence, &[evidence])).unwrap();
        done.notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(notes("a.py#L400"), "evidence `a.py#L400` is not there: `a.py` has 2 lines; kept as given");
    assert_eq!(
        notes("a.py#nosuch"),
        "evidence `a.py#nosuch` is not there: no definition of `nosuch` was found in `a.py`; kept as given"
    );
    assert!(notes("b.py:3").contains("was not found"), "{}", notes("b.py:3"));
    for (label, verdict) in [("a.py#L400", "evidence_missing"), ("a.py#nosuch", "evidence_missing")] {
        assert_eq!(found(&verify(&memory, CHERRY, Some(label), 9)), [format!("{label}: {label} {verdict}")]);
    }
}

#[test] // spec: MEM-32
fn evidence_that_was_written_before_ranges_had_hashes_means_what_it_meant() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let maker = caller(MAKER, CHERRY);
    let brain = memory.begin(&maker).unwrap().brain;
    let text = b"fn a() {}\nfn b() {}\n";
    disk.write_raw(format!("{CHERRY}/src/x.rs"), text);
    let hash = brainstem_base::hash::sha256_hex(text, 64);
    let old = format!(
        "---\nProtocol: L1GHT/1.0\nNode: Old\nState: authored\nCreated: {}\nSource-Agent: codex:maker\n---\n\n# Old\n\nIt is so.\n\n[⍂ entity: Old]\n[𝔻 evidence: src/x.rs#L2 sha256:{hash}]\n",
        crate::world::START
    );
    disk.write_raw(brain.store_paths().claims.join("old.light.md"), old.as_bytes());
    let verdict = || found(&verify(&memory, CHERRY, Some("Old"), 9)).join("");
    assert_eq!(verdict(), "Old: src/x.rs#L2 fresh");
    disk.write_raw(format!("{CHERRY}/src/x.rs"), b"fn a() { loop {} }\nfn b() {}\n");
    assert_eq!(verdict(), "Old: src/x.rs#L2 evidence_changed", "the hash is of the whole file");
}

#[test] // spec: MEM-32, MEM-34
fn the_evidence_of_a_promoted_copy_is_checked_in_the_project_it_came_from() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let (maker, person) = (caller(MAKER, CHERRY), caller(PERSON, CHERRY));
    memory.begin(&maker).unwrap();
    memory.begin(&caller(MAKER, crate::world::PLUM)).unwrap();
    disk.write_raw(format!("{CHERRY}/src/x.rs"), b"fn a() {}\n");
    memory.memorize(&maker, &with_evidence("Shared", &["src/x.rs#a"])).unwrap();
    let request = brainstem_memory::PromoteRequest {
        label: "Shared".into(),
        reason: "everywhere".into(),
        ..Default::default()
    };
    memory.promote(&person, &request).unwrap();
    let row = || memory.find(&caller(MAKER, crate::world::PLUM), "Shared is so", Tier::Both).rows.remove(0);
    assert!(row().evidence_holds && row().evidence_changed.is_empty());
    disk.write_raw(format!("{CHERRY}/src/x.rs"), b"fn a() { loop {} }\n");
    assert_eq!(row().evidence_changed, ["/src/cherry/src/x.rs#a"]);
    // A file that says of itself where it came from opens no other project's files.
    let forged = "---\nProtocol: L1GHT/1.0\nNode: Probe\nState: authored\nCreated: 5\nOrigin-Claim: cherry@00000000#probe\n---\n\n# Probe\n\nProbe.\n\n[𝔻 evidence: /src/cherry/src/x.rs#a]\n";
    let forged = forged.replace("cherry@00000000", &memory.begin(&maker).unwrap().brain.origin());
    disk.write_raw(Path::new(crate::world::HOME).join("agent-memory/probe.light.md"), forged.as_bytes());
    assert_eq!(
        found(&verify(&memory, CHERRY, Some("Probe"), 9)),
        ["Probe: /src/cherry/src/x.rs#a unverifiable"]
    );
}

#[test] // spec: MEM-32, MEM-51
fn evidence_that_was_not_there_at_birth_is_not_said_to_have_changed() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    disk.write_raw(format!("{CHERRY}/src/gone.rs"), b"one");
    memory.memorize(&maker, &with_evidence("Zebra", &["src/never.rs", "src/gone.rs"])).unwrap();
    brainstem_base::Disk::unlink(&disk, Path::new(CHERRY).join("src/gone.rs").as_path()).unwrap();
    let row = memory.find(&maker, "zebra", Tier::Project).rows.remove(0);
    assert_eq!((row.evidence_changed.len(), row.evidence_not_found.len()), (1, 1));
    let facts: Vec<String> = row.facts().into_iter().map(|fact| fact.words).collect();
    assert!(facts.contains(&"evidence changed or gone: src/gone.rs".to_owned()), "{facts:?}");
    assert!(facts.contains(&"evidence not found: src/never.rs".to_owned()), "{facts:?}");
}

// Only the rows that are returned: a page of a long list reads the files of that page.
#[test] // spec: MEM-32, MEM-51
fn a_list_warns_of_evidence_as_a_question_does() {
    let (disk, clock) = (two_repositories(), clock());
    let read = Arc::new(Mutex::new(0));
    let told = read.clone();
    let observed = Arc::new(ObservedDisk::new(Arc::new(disk.clone()), move |step: DiskStep| {
        let is_evidence = step.verb == verbs::READ && step.path.starts_with(format!("{CHERRY}/src"));
        *told.lock().unwrap() += usize::from(is_evidence);
    }));
    let memory = service(observed.clone(), &clock);
    let (maker, plum) = (caller(MAKER, CHERRY), caller(MAKER, crate::world::PLUM));
    memory.begin(&maker).unwrap();
    for name in ["changed", "gone", "moved"] {
        disk.write_raw(format!("{CHERRY}/src/{name}.rs"), b"fn a() {}\n");
    }
    let all = ["src/changed.rs#L1", "src/gone.rs", "src/moved.rs#L1", "src/never.rs"];
    memory.memorize(&maker, &with_evidence("Zebra", &all)).unwrap();
    disk.write_raw(format!("{CHERRY}/src/changed.rs"), b"fn b() {}\n");
    disk.write_raw(format!("{CHERRY}/src/moved.rs"), b"\n\nfn a() {}\n");
    brainstem_base::Disk::unlink(&disk, Path::new(CHERRY).join("src/gone.rs").as_path()).unwrap();
    let words = |row: &brainstem_memory::Row| -> Vec<String> {
        let facts = row.facts().into_iter().map(|fact| fact.words);
        facts.filter(|words| words.starts_with("evidence") || words.starts_with("see ")).collect()
    };
    let sought = words(&memory.find(&maker, "zebra", Tier::Project).rows[0]);
    assert_eq!(sought.len(), 3, "{sought:?}");
    assert_eq!(words(&memory.all(&maker).rows[0]), sought);
    // Versions that wait for a decision, wherever they are shown.
    let path = memory.look_at(&maker, "Zebra", Tier::Project).unwrap().claim.unwrap().path;
    let whole = brainstem_base::Disk::read(&disk, &path, 1 << 20).unwrap();
    let other = String::from_utf8(whole.clone()).unwrap().replace("Zebra is so", "Zebra is not so");
    disk.write_raw(&path, &brainstem_claims::undecided_file::join(&[&whole, other.as_bytes()]));
    let shown = memory.look_at(&maker, "Zebra", Tier::Project).unwrap().sides;
    let waiting = memory.resolve(&maker, &Default::default()).unwrap().waiting;
    for rows in [shown, waiting, memory.all(&maker).rows] {
        assert_eq!(rows.iter().map(words).collect::<Vec<_>>(), [sought.clone(), sought.clone()], "{rows:?}");
    }
    disk.write_raw(&path, &whole);
    // A copy in the medulla, listed from another project.
    let request = brainstem_memory::PromoteRequest {
        label: "Zebra".into(),
        reason: "everywhere".into(),
        ..Default::default()
    };
    memory.promote(&caller(PERSON, CHERRY), &request).unwrap();
    assert_eq!(words(&memory.all(&plum).rows[0]), words(&memory.find(&plum, "zebra", Tier::Both).rows[0]));
    // Rows behind the limit cost no reading of files of the project.
    for n in 0..5 {
        disk.write_raw(format!("{CHERRY}/src/{n}.rs"), b"fn a() {}\n");
        clock.advance(1);
        memory.memorize(&maker, &with_evidence(&format!("Okapi {n}"), &[&format!("src/{n}.rs")])).unwrap();
    }
    let reads = |limit| {
        let memory = service(observed.clone(), &clock);
        let request = ListRequest { tier: Tier::Project, limit, filter: Filter::default(), cursor: None };
        *read.lock().unwrap() = 0;
        memory.list(&maker, &request).unwrap();
        *read.lock().unwrap()
    };
    assert_eq!((reads(1), reads(5)), (1, 5));
}

// The hash of a short line with its length gives the line away to a reader who can guess it.
#[test] // spec: MEM-14a, MEM-32
fn no_hash_is_kept_of_evidence_that_carries_a_secret() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    let key = format!(
        "-----BEGIN {0}-----\n{1}\n{1}\n{1}\n-----END {0}-----\n",
        "RSA PRIVATE KEY", "MIIEpAIBAAKCAQEA7v2mQ0pXzT9kL4cJ1nWb8sYdR5uHfG3eVq6iZxPtOoAlKjMh"
    );
    let files = [
        (".env", "PORT=8080\nDB_PASSWORD=falcon4711\n"),
        ("key.pem", key.as_str()),
        ("main.rs", "fn it() {}\n"),
    ];
    for (name, text) in files {
        disk.write_raw(format!("{CHERRY}/{name}"), text.as_bytes());
    }
    let given = format!(".env sha256:{}", "ab".repeat(32));
    let evidence = [".env#L2", ".env#L1-L2", ".env", ".env:2", "key.pem#L3", &given, ".env#L1", "main.rs"];
    let done = memory.memorize(&maker, &with_evidence("Settings", &evidence)).unwrap();
    let hashed: Vec<bool> = done.claim.evidence.iter().map(|evidence| evidence.hash.is_some()).collect();
    let places: Vec<String> = done.claim.evidence.iter().map(|evidence| evidence.place()).collect();
    let expected: Vec<bool> = places.iter().map(|place| [".env#L1", "main.rs"].contains(&&**place)).collect();
    assert_eq!(hashed, expected, "{places:?}");
    assert!(done.notes.iter().any(|note| note.contains("`.env#L2` carries a secret")), "{:?}", done.notes);
    let file = String::from_utf8(disk.dump()[&done.path].clone()).unwrap();
    assert_eq!(file.matches("sha256:").count(), 2, "{file}");
    let verified = verify(&memory, CHERRY, Some("Settings"), 9);
    assert!(found(&verified)[0].contains(".env#L2 unverifiable"), "{:?}", found(&verified));

    // Lines that are not there carry nothing.
    let absent = memory.memorize(&maker, &with_evidence("Absent", &[".env#L99"])).unwrap();
    assert!(absent.notes.iter().any(|note| note.contains(".env#L99")), "{:?}", absent.notes);
    assert!(absent.notes.iter().all(|note| !note.contains("secret")), "{:?}", absent.notes);

    // A file that got its secret later: the next edit drops the hash.
    disk.write_raw(format!("{CHERRY}/main.rs"), b"const DB_PASSWORD: &str = \"falcon4711\";\n");
    let editing = memory.begin_edit(&maker, "Settings", None).unwrap();
    let page = editing.page.replace("is so", "is still so");
    let edited = memory.finish_edit(&maker, &editing, &page).unwrap().unwrap();
    let main = edited.claim.evidence.iter().find(|evidence| evidence.path == "main.rs").unwrap();
    assert_eq!(main.hash, None);
}
