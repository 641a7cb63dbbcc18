//! Questions against what they are promised to cost: an encoding, a pass over the vectors, and tantivy.

use crate::figures::{Report, Times, in_turn, timed};
use crate::homes::{PROJECT, Place, StaticQuestions};
use crate::notes::{self, Asked, Groups, asked, note};
use crate::others::{ANSWERS, Fts5, Tantivy, text_of};
use brainstem_base::disk::RealDisk;
use brainstem_index::{BundledEmbedder, Embedder as _, PublishUntil};
use brainstem_memory::{Caller, MemorizeRequest, Memory, NorthRequest, SeekRequest, Tier};
use brainstem_recall::rank::{RankBy, RankQuestion, rank};
use brainstem_recall::scope::RecallScope;
use brainstem_recall_model::{DIMENSIONS, dots};
use std::collections::{HashMap, HashSet};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

/// How often cheap things are asked.
const CHEAP: usize = 2_000;
/// The bytes that are read to learn how fast memory is: far more than any cache holds.
const BANDWIDTH_LEN: usize = 512 << 20;

/// Questions over all of a store, in an order that no cache foresees.
pub fn questions(claims: usize, count: usize) -> Vec<Asked> {
    (0..count).map(|at| asked((at * 7_919 % claims) as u64)).collect()
}

/// Builds the index of the project, and tells what that took and how large it is.
pub fn build(place: &Place, claims: usize, report: &mut Report) {
    let index = place.index(Arc::new(BundledEmbedder::new()));
    let (built, (ms, _)) = timed(|| index.refresh().expect("a readable store"));
    assert_eq!(built.files(), claims);
    report.number(claims, "first build of the index, words and static vectors", ms, "ms");
    let (_, (ms, _)) = timed(|| index.publish(PublishUntil::Shared, &|| true, &|_| ()));
    report.number(claims, "sharing it with other processes", ms, "ms");
    let index_len = len_of(&place.home().join(brainstem_index::FOLDER));
    let text_len: usize = (0..claims as u64).map(|number| text_of(&note(number, Groups::Some)).len()).sum();
    let files_len = len_of(&place.store().paths().claims);
    report.number(claims, "text of a claim", text_len as f64 / claims as f64, "bytes");
    report.number(claims, "file of a claim", files_len as f64 / claims as f64, "bytes");
    report.number(claims, "index / text (at most 3)", index_len as f64 / text_len as f64, "×");
    report.number(claims, "index / files", index_len as f64 / files_len as f64, "×");
}

/// What it costs to see that nothing changed, that one file did, and to open the index anew.
pub fn freshness(place: &Place, claims: usize, report: &mut Report) {
    let meanings = Arc::new(BundledEmbedder::new());
    let mut open = |_| drop(place.index(meanings.clone()).refresh());
    report.times(claims, "opening the index", &in_turn(9, &mut [&mut open])[0]);
    let index = place.index(meanings);
    index.refresh().expect("a readable store");
    let mut unchanged = |_| drop(index.refresh());
    report.times(claims, "freshness, nothing changed", &in_turn(CHEAP, &mut [&mut unchanged])[0]);
    let memory = place.memory(Arc::new(RealDisk), Arc::new(BundledEmbedder::new()));
    let caller = place.caller(&memory, "bench:changer", PROJECT);
    let mut times = Vec::new();
    for round in 0..20 {
        change(&memory, &caller, round);
        times.push(timed(|| drop(index.refresh())).1);
    }
    report.times(claims, "freshness, one claim changed", &Times::of(times));
}

