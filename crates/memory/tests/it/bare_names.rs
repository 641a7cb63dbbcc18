//! A brain is named by its bare name where one brain has it, and the candidates are named where several do.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::place::Place;
use crate::world::code;
use brainstem_base::Coded as _;
use brainstem_memory::{BootstrapRequest, Bootstrapped, MemoryError};

fn take_up(place: &Place, word: &str, dir: &str) -> Result<Bootstrapped, MemoryError> {
    let request =
        BootstrapRequest { brain: brainstem_memory::BrainWish::TakeUp(word.into()), ..Default::default() };
    place.memory().bootstrap(&place.in_(dir), &request)
}

#[test] // spec: MEM-1, MEM-1b
fn a_name_that_one_brain_has_is_enough_to_set_it_aside_and_to_take_it_up() {
    let place = Place::new();
    place.repository("src/plum");
    place.begin("src/plum");
    let id = place.id("src/plum");
    let aside = place.memory().set_aside(&place.in_("src/plum"), "plum", "").unwrap();
    assert_eq!(aside.brain.manifest.id.to_string(), id);
    let error = place.memory().brain_named("plum").unwrap_err();
    assert_eq!(error.code().name(), "memory.set_aside", "{error}");
    assert!(take_up(&place, "plum", "src/plum").unwrap().taken_up);
    assert_eq!(place.id("src/plum"), id);
    assert!(take_up(&place, "plum", "src/plum").unwrap().existed, "twice is once");
    assert_eq!(place.memory().brain_named("plum").unwrap().manifest.id.to_string(), id);
}

#[test] // spec: MEM-1, MEM-1b, IF-8
fn a_name_that_several_brains_have_is_answered_with_all_of_them() {
    let place = Place::new();
    for dir in ["src/plum", "other/plum"] {
        place.repository(dir);
        place.begin(dir);
    }
    let mut both = [place.origin("src/plum"), place.origin("other/plum")];
    both.sort();
    let candidates = |fix: String| {
        let named = fix.strip_prefix("did you mean ").unwrap().strip_suffix('?').unwrap().to_owned();
        let mut named: Vec<String> = named.split(" or ").map(str::to_owned).collect();
        named.sort();
        named
    };
    let error = place.memory().set_aside(&place.in_("src/plum"), "plum", "").unwrap_err();
    assert_eq!(candidates(error.fix().unwrap().to_string()), both, "{error}");
    for origin in &both {
        place.memory().set_aside(&place.in_("src/plum"), origin, "").unwrap();
    }
    let error = take_up(&place, "plum", "src/plum").unwrap_err();
    assert_eq!(candidates(error.fix().unwrap().to_string()), both, "{error}");
    let slip = take_up(&place, "plumm", "src/plum").unwrap_err();
    assert_eq!(candidates(slip.fix().unwrap().to_string()), both, "{slip}");
    assert_eq!(code(take_up(&place, "nothing-alike", "src/plum")), "memory.unknown_brain");
}
