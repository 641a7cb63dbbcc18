//! Fits the weights of [`brainstem_recall::rank::conversation`] on public conversations.
//!
//! `cargo run --release -p brainstem-recall --example fit -- LOCOMO.json`
//!
//! Each conversation is left out once; what is reported for its questions comes from weights that were
//! fitted on the others. The last line is the fit on all of them, ready to be written into the source.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a program for people who tune"
)]

use brainstem_recall::document::{ClaimForm, Document, ReadStamp};
use brainstem_recall::rank::conversation::{FEATURES, Features, WEIGHTS};
use brainstem_recall::rank::{Direction, RankBy, RankQuestion, rank_traced};
use brainstem_recall::scope::{DeletedDocs, RecallScope, SplitGroups, StoreSegments};
use brainstem_recall::segment::{Builder, Layout, Segment, VectorKind};
use brainstem_recall_model::{Embed as _, Encoder};
use serde_json::Value;
use std::collections::HashMap;

const DEPTHS: [usize; 5] = [1, 5, 10, 25, 50];
const STEPS: usize = 300;
const RATE: f64 = 0.05;
const DECAY: f64 = 0.01;
/// Questions that cannot be answered count a little: they ask about the wrong speaker.
const UNANSWERABLE: f64 = 0.1;

struct Asked {
    conversation: usize,
    category: u64,
    gold: Vec<String>,
    rows: Vec<(String, String, Features)>,
}

fn main() {
    let path = std::env::args().nth(1).expect("the path of the data set");
    let data: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let encoder = Encoder::new();
    let mut asked = Vec::new();
    for (number, sample) in data.iter().enumerate() {
        ask(&encoder, number, sample, &mut asked);
    }
    println!("{} questions", asked.len());
    report("as in the source", &asked, |_| WEIGHTS.map(f64::from).to_vec());
    let folds: Vec<Vec<f64>> = (0..data.len()).map(|left_out| fit(&asked, Some(left_out))).collect();
    report("each conversation left out once", &asked, |question| folds[question.conversation].clone());
    let all = fit(&asked, None);
    for (name, weight) in FEATURES.iter().zip(&all) {
        println!("{name:24} {weight:7.3}");
    }
    let list: Vec<String> = all.iter().map(|weight| format!("{weight:.3}")).collect();
    println!("[{}]", list.join(", "));
}

fn day_ms(text: &str) -> i64 {
    // "1:56 pm on 8 May, 2023"; the hour decides nothing here.
    let (_, day) = text.split_once(" on ").unwrap();
    let words: Vec<&str> = day.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = months.iter().position(|month| words[1].starts_with(month)).unwrap() as i64;
    let (year, day): (i64, i64) = (words[2].parse().unwrap(), words[0].parse().unwrap());
    let (shifted_year, shifted) = if month < 2 { (year - 1, month + 10) } else { (year, month - 2) };
    let days = shifted_year * 365 + shifted_year / 4 - shifted_year / 100
        + shifted_year / 400
        + (153 * shifted + 2) / 5
        + day
        - 1
        - 719_468;
    days * 86_400_000
}

fn ask(encoder: &Encoder, number: usize, sample: &Value, asked: &mut Vec<Asked>) {
    let conversation = sample["conversation"].as_object().unwrap();
    let mut builder = Builder::new(1);
    let mut label_of: HashMap<String, String> = HashMap::new();
    for (session, turns) in conversation.iter().filter(|(_, value)| value.is_array()) {
        let day = day_ms(conversation[&format!("{session}_date_time")].as_str().unwrap());
        for (turn, entry) in turns.as_array().unwrap().iter().enumerate() {
            let label = entry["dia_id"].as_str().unwrap();
            let key = label.to_lowercase().replace(':', "-");
            let caption = entry["blip_caption"].as_str();
            let photo = caption.map_or(String::new(), |caption| format!(" [shares a photo of {caption}]"));
            let text = format!("{}{photo}", entry["text"].as_str().unwrap());
            let document = Document {
                key: &key,
                stamp: ReadStamp::default(),
                form: ClaimForm::Claim,
                created: day + turn as i64 * 1000,
                author: entry["speaker"].as_str().unwrap(),
                group: Some(session),
                label,
                title: "",
                text: &text,
                tags: &[],
                paths: &[],
            };
            let doc = builder.add(&document, 0);
            let vector = encoder.document(&document.meaning()).quantised();
            builder.set_vector(doc, VectorKind::Encoded, &vector.values, vector.scale);
            label_of.insert(key, label.to_owned());
        }
    }
    let bytes = builder.finish();
    let layout = Layout::check(&bytes, 1).unwrap();
    let (deleted, split_groups) = (DeletedDocs::default(), SplitGroups::default());
    let store = StoreSegments {
        parts: [Some((Segment::new(&bytes, &layout), &deleted)), None],
        split_groups: &split_groups,
    };
    let scope = RecallScope::over(&[store]);
    for question in sample["qa"].as_array().unwrap() {
        let evidence = question["evidence"].as_array().unwrap().iter().filter_map(Value::as_str);
        let mut gold: Vec<String> = evidence
            .flat_map(|text| text.split([';', ',', ' ']))
            .map(|label| label.trim().to_lowercase().replace(':', "-"))
            .filter(|key| label_of.contains_key(key))
            .collect();
        gold.sort();
        gold.dedup();
        if gold.is_empty() {
            continue;
        }
        let meaning = |text: &str| {
            let quantised = encoder.query(text).quantised();
            Some(Direction { values: quantised.values, scale: quantised.scale })
        };
        let text = question["question"].as_str().unwrap();
        let mut rows = Vec::new();
        let query = RankQuestion { text, meaning: &meaning, by: RankBy::All, limit: 50, standing: &|_| 1.0 };
        rank_traced(&scope, &query, &mut |found, features| {
            let session = found.key.split('-').next().unwrap_or_default().to_owned();
            rows.push((found.key.to_owned(), session, *features));
        });
        asked.push(Asked {
            conversation: number,
            category: question["category"].as_u64().unwrap(),
            gold,
            rows,
        });
    }
}

