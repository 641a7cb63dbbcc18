//! Tests of batches and of the keys they derive.

use super::super::{CommitAssembler, CommitGroup, CommitGroupFault, PayloadId, PayloadType};
use super::*;
use crate::limits::COMMITS_OPEN_MAX;
use proptest::prelude::*;

fn host(name: &str) -> HostId {
    HostId::parse(name).expect("a host")
}

fn unit(host_name: &str, counter: u64, id: &str) -> ChangeUnit {
    ChangeUnit {
        origin: UnitOrigin::Local,
        host: host(host_name),
        counter,
        payload_type: PayloadType::parse("claim").expect("a type"),
        payload_id: PayloadId::parse(id).expect("an id"),
    }
}

fn received(unit: &ChangeUnit) -> ChangeUnit {
    ChangeUnit { origin: UnitOrigin::Sync, ..unit.clone() }
}

fn change(units: Vec<ChangeUnit>) -> CommittedChange {
    CommittedChange { units, ..CommittedChange::default() }
}

fn batch(id: u64, units: Vec<ChangeUnit>) -> NotificationBatch {
    NotificationBatch::new(LocalBatchId(id), change(units)).expect("provenance")
}

#[test] // spec: B-28, B-30, T-07
fn a_change_without_provenance_makes_no_batch() {
    let refused = |units| NotificationBatch::new(LocalBatchId(7), change(units));
    assert_eq!(refused(vec![]), Err(MissingChangeProvenance));
    assert_eq!(refused(vec![unit("a", 1, "x"), unit("b", 1, "x")]), Err(MissingChangeProvenance));
}

#[test] // spec: Z-1, B-20, B-25, B-29, B-30, T-03, T-05
fn author_and_receiver_derive_the_same_key_whatever_their_batches_are_called() {
    let units = vec![unit("laptop", 3, "x"), unit("laptop", 4, "y")];
    let author = batch(1, units.clone());
    let receiver = batch(99, units.iter().rev().map(received).collect());
    assert_eq!(author.key(), receiver.key());
    assert!(author.unit_keys().eq(receiver.unit_keys()));
    assert_ne!(author.local_id(), receiver.local_id());
    assert_eq!((author.origin(), receiver.origin()), (ChangeOrigin::User, ChangeOrigin::Sync));
}

#[test] // spec: B-26
fn the_key_follows_from_the_evidence_that_is_stored() {
    let batch = batch(1, vec![unit("a", 2, "y"), unit("a", 1, "x"), unit("a", 2, "y")]);
    let evidence: Vec<String> = batch.unit_keys().map(|key| key.to_string()).collect();
    assert_eq!(evidence.len(), 2);
    assert!(evidence.is_sorted());
    let read = evidence.iter().map(|text| text.parse().expect("a key")).collect();
    assert_eq!(logical_change_key(&read), batch.key());
}

#[test] // spec: B-27, B-30, T-06
fn batches_of_one_tick_merge_only_if_they_are_the_same_change() {
    let token = |id| Token::entity(id).expect("a token");
    let with = |id, units, token: Token| {
        let change = CommittedChange { tokens: [token].into(), ..change(units) };
        NotificationBatch::new(LocalBatchId(id), change).expect("provenance")
    };
    let (x, y) = (vec![unit("a", 1, "x")], vec![unit("a", 2, "y")]);
    let batches =
        [with(1, x.clone(), token("x")), with(2, y.clone(), token("y")), with(3, x.clone(), token("z"))];
    let merged = coalesce(batches);
    let seen: Vec<_> =
        merged.iter().map(|batch| (batch.local_id(), batch.key(), batch.tokens().len())).collect();
    assert_eq!(seen, [(LocalBatchId(1), batch(1, x).key(), 2), (LocalBatchId(2), batch(2, y).key(), 1)]);
    let mut first = merged[0].clone();
    assert_eq!(first.absorb(merged[1].clone()), Err(Box::new(merged[1].clone())));
    assert_eq!(first, merged[0]);
}

#[test] // spec: Z-2, B-24, T-05
fn a_receiver_derives_the_key_of_a_commit_once_it_has_all_of_it() {
    let units = [unit("a", 5, "x"), unit("a", 5, "y"), unit("a", 5, "z")];
    let (group, other) = (CommitGroup { id: 5, unit_count: 3 }, CommitGroup { id: 6, unit_count: 1 });
    let mut assembler = CommitAssembler::default();
    let mut take = |group: &CommitGroup, unit: &ChangeUnit| assembler.take(group, received(unit));
    assert_eq!(take(&group, &units[2]), Ok(None));
    assert_eq!(take(&group, &units[2]), Ok(None), "twice is once");
    let single = unit("a", 6, "x");
    assert_eq!(take(&other, &single), Ok(Some(vec![received(&single)])));
    assert_eq!(take(&group, &units[0]), Ok(None));
    let all = take(&group, &units[1]).expect("no fault").expect("all are here");
    assert_eq!(batch(1, all).key(), batch(2, units.to_vec()).key());
    assert_eq!(assembler.open_count(), 0);
}

