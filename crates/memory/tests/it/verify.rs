//! Evidence: compared with the files of the project, and with nothing outside it.

use crate::world::{
    CHERRY, MAKER, PERSON, Short as _, caller, claim, clock, code, doctrine, service, service_at,
    two_repositories,
};
use brainstem_base::disk::RealDisk;
use brainstem_memory::{MemorizeRequest, Memory, Tier, Verified, VerifyRequest};
use std::fs;
use std::path::Path;
use std::sync::Arc;

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
    let kinds = ["src/kept.rs#L1-L9", "src/never.rs", "https://example.org/x"];
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
        "Kept: src/kept.rs#L1-L9 fresh",
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