/// Listwise: the share of the candidates' weight that falls on what answers the question.
fn fit(asked: &[Asked], left_out: Option<usize>) -> Vec<f64> {
    let train: Vec<&Asked> = asked
        .iter()
        .filter(|question| Some(question.conversation) != left_out)
        .filter(|question| question.rows.iter().any(|(key, _, _)| question.gold.contains(key)))
        .collect();
    let count = FEATURES.len();
    let mut mean = vec![0.0; count];
    let mut square = vec![0.0; count];
    let mut rows = 0.0;
    for (_, _, features) in train.iter().flat_map(|question| &question.rows) {
        rows += 1.0;
        for (at, feature) in features.iter().enumerate() {
            mean[at] += f64::from(*feature);
            square[at] += f64::from(*feature).powi(2);
        }
    }
    let spread: Vec<f64> =
        (0..count).map(|at| (square[at] / rows - (mean[at] / rows).powi(2)).max(1e-9).sqrt()).collect();
    let mut weights = vec![0.0; count];
    let (mut first, mut second) = (vec![0.0; count], vec![0.0; count]);
    for step in 1..=STEPS {
        let mut gradient: Vec<f64> = weights.iter().map(|weight| DECAY * weight).collect();
        let total: f64 = train.iter().map(|question| importance(question)).sum();
        for question in &train {
            let share = importance(question) / total;
            let scores: Vec<f64> =
                question.rows.iter().map(|(_, _, features)| scored(features, &weights, &spread)).collect();
            let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let exps: Vec<f64> = scores.iter().map(|score| (score - top).exp()).collect();
            let sum: f64 = exps.iter().sum();
            let is_gold: Vec<bool> =
                question.rows.iter().map(|(key, _, _)| question.gold.contains(key)).collect();
            let golds = is_gold.iter().filter(|gold| **gold).count() as f64;
            for ((exp, gold), (_, _, features)) in exps.iter().zip(&is_gold).zip(&question.rows) {
                let error = exp / sum - if *gold { 1.0 / golds } else { 0.0 };
                for (at, feature) in features.iter().enumerate() {
                    gradient[at] += share * error * f64::from(*feature) / spread[at];
                }
            }
        }
        for at in 0..count {
            first[at] = 0.9 * first[at] + 0.1 * gradient[at];
            second[at] = 0.999 * second[at] + 0.001 * gradient[at].powi(2);
            let steps = step as i32;
            let (a, b) =
                (first[at] / (1.0 - 0.9_f64.powi(steps)), second[at] / (1.0 - 0.999_f64.powi(steps)));
            weights[at] -= RATE * a / (b.sqrt() + 1e-8);
        }
    }
    weights.iter().zip(&spread).map(|(weight, spread)| weight / spread).collect()
}

fn importance(question: &Asked) -> f64 {
    if question.category == 5 { UNANSWERABLE } else { 1.0 }
}

fn scored(features: &Features, weights: &[f64], spread: &[f64]) -> f64 {
    features
        .iter()
        .zip(weights)
        .zip(spread)
        .map(|((feature, weight), spread)| f64::from(*feature) * weight / spread)
        .sum()
}

fn report(what: &str, asked: &[Asked], weights: impl Fn(&Asked) -> Vec<f64>) {
    println!("\n{what}: R@1/5/10/25/50 MRR");
    let ones = vec![1.0; FEATURES.len()];
    type Wanted = fn(u64) -> bool;
    let kinds: [(&str, Wanted); 7] = [
        ("1-4", |category| category != 5),
        ("1-5", |_| true),
        ("multi-hop", |category| category == 1),
        ("temporal", |category| category == 2),
        ("open", |category| category == 3),
        ("single", |category| category == 4),
        ("adversarial", |category| category == 5),
    ];
    for (name, wanted) in kinds {
        let mut sums = [0.0; DEPTHS.len() + 1];
        let mut count = 0.0;
        for question in asked.iter().filter(|question| wanted(question.category)) {
            let weights = weights(question);
            let mut ranked: Vec<(f64, &str, &str)> = question
                .rows
                .iter()
                .map(|(key, session, features)| {
                    (scored(features, &weights, &ones), key.as_str(), session.as_str())
                })
                .collect();
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
            let mut seen: HashMap<&str, f64> = HashMap::new();
            for (score, _, session) in &mut ranked {
                let before = seen.entry(session).or_default();
                *score -= 0.05 * *before;
                *before += 1.0;
            }
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
            count += 1.0;
            let is_gold = |key: &str| question.gold.iter().any(|gold| gold == key);
            for (sum, depth) in sums.iter_mut().zip(DEPTHS) {
                let found = ranked.iter().take(depth).filter(|(_, key, _)| is_gold(key)).count();
                *sum += found as f64 / question.gold.len() as f64;
            }
            let place = ranked.iter().position(|(_, key, _)| is_gold(key));
            sums[DEPTHS.len()] += place.map_or(0.0, |place| 1.0 / (place + 1) as f64);
        }
        let told: Vec<String> = sums.iter().map(|sum| format!("{:.1}", 100.0 * sum / count)).collect();
        println!("{name:12} {}", told.join("/"));
    }
}
