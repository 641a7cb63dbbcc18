//! A kept corpus, whole and damaged, through a property: what a fuzzer does for hours, for a moment in every check.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "seeds are files, a seed that repeats comes from the environment, and a failure prints its own"
)]

use crate::{Chance, cases};
use std::hash::{BuildHasher as _, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

/// Repeats the damage of a run that failed. `cargo xtask check` gives the same one every time.
const SEED: &str = "BRAINSTEM_DAMAGE_SEED";

/// Tries every file of `fuzz/seeds/TARGET`, and `small` damaged ones; more in the full size. Without the variable above
/// the damage is drawn anew in every run, and a failure prints the seed that repeats it. Returns how many of the damaged inputs the property took.
pub fn try_damaged(target: &str, small: u32, check: impl Fn(&[u8]) -> bool) -> u32 {
    let kept: Vec<(PathBuf, Vec<u8>)> = files(target);
    for (path, bytes) in &kept {
        assert!(check(bytes), "`{}` is to be one that is read", path.display());
    }
    let given = std::env::var(SEED).ok().and_then(|seed| seed.parse().ok());
    let seed = given.unwrap_or_else(|| RandomState::new().hash_one(target));
    let mut taken = 0;
    for case in 0..cases(small) {
        let mut chance = Chance::new(seed, case.into());
        let (path, bytes) = &kept[pick(&mut chance, kept.len())];
        let mut bytes = bytes.clone();
        for _ in 0..=chance.below(4) {
            damage(&mut chance, &mut bytes, &kept);
        }
        match catch_unwind(AssertUnwindSafe(|| check(&bytes))) {
            Ok(is_taken) => taken += u32::from(is_taken),
            Err(failure) => {
                let text = String::from_utf8_lossy(&bytes);
                println!("{SEED}={seed} repeats this: case {case}, from {}: {text:?}", path.display());
                resume_unwind(failure);
            }
        }
    }
    taken
}

fn files(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "no seed in {}", folder.display());
    paths.into_iter().map(|path| (path.clone(), std::fs::read(path).expect("a seed"))).collect()
}

fn pick(chance: &mut Chance, len: usize) -> usize {
    usize::try_from(chance.below(len as u64)).expect("below a length")
}

/// One damage: a byte flipped, put in or left out, a stretch cut or doubled, a piece of another file put in.
fn damage(chance: &mut Chance, bytes: &mut Vec<u8>, kept: &[(PathBuf, Vec<u8>)]) {
    const SIGNS: &[u8] = b"\n\r\t \"\\:,{}[]-#='0\0\xff\xef";
    let at = pick(chance, bytes.len() + 1);
    let until = bytes.len().min(at + pick(chance, 24));
    match chance.below(6) {
        0 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
        1 if at < bytes.len() => drop(bytes.remove(at)),
        2 => drop(bytes.drain(at..until)),
        3 => {
            let doubled = bytes[at..until].to_vec();
            bytes.splice(at..at, doubled);
        }
        4 => {
            let other = &kept[pick(chance, kept.len())].1;
            let from = pick(chance, other.len() + 1);
            let piece = other[from..other.len().min(from + pick(chance, 64))].to_vec();
            bytes.splice(at..at, piece);
        }
        _ => bytes.insert(at, SIGNS[pick(chance, SIGNS.len())]),
    }
}
