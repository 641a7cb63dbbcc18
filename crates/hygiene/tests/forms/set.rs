//! The set: every kind and form, drawn anew for every seed.

use super::carriers::{CARRIERS, note};
use super::draw::{Drawn, draw};
use super::environment::VARIABLES;
use super::later::{LATER_PLACES, LATER_TOKENS};
use super::named::NAMED;
use super::places::PLACES;
use super::prose::PROSE;
use super::rng::{Rng, hash};
use super::tokens::TOKENS;

/// The seed of the check. The soak draws others.
pub(crate) const SEED: u64 = 0xF0_24_5E;
/// How many notes each kind or form gives for one seed.
pub(crate) const DRAW_COUNT: usize = 8;

/// Which third a kind or form belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// Rules were written with a look at what is missed here.
    Tuned,
    /// A third of the first set, which no rule was changed for before it had been measured.
    HeldOut,
    /// Written after the rules for the others.
    Later,
}

/// One kind of credential, or one form in which one is written.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    pub(crate) group: &'static str,
    pub(crate) name: &'static str,
    template: &'static str,
    /// A token is put into the surroundings of `carriers.rs`; a form brings its own.
    carried: bool,
}

pub(crate) fn forms() -> impl Iterator<Item = Form> {
    let group = |group, carried, rows: &'static [(&'static str, &'static str)]| {
        rows.iter().map(move |&(name, template)| Form { group, name, template, carried })
    };
    group("tokens", true, TOKENS)
        .chain(group("named", false, NAMED))
        .chain(group("places", false, PLACES))
        .chain(group("prose", false, PROSE))
        .chain(group("later tokens", true, LATER_TOKENS))
        .chain(group("later places", false, LATER_PLACES))
        .chain(group("later variables", false, VARIABLES))
}

impl Form {
    pub(crate) fn part(&self) -> Part {
        if self.group.starts_with("later") {
            return Part::Later;
        }
        if hash(self.name) >> 11 & 0xFFFF < 0x5555 { Part::HeldOut } else { Part::Tuned }
    }

    /// The notes of this form for one seed.
    pub(crate) fn notes(&self, seed: u64) -> impl Iterator<Item = Drawn> + use<> {
        let form = *self;
        let mut r = Rng::named(seed, form.name);
        let first = r.below(CARRIERS.len());
        (0..DRAW_COUNT).map(move |number| {
            let mut drawn = draw(&mut r, form.template);
            if form.carried && !drawn.text.contains('\n') {
                let (_, carry) = CARRIERS[(first + number * 5) % CARRIERS.len()];
                drawn.text = carry(&drawn.text);
            }
            drawn.text = note(&mut r, &drawn.text);
            drawn
        })
    }
}
