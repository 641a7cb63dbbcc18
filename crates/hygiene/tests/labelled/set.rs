//! The labelled set: notes with a secret, notes without, in two halves.

use super::carriers::{CARRIERS, note};
use super::negatives::CLASSES;
use super::positives::RECIPES;
use super::rng::{Rng, hash};

/// The seed of the set. Another seed gives another set of the same make.
pub(crate) const SEED: u64 = 0x0B5E_55ED;
/// How many notes each recipe and each class gives.
const PER_RECIPE: usize = 8;
const PER_CLASS: usize = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Tuning,
    HeldOut,
}

/// A note that must be refused.
pub(crate) struct Positive {
    pub(crate) recipe: &'static str,
    pub(crate) carrier: &'static str,
    pub(crate) text: String,
    pub(crate) body: String,
    pub(crate) half: Half,
}

/// A note that must pass.
pub(crate) struct Negative {
    pub(crate) class: &'static str,
    pub(crate) text: String,
    pub(crate) half: Half,
}

/// A recipe in one carrier, or one number of a class, is in one half as a whole.
fn half(name: &str, place: &str) -> Half {
    if hash(&format!("{name}/{place}")) >> 7 & 1 == 0 { Half::Tuning } else { Half::HeldOut }
}

pub(crate) fn positives(seed: u64) -> Vec<Positive> {
    let mut set = Vec::new();
    for (recipe, make) in RECIPES {
        let mut r = Rng::named(seed, recipe);
        let first = r.below(CARRIERS.len());
        for number in 0..PER_RECIPE {
            let secret = make(&mut r);
            let (carrier, text) = if secret.whole {
                (["alone", "fenced", "listed", "quoted"][number % 4], around(&secret.text, number))
            } else {
                let (name, carry) = CARRIERS[(first + number * 5) % CARRIERS.len()];
                (name, carry(&secret.text))
            };
            let place = if secret.whole { number.to_string() } else { carrier.to_owned() };
            set.push(Positive {
                recipe,
                carrier,
                text: note(&mut r, &text),
                body: secret.body,
                half: half(recipe, &place),
            });
        }
    }
    set
}

/// Surroundings for a text that already brings its own.
fn around(text: &str, number: usize) -> String {
    match number % 4 {
        1 if text.contains('\n') => format!("```\n{text}\n```"),
        1 => format!("`{text}`"),
        2 => format!("Steps:\n\n{text}\n\nDone."),
        3 => format!("\r\n{}\r\n", text.replace('\n', "\r\n")),
        _ => text.to_owned(),
    }
}

pub(crate) fn negatives(seed: u64) -> Vec<Negative> {
    let mut set = Vec::new();
    for (class, make) in CLASSES {
        let mut r = Rng::named(seed, class);
        for number in 0..PER_CLASS {
            let text = make(&mut r);
            set.push(Negative { class, text: note(&mut r, &text), half: half(class, &number.to_string()) });
        }
    }
    set
}