#[test] // spec: Z-2
fn a_commit_that_contradicts_itself_or_is_one_too_many_is_refused() {
    let mut assembler = CommitAssembler::default();
    let group = |id, unit_count| CommitGroup { id, unit_count };
    assert_eq!(assembler.take(&group(1, 0), unit("a", 1, "x")), Err(CommitGroupFault::Size(0)));
    assert_eq!(assembler.take(&group(1, 2), unit("a", 1, "x")), Ok(None));
    let disagreement = CommitGroupFault::Disagreement { known: 2, said: 3 };
    assert_eq!(assembler.take(&group(1, 3), unit("a", 1, "y")), Err(disagreement));
    for id in 2..=COMMITS_OPEN_MAX as u64 {
        assert_eq!(assembler.take(&group(id, 2), unit("a", id, "x")), Ok(None));
    }
    assert_eq!(assembler.take(&group(9_999, 2), unit("a", 9_999, "x")), Err(CommitGroupFault::TooManyOpen));
    assert!(matches!(assembler.take(&group(1, 2), unit("a", 1, "y")), Ok(Some(_))), "an open one goes on");
}

#[test] // spec: Z-14, T-94
fn a_chain_of_runs_keeps_its_root_and_ends_at_the_cap() {
    let first = batch(1, vec![unit("a", 1, "x")]);
    assert_eq!(first.causation(), Causation::ROOT);
    let mut chain = first.causation().of_effects(first.key());
    for depth in 1..4 {
        assert_eq!(chain, Causation { root: Some(first.key()), depth });
        assert!(chain.may_wake(4));
        chain = chain.of_effects(batch(2, vec![unit("a", u64::from(depth) + 1, "y")]).key());
    }
    assert!(!chain.may_wake(4));
}

#[derive(Debug)]
struct Vector {
    units: Vec<ChangeUnit>,
    texts: Vec<String>,
    keys: Vec<String>,
    logical: String,
}

/// Reads the vectors of a version from its file.
fn vectors(json: &str) -> Vec<Vector> {
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let texts = |value: &serde_json::Value| value.as_array().expect("a list").iter().map(text).collect();
    let file: serde_json::Value = serde_json::from_str(json).expect("JSON");
    let read = |vector: &serde_json::Value| Vector {
        units: vector["units"]
            .as_array()
            .expect("units")
            .iter()
            .map(|unit| ChangeUnit {
                origin: if unit["origin"] == "sync" { UnitOrigin::Sync } else { UnitOrigin::Local },
                host: host(&text(&unit["hostId"])),
                counter: unit["counter"].as_u64().expect("a counter"),
                payload_type: PayloadType::parse(&text(&unit["payloadType"])).expect("a type"),
                payload_id: PayloadId::parse(&text(&unit["payloadId"])).expect("an id"),
            })
            .collect(),
        texts: texts(&vector["canonical"]),
        keys: texts(&vector["changeUnitKeys"]),
        logical: text(&vector["logicalChangeKey"]),
    };
    file["vectors"].as_array().expect("vectors").iter().map(read).collect()
}

#[test] // spec: B-22, B-23, B-24, B-24a, Z-20
fn the_vectors_of_version_1_hold() {
    for vector in vectors(include_str!("../../tests/vectors/change_keys_v1.json")) {
        let texts: Vec<String> = vector.units.iter().map(super::super::v1::unit_text).collect();
        assert_eq!(texts, vector.texts);
        let keys: BTreeSet<_> = vector.units.iter().map(super::super::v1::unit_key).collect();
        assert_eq!(keys.iter().map(ToString::to_string).collect::<Vec<_>>(), vector.keys);
        assert_eq!(super::super::v1::logical_change_key(&keys).to_string(), vector.logical);
    }
}

#[test] // spec: B-23, B-24a, Z-1, Z-20
fn the_vectors_of_version_2_hold() {
    for vector in vectors(include_str!("../../tests/vectors/change_keys_v2.json")) {
        let texts: Vec<String> = vector.units.iter().map(ToString::to_string).collect();
        assert_eq!(texts, vector.texts);
        let keys: BTreeSet<_> = vector.units.iter().map(ChangeUnit::key).collect();
        assert_eq!(keys.iter().map(ToString::to_string).collect::<Vec<_>>(), vector.keys);
        assert_eq!(logical_change_key(&keys).to_string(), vector.logical);
    }
}

proptest! {
    #[test] // spec: B-24, B-30, T-05
    fn a_key_depends_on_the_set_of_units_and_on_nothing_else(
        units in prop::collection::vec((1_u64..4, "[xy|]{1,2}"), 1..6), seed in any::<u64>(),
    ) {
        let units: Vec<ChangeUnit> = units.iter().map(|(counter, id)| unit("a", *counter, id)).collect();
        let mut shuffled = units.clone();
        shuffled.extend(units.iter().map(received));
        let at = (seed % units.len() as u64) as usize;
        shuffled.rotate_left(at);
        prop_assert_eq!(batch(1, units.clone()).key(), batch(2, shuffled).key());
        let more = [units.clone(), vec![unit("a", 9, "x")]].concat();
        prop_assert_ne!(batch(1, units).key(), batch(2, more).key());
    }

    #[test] // spec: Z-20
    fn no_two_units_have_one_canonical_text(
        a in ("[a-b]{1,2}", 0_u64..20, "[1|a]{1,4}"), b in ("[a-b]{1,2}", 0_u64..20, "[1|a]{1,4}"),
    ) {
        let made = |part: &(String, u64, String)| unit(&part.0, part.1, &part.2);
        prop_assert_eq!(a == b, made(&a).to_string() == made(&b).to_string());
    }
}
