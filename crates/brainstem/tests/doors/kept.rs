//! What was acknowledged, by whichever door.

use brainstem_testkit::Chance;
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// A claim that can be found by a word of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) word: String,
    pub(crate) version: u64,
}

impl Claim {
    pub(crate) fn new(door: u64, n: u64) -> Self {
        // Letters alone, so that it is one word however words are cut.
        let mut word = format!("q{}", char::from(b'a' + door as u8));
        let mut rest = n;
        for _ in 0..5 {
            word.push(char::from(b"bdfghjklmn"[(rest % 10) as usize]));
            word.push('o');
            rest /= 10;
        }
        Self { word, version: 1 }
    }

    pub(crate) fn label(&self) -> String {
        format!("note {}", self.word)
    }

    fn file(&self) -> String {
        format!("note-{}.light.md", self.word)
    }

    pub(crate) fn text(&self) -> String {
        format!("what {} means, version {} of it", self.word, self.version)
    }

    /// The version that a text of this claim tells.
    pub(crate) fn version_in(&self, text: &str) -> Option<u64> {
        let rest = text.split_once(&format!("what {} means, version ", self.word))?.1;
        rest.split(' ').next()?.parse().ok()
    }
}

/// The last version of every claim that somebody was told is kept.
#[derive(Default)]
pub(crate) struct Kept {
    versions: Mutex<BTreeMap<String, u64>>,
    acknowledged: AtomicU64,
}

impl Kept {
    pub(crate) fn acknowledge(&self, claim: &Claim) {
        self.versions.lock().expect("nobody panics here").insert(claim.word.clone(), claim.version);
        self.acknowledged.fetch_add(1, Ordering::Relaxed);
    }

    /// One of them; there is one.
    pub(crate) fn any(&self, chance: &mut Chance) -> Claim {
        let versions = self.versions.lock().expect("nobody panics here");
        let at = chance.below(versions.len() as u64) as usize;
        let (word, version) = versions.iter().nth(at).expect("below the number of them");
        Claim { word: word.clone(), version: *version }
    }

    pub(crate) fn claims(&self) -> usize {
        self.versions.lock().expect("nobody panics here").len()
    }

    pub(crate) fn acknowledged(&self) -> u64 {
        self.acknowledged.load(Ordering::Relaxed)
    }

    /// Those that are not among these files as they should be.
    pub(crate) fn missing(&self, files: &HashMap<String, String>) -> Vec<Claim> {
        let versions = self.versions.lock().expect("nobody panics here");
        let claims = versions.iter().map(|(word, version)| Claim { word: word.clone(), version: *version });
        claims
            .filter(|claim| {
                let at = files.get(&claim.file()).and_then(|text| claim.version_in(text));
                at != Some(claim.version)
            })
            .collect()
    }
}