/// Words alone against tantivy and FTS5, on the same text.
pub fn words(place: &Place, folder: &Path, claims: usize, groups: Groups, report: &mut Report) -> Tantivy {
    let notes = || (0..claims as u64).map(|number| note(number, groups));
    let tantivy = Tantivy::over(&folder.join("tantivy"), notes()).expect("a tantivy index");
    let fts5 = Fts5::over(&folder.join("fts5.sqlite"), notes()).expect("an FTS5 table");
    let index = place.index(Arc::new(BundledEmbedder::new()));
    let snapshot = index.refresh().expect("a readable store");
    let scope = RecallScope::over(&[snapshot.segments()]);
    let asked = questions(claims, 300);
    let grouped = if groups == Groups::Some { ", conversations too" } else { "" };
    for (kind, text) in [("ten words", 0), ("a sentence", 1)] {
        let text = |round: usize| if text == 0 { &asked[round].words } else { &asked[round].sentence };
        let mut ours = |round: usize| {
            let nothing = |_: &str| None;
            let question = RankQuestion {
                text: text(round),
                meaning: &nothing,
                by: RankBy::Words,
                limit: ANSWERS,
                standing: &|_| 1.0,
            };
            black_box(rank(&scope, &question).hits.len());
        };
        let mut theirs = |round: usize| {
            black_box(tantivy.ask(text(round)));
        };
        // It takes so long that it is asked one time in ten.
        let mut sqlite_times = Vec::new();
        let mut sqlite = |round: usize| {
            if round.is_multiple_of(10) {
                sqlite_times.push(timed(|| fts5.ask(text(round)).expect("an answer")).1);
            }
        };
        let times = in_turn(asked.len(), &mut [&mut ours, &mut theirs, &mut sqlite]);
        let sqlite = Times::of(sqlite_times);
        report.times(claims, &format!("lexical stage, {kind}{grouped}"), &times[0]);
        report.times(claims, &format!("tantivy, {kind}{grouped}"), &times[1]);
        report.times(claims, &format!("FTS5, {kind}{grouped}"), &sqlite);
        let ratio = times[0].processor() / times[1].processor();
        report.number(claims, &format!("lexical stage / tantivy, {kind}{grouped} (at most 1)"), ratio, "×");
        let ratio = times[0].processor() / sqlite.processor();
        report.number(claims, &format!("lexical stage / FTS5, {kind}{grouped}"), ratio, "×");
    }
    tantivy
}

/// All of `seek` and `north`, against the parts that they cannot do without.
pub fn whole(place: &Place, tantivy: &Tantivy, claims: usize, report: &mut Report) {
    let meanings = Arc::new(BundledEmbedder::new());
    let memory = place.memory(Arc::new(RealDisk), meanings.clone());
    let quick = place.memory(Arc::new(RealDisk), Arc::new(StaticQuestions::new()));
    let caller = place.caller(&memory, "bench:asker", PROJECT);
    let asked = questions(claims, 200);
    let rows: Vec<i8> = (0..claims * DIMENSIONS).map(|index| (index % 251) as i8).collect();
    let direction = meanings.question(&asked[0].sentence).expect("a question with a meaning");
    let mut products = Vec::new();
    let bandwidth = bandwidth();
    report.number(claims, "memory bandwidth of one core", bandwidth, "GB/s");

    // The first question of each opens the index.
    let first = seek(&memory, &caller, &asked[0].sentence);
    seek(&quick, &caller, &asked[0].sentence);
    assert!(!first.is_empty());
    // Many notes answer one question where a store is large; any of them will do.
    let mut answers: HashMap<String, HashSet<String>> = HashMap::new();
    for number in 0..claims as u64 {
        let asked = notes::asked(number);
        answers.entry(asked.sentence).or_default().insert(asked.answer);
    }
    let mut found = 0;
    let mut encoding = |round: usize| drop(black_box(meanings.question(&asked[round].sentence)));
    let mut pass = |_| dots(&direction.values, &rows, &mut products);
    let mut tantivy_asked = |round: usize| {
        black_box(tantivy.ask(&asked[round].sentence));
    };
    let mut sought = |round: usize| {
        let rows = seek(&memory, &caller, &asked[round].sentence);
        let answers = &answers[&asked[round].sentence];
        found += usize::from(rows.iter().any(|row| answers.contains(row)));
    };
    let mut sought_static = |round: usize| drop(black_box(seek(&quick, &caller, &asked[round].sentence)));
    // Another question than the one that was just asked, whose meaning is still known.
    let mut norths =
        |round: usize| north(&memory, &caller, &asked[(round + asked.len() / 2) % asked.len()].sentence);
    let times = in_turn(
        asked.len(),
        &mut [&mut encoding, &mut pass, &mut tantivy_asked, &mut sought, &mut sought_static, &mut norths],
    );
    let names = [
        "encoding of a question",
        "pass over the vectors, as the program does it",
        "tantivy, a sentence",
        "seek",
        "seek, static question",
        "north",
    ];
    names.iter().zip(&times).for_each(|(name, times)| report.times(claims, name, times));
    let [encoding, _, tantivy, seek, seek_static, north] = [0, 1, 2, 3, 4, 5].map(|at| times[at].processor());
    let pass = (claims * DIMENSIONS) as f64 / bandwidth / 1e6;
    report.number(claims, "pass over the vectors at memory bandwidth", pass, "ms");
    let sum = encoding + pass + 3.0 * tantivy;
    report.number(claims, "seek / (encoding + pass + 3 tantivy) (at most 1)", seek / sum, "×");
    let larger = pass.max(tantivy);
    report.number(claims, "seek, static / larger of pass and tantivy (at most 3)", seek_static / larger, "×");
    report.number(claims, "north / seek (at most 2)", north / seek, "×");
    report.number(claims, "questions per second of a processor", 1e3 / seek, "");
    report.number(
        claims,
        "questions with an answer among the first ten",
        found as f64 / asked.len() as f64 * 100.0,
        "%",
    );
}

