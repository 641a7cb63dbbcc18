//! Claims that are promoted and judged, and the acts on the disk.

use crate::act_line::Act;
use crate::world::files_below;
use brainstem_base::disk::SimDisk;
use brainstem_memory::{
    Caller, LearnRequest, Memory, MemoryError, PromoteRequest, Promoted, Verdict, WriteTier,
};

pub(crate) fn promote(memory: &Memory, caller: &Caller, label: &str) -> Result<Promoted, MemoryError> {
    let request = PromoteRequest {
        label: label.into(),
        reason: "it holds in plum too".into(),
        because: Some("telemetry".into()),
        ..PromoteRequest::default()
    };
    memory.promote(caller, &request)
}

pub(crate) fn judge_wrong(memory: &Memory, caller: &Caller, label: &str) {
    let request = LearnRequest {
        label: label.into(),
        verdict: Verdict::Wrong,
        note: Some("not in plum".into()),
        tier: Some(WriteTier::Medulla),
    };
    memory.learn(caller, &request).unwrap();
}

/// Returns every act on the disk.
pub(crate) fn acts(disk: &SimDisk) -> Vec<Act> {
    let logs = files_below(disk, "/").into_iter().filter(|(path, _)| path.ends_with("acts.jsonl"));
    let lines =
        logs.flat_map(|(_, bytes)| bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>());
    lines.filter_map(|line| serde_json::from_slice(&line).ok()).collect()
}
