//! What can be wrong with the medulla, the record of acts, the index, and what was left behind.

use super::{Break, Ward, file, settle};
use crate::act_line::Act;
use crate::world::{CHERRY, HOME, MAKER, PERSON, START, Short as _, caller};
use brainstem_base::disk::{Disk as _, StoppedLock};
use brainstem_base::{AgentId, Timestamp};
use brainstem_claims::ClaimSlug;
use brainstem_claims::act::tombstone_name;
use brainstem_memory::{LearnRequest, Trouble, Verdict};
use std::path::{Path, PathBuf};

pub(super) const TABLE: &[(Trouble, Break)] = &[
    (Trouble::ForgottenElsewhere, |ward| {
        let live = settle(ward);
        let claim = brainstem_claims::Claim::parse(ward.read(&live).as_bytes()).unwrap();
        let id = brainstem_claims::lineage::VersionId::of(&claim).to_string();
        ward.disk.unlink(&live).unwrap();
        let subject = format!("{}@1", tombstone_name(&ClaimSlug::parse("retry-policy").unwrap()));
        let data = serde_json::json!({ "versions": 1, "sha256": [], "covers": id });
        let agent = AgentId::parse("human:ben").unwrap();
        let act = Act::once("forget", &subject, &agent, Timestamp::from_ms(START + 9_000), data);
        let log = Path::new(CHERRY).join(".brainstem/acts.jsonl");
        let line = [serde_json::to_vec(&act).unwrap(), b"\n".to_vec()].concat();
        let before = ward.disk.read(&log, 1 << 20).unwrap();
        ward.disk.write_raw(&log, &[before, line].concat());
        ward.kept("retry-policy")
    }),
    (Trouble::ActsAbsent, |ward| {
        settle(ward);
        let verdict =
            LearnRequest { label: "Retry policy".into(), verdict: Verdict::Correct, note: None, tier: None };
        ward.memory.learn(&caller(MAKER, CHERRY), &verdict).unwrap();
        let log = Path::new(CHERRY).join(".brainstem/acts.jsonl");
        ward.disk.write_raw(&log, b"");
        log
    }),
    (Trouble::MedullaFull, |ward| fill_medulla(ward, 200)),
    (Trouble::MedullaOverfull, |ward| fill_medulla(ward, 300)),
    (Trouble::MedullaUnaccounted, |ward| {
        let text = file("Rule", 5, "x").replace("State:", "Origin-Brain: medulla\nState:");
        let path = PathBuf::from(HOME).join("agent-memory/rule.light.md");
        ward.disk.write_raw(&path, text.as_bytes());
        path
    }),
    (Trouble::MedullaWitnessRetracted, |ward| {
        let cherry = caller(PERSON, CHERRY);
        ward.memory.tell(&cherry, "Colours", "Blue.").unwrap();
        let request = brainstem_memory::PromoteRequest {
            label: "Colours".into(),
            reason: "everywhere".into(),
            ..Default::default()
        };
        ward.memory.promote(&cherry, &request).unwrap();
        ward.memory.take_back(&cherry, "Colours").unwrap();
        PathBuf::from(HOME).join("agent-memory/colours.light.md")
    }),
    (Trouble::MedullaOriginUnknown, |ward| {
        let path = PathBuf::from(HOME).join("agent-memory/stray.light.md");
        ward.disk.write_raw(&path, file("Stray", 5, "whose?").as_bytes());
        path
    }),
    (Trouble::MedullaMixed, |ward| {
        let text = file("Hall", 5, "trees").replace("State:", "Tags: cherry\nState:");
        ward.disk.write_raw(format!("{HOME}/agent-memory/hall.light.md"), text.as_bytes());
        format!("{HOME}/agent-memory").into()
    }),
    (Trouble::MigrationOpen, |ward| {
        let act = "{\"id\":\"x\",\"ts\":\"\",\"agent\":\"human:ana\",\"act\":\"migrate_begin\",\"subject\":\"migration:1\"}\n";
        ward.disk.append(Path::new(&format!("{HOME}/acts.jsonl")), act.as_bytes()).unwrap();
        format!("{HOME}/agent-memory").into()
    }),
    (Trouble::IndexDrift, |ward| {
        let cherry = caller(MAKER, CHERRY);
        ward.memory.find(&cherry, "retry", brainstem_memory::Tier::Project);
        ward.memory.settle(&cherry, brainstem_memory::Tier::Project);
        let index = ward.disk.list(Path::new(&format!("{HOME}/index"))).unwrap();
        let is_segment = |name: &str| name.ends_with(".segment");
        let name =
            index.iter().find_map(|entry| entry.name.to_str().filter(|name| is_segment(name))).unwrap();
        let path = PathBuf::from(HOME).join("index").join(name);
        let mut bytes = ward.disk.read(&path, 1 << 20).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        ward.disk.write_raw(&path, &bytes);
        path
    }),
    (Trouble::MedullaGone, |ward| {
        let medulla = PathBuf::from(HOME).join("agent-memory");
        ward.disk.unlink(&medulla.join("tabs.light.md")).unwrap();
        medulla
    }),
    (Trouble::IndexDrift, |ward| {
        let index = PathBuf::from(HOME).join("index");
        ward.disk.write_raw(&index, b"not a folder");
        index
    }),
    (Trouble::DebriefUnfinished, |ward| {
        let path = ward.folder.join("acts.jsonl");
        let head =
            r#""ts":"2026-07-01T00:00:00.000Z","agent":"codex:maker","subject":"dlg_00112233445566778899""#;
        let given = r#""expires_at":"2026-07-02T00:00:00.000Z","rows":{"project":0,"medulla":0}"#;
        let decided = r#""outcome":"success","report":"00","child":"codex:maker","findings":1"#;
        let lines = format!(
            "{{\"id\":\"0a\",\"act\":\"delegate\",{head},\"data\":{{{given}}}}}\n\
             {{\"id\":\"0b\",\"act\":\"debrief\",{head},\"data\":{{{decided}}}}}\n"
        );
        ward.disk.append(&path, lines.as_bytes()).unwrap();
        path
    }),
    (Trouble::ActsDamaged, |ward| {
        let path = ward.folder.join("acts.jsonl");
        ward.disk.append(&path, b"{\"id\": \"torn").unwrap();
        path
    }),
    (Trouble::LockStopped, |ward| {
        let path = ward.claims().join(".locks/07");
        ward.disk.set_stopped_lock(StoppedLock { path: path.clone(), pid: 4711 });
        path
    }),
    (Trouble::LeftoverCopies, |ward| {
        let dir = PathBuf::from(HOME).join("local/battery");
        ward.disk.write_raw(dir.join("0011/home/agent-memory/a.light.md"), b"a copy");
        dir
    }),
    (Trouble::LeftoverFile, |ward| ward.put(".tmp-0123456789abcdef", b"\n\n\n")),
    (Trouble::LeftoverWords, |ward| {
        ward.put(".tmp-0123456789abcdef", file("Retry policy", 9, "never seen").as_bytes())
    }),
];

fn fill_medulla(ward: &Ward, count: usize) -> PathBuf {
    let dir = PathBuf::from(HOME).join("agent-memory");
    let log = PathBuf::from(HOME).join("acts.jsonl");
    let mut acts = ward.read(&log);
    for n in 1..count {
        let text = file(&format!("Rule {n}"), 5, "x").replace("State:", "Origin-Brain: medulla\nState:");
        ward.disk.write_raw(dir.join(format!("rule-{n}.light.md")), text.as_bytes());
        let (subject, agent) = (format!("rule-{n}@5"), AgentId::parse(PERSON).unwrap());
        let act = Act::once("doctrine", &subject, &agent, Timestamp::from_ms(5), serde_json::json!({}));
        acts.push_str(&format!("{}\n", serde_json::to_string(&act).unwrap()));
    }
    ward.disk.write_raw(&log, acts.as_bytes());
    dir
}