/// Asks as an agent does, for a look at this process from outside.
pub fn dwell(place: &Place, claims: usize) {
    let memory = place.memory(Arc::new(RealDisk), Arc::new(BundledEmbedder::new()));
    let caller = place.caller(&memory, "bench:dweller", PROJECT);
    for asked in questions(claims, 50) {
        seek(&memory, &caller, &asked.sentence);
        north(&memory, &caller, &asked.sentence);
    }
    println!("ready");
    // Until the end of standard input.
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
}

fn seek(memory: &Memory, caller: &Caller, question: &str) -> Vec<String> {
    let request = SeekRequest {
        query: question.to_owned(),
        tier: Tier::Both,
        scope: None,
        limit: ANSWERS,
        filter: brainstem_memory::Filter::default(),
        by: RankBy::All,
    };
    caller.look_again();
    let sought = memory.seek(caller, &request).expect("an answer");
    assert!(sought.gaps.iter().all(|gap| gap.name == "no_match"), "{:?}", sought.gaps);
    sought.rows.into_iter().map(|row| row.label).collect()
}

fn north(memory: &Memory, caller: &Caller, task: &str) {
    let request =
        NorthRequest { task: task.to_owned(), budget_tokens: brainstem_memory::limits::BUDGET_DEFAULT };
    caller.look_again();
    let beat = memory.north(caller, &request).expect("a beat");
    assert!(!beat.memory.is_empty());
}

fn change(memory: &Memory, caller: &Caller, round: u64) {
    let note = note(60_000_000 + round, Groups::None);
    let request = MemorizeRequest { label: note.label, text: note.text, ..MemorizeRequest::default() };
    caller.look_again();
    memory.memorize(caller, &request).expect("a durable write");
}

/// What one core reads from memory, in GB a second.
fn bandwidth() -> f64 {
    let words: Vec<u64> = (0..BANDWIDTH_LEN as u64 / 8).collect();
    let mut read = |_| {
        let mut sums = [0_u64; 16];
        for chunk in words.as_chunks::<16>().0 {
            sums.iter_mut().zip(chunk).for_each(|(sum, word)| *sum = sum.wrapping_add(*word));
        }
        black_box(sums);
    };
    let times = in_turn(7, &mut [&mut read]);
    BANDWIDTH_LEN as f64 / times[0].least() / 1e6
}

fn len_of(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).expect("a readable folder");
    entries.filter_map(|entry| entry.ok()?.metadata().ok()).map(|entry| entry.len()).sum()
}
