//! Disagreements between a project's claims and the medulla's: which pairs there are, and which side holds by which
//! rule. Both sides are always shown; a rule only advises.

use crate::act::ClaimRef;
use crate::evidence::Freshness;
use crate::lifecycle::MEDULLA;
use crate::light::{BodyMarker, ClaimKind};
use crate::{Claim, ClaimSlug, Label};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Texts that share at least this much of their words are near-equal.
const NEAR_MIN: f32 = 0.8;
/// Texts with fewer words in common say too little to be near.
const SHARED_WORDS_MIN: usize = 3;

/// The rule that found a pair, the most certain first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoundBy {
    /// One label, two texts.
    SameSlug,
    /// One entity, two states.
    SameEntity,
    /// Nearly the same words, with other numbers or a negation.
    NearText,
}

impl FoundBy {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SameSlug => "same_slug",
            Self::SameEntity => "same_entity",
            Self::NearText => "near_text",
        }
    }
}

/// A pair that disagrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disagreement {
    /// What found it.
    pub found_by: FoundBy,
    /// How much of their words the two texts share.
    pub likeness: f32,
}

impl Disagreement {
    /// The most certain first.
    pub fn order(&self, other: &Self) -> Ordering {
        self.found_by.cmp(&other.found_by).then_with(|| other.likeness.total_cmp(&self.likeness))
    }
}

/// What two claims are compared by.
#[derive(Clone, Debug)]
pub struct Stance {
    slug: Option<ClaimSlug>,
    /// The entities it names, and the states it gives them; without a state, its text is the state.
    entities: BTreeSet<String>,
    states: BTreeSet<String>,
    text: String,
    /// In order, each once.
    words: Vec<String>,
    numbers: BTreeSet<String>,
    negates: bool,
}

impl Stance {
    /// Of a claim.
    pub fn of(claim: &Claim) -> Self {
        let text = match (&claim.title, claim.text.trim()) {
            (Some(title), "") => title.clone(),
            (_, text) => text.to_owned(),
        };
        let mut stance = Self {
            slug: Label::parse(&claim.label).ok().map(|label| ClaimSlug::of(&label)),
            entities: BTreeSet::new(),
            states: BTreeSet::new(),
            words: Vec::new(),
            numbers: BTreeSet::new(),
            negates: false,
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        for marker in claim.file.body().markers {
            match marker {
                BodyMarker::Kind(ClaimKind::Entity, name) => drop(stance.entities.insert(folded(&name))),
                BodyMarker::Kind(ClaimKind::State, state) => drop(stance.states.insert(folded(&state))),
                BodyMarker::Kind(ClaimKind::Event, _)
                | BodyMarker::Confidence(_)
                | BodyMarker::Ambiguity(_)
                | BodyMarker::Evidence(_)
                | BodyMarker::DependsOn(_) => {}
            }
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '\'' || c == '’';
        for word in text.split(|c| !is_part(c)).filter(|word| !word.is_empty()) {
            let mut word = word.to_lowercase();
            if word.contains('’') {
                word = word.replace('’', "'");
            }
            if is_negation(&word) {
                stance.negates = true;
            } else if let Some(number) = number(&word) {
                stance.numbers.insert(number);
            } else {
                stance.words.push(word);
            }
        }
        stance.words.sort_unstable();
        stance.words.dedup();
        stance
    }

    /// Whether two claims disagree, and by which rule.
    pub fn against(&self, other: &Self) -> Option<Disagreement> {
        let found = |found_by| Some(Disagreement { found_by, likeness: self.likeness(other) });
        if self.text == other.text {
            return None;
        }
        if self.slug.is_some() && self.slug == other.slug {
            return found(FoundBy::SameSlug);
        }
        let another_state = match (self.states.is_empty(), other.states.is_empty()) {
            (false, false) => self.states != other.states,
            // The texts differ.
            (_, _) => true,
        };
        if another_state && self.entities.intersection(&other.entities).next().is_some() {
            return found(FoundBy::SameEntity);
        }
        let other_numbers =
            !self.numbers.is_empty() && !other.numbers.is_empty() && self.numbers != other.numbers;
        if (other_numbers || self.negates != other.negates) && self.is_near(other) {
            return found(FoundBy::NearText);
        }
        None
    }

    /// How much of their words two claims share: of the words that either has, the part that both have.
    fn likeness(&self, other: &Self) -> f32 {
        let shared = self.shared_words(other, usize::MAX).unwrap_or_default();
        shared as f32 / (self.words.len() + other.words.len() - shared).max(1) as f32
    }

    /// Whether two claims say nearly the same words.
    fn is_near(&self, other: &Self) -> bool {
        let fewer = self.words.len().min(other.words.len());
        // More words that one side has alone leave too little, whatever both share.
        let alone_max = (fewer as f32 * (1.0 / NEAR_MIN - 1.0)).ceil() as usize;
        let Some(shared) = self.shared_words(other, alone_max) else { return false };
        let all = self.words.len() + other.words.len() - shared;
        shared >= SHARED_WORDS_MIN && shared as f32 / all as f32 >= NEAR_MIN
    }

    /// How many words two claims share; `None` if more than `alone_max` words are of one side alone. A beat compares
    /// thousands of pairs, so the walk ends there.
    fn shared_words(&self, other: &Self, alone_max: usize) -> Option<usize> {
        if self.words.len().abs_diff(other.words.len()) > alone_max {
            return None;
        }
        let (mut ours, mut theirs) = (self.words.as_slice(), other.words.as_slice());
        let (mut shared, mut alone) = (0, 0);
        while let ([our, our_rest @ ..], [their, their_rest @ ..]) = (ours, theirs) {
            match our.cmp(their) {
                Ordering::Equal => {
                    shared += 1;
                    (ours, theirs) = (our_rest, their_rest);
                    continue;
                }
                Ordering::Less => ours = our_rest,
                Ordering::Greater => theirs = their_rest,
            }
            alone += 1;
            if alone > alone_max {
                return None;
            }
        }
        Some(shared).filter(|_| alone + ours.len() + theirs.len() <= alone_max)
    }
}

/// Two claims that say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repetition {
    /// Word for word.
    Same,
    /// In nearly the same words, with the same numbers and no other negation.
    Near,
}

impl Stance {
    /// Whether two claims say the same under two labels.
    pub fn repeats(&self, other: &Self) -> Option<Repetition> {
        if self.text == other.text {
            return (!self.text.is_empty()).then_some(Repetition::Same);
        }
        let is_same = self.numbers == other.numbers && self.negates == other.negates;
        (is_same && self.is_near(other)).then_some(Repetition::Near)
    }

    /// The words of the claim in order, each once, without numbers and negations.
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }
}

fn folded(text: &str) -> String {
    text.trim().to_lowercase()
}

fn is_negation(word: &str) -> bool {
    let words = ["not", "no", "never", "none", "neither", "nor", "cannot", "without"];
    words.contains(&word) || word.ends_with("n't")
}

/// A word that is a number, as digits. `one` is more often a pronoun.
fn number(word: &str) -> Option<String> {
    const NAMES: [(&str, &str); 14] = [
        ("zero", "0"),
        ("once", "1"),
        ("two", "2"),
        ("twice", "2"),
        ("three", "3"),
        ("four", "4"),
        ("five", "5"),
        ("six", "6"),
        ("seven", "7"),
        ("eight", "8"),
        ("nine", "9"),
        ("ten", "10"),
        ("hundred", "100"),
        ("thousand", "1000"),
    ];
    if word.contains(|c: char| c.is_ascii_digit()) {
        return Some(word.to_owned());
    }
    NAMES.iter().find(|(name, _)| *name == word).map(|(_, digits)| (*digits).to_owned())
}

/// One side of a pair.
#[derive(Clone, Copy, Debug)]
pub struct ComparedSide<'a> {
    /// The claim.
    pub claim: &'a Claim,
    /// What became of its evidence.
    pub evidence: &'a [Freshness],
}

impl ComparedSide<'_> {
    /// Whether live code confirms it.
    fn is_borne_out(self) -> bool {
        self.evidence.iter().any(|found| found.holds()) && !self.is_broken()
    }

    fn is_broken(self) -> bool {
        self.evidence.iter().any(|found| found.is_broken())
    }

    fn has_tag(self, tags: &[&str]) -> bool {
        self.claim.tags.iter().any(|tag| tags.contains(&tag.to_lowercase().as_str()))
    }
}

/// Which side holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winner {
    /// The project's claim.
    Project,
    /// The medulla's claim.
    Medulla,
}

impl Winner {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Medulla => "medulla",
        }
    }
}

/// By which rule a side holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldsBy {
    /// Reality wins: the evidence of this side matches the code now, that of the other does not.
    LiveCode,
    /// A fact about this repository: the project wins.
    RepositoryFact,
    /// Doctrine marked absolute: no rule of a repository outweighs it.
    AbsoluteDoctrine,
    /// The repository has a rule of its own: it wins over doctrine that is not absolute.
    RepositoryRule,
    /// A preference or operating doctrine across projects: the medulla wins.
    Doctrine,
    /// The medulla's claim is a copy of an earlier version of the project's own claim.
    EarlierVersion,
    /// No rule fits: the reader decides.
    Undecided,
}

impl HoldsBy {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LiveCode => "live_code",
            Self::RepositoryFact => "repository_fact",
            Self::AbsoluteDoctrine => "absolute_doctrine",
            Self::RepositoryRule => "repository_rule",
            Self::Doctrine => "doctrine",
            Self::EarlierVersion => "earlier_version",
            Self::Undecided => "undecided",
        }
    }
}

impl HoldsBy {
    /// Why a side holds, for people.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::LiveCode => "its evidence is what the code says now",
            Self::RepositoryFact => "it is a fact about this repository",
            Self::AbsoluteDoctrine => "it is doctrine that outweighs every project's rule",
            Self::RepositoryRule => "it is this repository's own rule",
            Self::Doctrine => "it is doctrine for every project",
            Self::EarlierVersion => "the shared copy is your earlier version; promote again to update it",
            Self::Undecided => "no rule says which holds",
        }
    }
}

/// Tags by which a project says that a claim is its own rule.
const RULE_TAGS: &[&str] = &["rule", "convention", "policy", "standard"];
/// Tags by which a medulla claim says that it is about how to work, in any project.
pub(crate) const DOCTRINE_TAGS: &[&str] =
    &["doctrine", "preference", "rule", "convention", "policy", "standard", "style", "process", "workflow"];

/// Which side holds, and by which rule: the first one that fits.
pub fn ruling(project: ComparedSide<'_>, medulla: ComparedSide<'_>) -> (Option<Winner>, HoldsBy) {
    let has_rule = project.has_tag(RULE_TAGS);
    let is_fact = !project.claim.evidence.is_empty() && !project.is_broken() && !has_rule;
    let is_born_there = medulla.claim.origin_brain.as_deref() == Some(MEDULLA);
    let is_doctrine = medulla.has_tag(DOCTRINE_TAGS) || is_born_there && medulla.claim.origin_claim.is_none();
    match (project.is_borne_out(), medulla.is_borne_out()) {
        (true, false) if !has_rule => (Some(Winner::Project), HoldsBy::LiveCode),
        (false, true) => (Some(Winner::Medulla), HoldsBy::LiveCode),
        _ if is_fact => (Some(Winner::Project), HoldsBy::RepositoryFact),
        _ if medulla.claim.absolute => (Some(Winner::Medulla), HoldsBy::AbsoluteDoctrine),
        _ if has_rule => (Some(Winner::Project), HoldsBy::RepositoryRule),
        _ if is_doctrine => (Some(Winner::Medulla), HoldsBy::Doctrine),
        _ => (None, HoldsBy::Undecided),
    }
}

/// Whether the medulla's claim is the copy of a version that its own project, named as `name@id`, has replaced since.
pub fn is_earlier_version(origin: &str, project: &Claim, medulla: &Claim) -> bool {
    let Ok(label) = Label::parse(&project.label) else { return false };
    let own = ClaimRef::new(origin, &ClaimSlug::of(&label));
    medulla.origin_claim.as_deref() == Some(own.as_str())
        && medulla.created.is_some()
        && project.created > medulla.created
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClaimDraft;
    use crate::draft::tests::{author, draft};
    use crate::evidence::Evidence;
    use crate::light::keys;
    use brainstem_base::Timestamp;

    fn claim(label: &str, text: &str) -> Claim {
        Claim::from(draft(label, text).file(&author(), Timestamp::from_ms(1), None))
    }

    fn file(label: &str, body: &str) -> Claim {
        let text = format!("---\nProtocol: L1GHT/1.0\nNode: {label}\n---\n# {label}\n\n{body}\n");
        Claim::parse(text.as_bytes()).expect("a claim")
    }

    fn found(a: &Claim, b: &Claim) -> Option<&'static str> {
        let (a, b) = (Stance::of(a), Stance::of(b));
        let found = a.against(&b).map(|pair| pair.found_by.as_str());
        assert_eq!(found, b.against(&a).map(|pair| pair.found_by.as_str()), "it takes two");
        found
    }

    #[test] // spec: MEM-29
    fn one_label_in_both_tiers_is_a_pair_unless_both_say_the_same() {
        assert_eq!(found(&claim("Tabs", "use tabs"), &claim("tabs", "use blanks")), Some("same_slug"));
        assert_eq!(found(&claim("Tabs", "use tabs"), &claim("Tabs", "use  tabs\n")), None);
    }

    #[test] // spec: MEM-29
    fn one_entity_with_two_states_is_a_pair() {
        let cache =
            |label, state| file(label, &format!("[⍂ entity: Cache]\n[⍐ state: {state}]\n\nit is {state}"));
        assert_eq!(found(&cache("A", "on"), &cache("B", "off")), Some("same_entity"));
        let plain = |label, text| file(label, &format!("[⍂ entity: cache]\n\n{text}"));
        assert_eq!(found(&plain("A", "lives in memory"), &plain("B", "lives on disk")), Some("same_entity"));
        let twice = file("B", "[⍂ entity: Cache]\n[⍐ state: on]\n\nsaid in other words");
        assert_eq!(found(&cache("A", "on"), &twice), None, "one state");
        assert_eq!(found(&claim("Cache", "on"), &claim("Queue", "off")), None);
    }

    #[test] // spec: MEM-29
    fn near_equal_texts_with_other_numbers_or_a_negation_are_pairs() {
        let check = |a: &str, b: &str, is_pair: bool| {
            let expected = is_pair.then_some("near_text");
            assert_eq!(found(&claim("A", a), &claim("B", b)), expected, "{a} / {b}");
        };
        check("The worker retries three times", "the worker retries 5 times", true);
        check("The worker retries three times", "the worker retries 3 times.", false);
        check("Deploys run on port 8080 here", "Deploys run on port 9090 here", true);
        check("A deploy clears the cache", "A deploy never clears the cache", true);
        check("A deploy clears the cache", "A deploy doesn’t clears the cache", true);
        check("A deploy clears the cache", "A deploy clears the cache at night", false);
        check("The port is 8080", "The timeout is 30", false);
        check("yes 1", "yes 2", false);
        check("", "3", false);
    }

    #[test] // spec: MEM-38
    fn claims_that_say_the_same_are_told_from_those_that_differ_in_a_number() {
        let check = |a: &str, b: &str, expected: Option<Repetition>| {
            let (a, b) = (Stance::of(&claim("A", a)), Stance::of(&claim("B", b)));
            assert_eq!((a.repeats(&b), b.repeats(&a)), (expected, expected));
        };
        let text = "The worker retries three times and then gives up";
        check(text, "The worker  retries three times\nand then gives up", Some(Repetition::Same));
        check(text, "the worker retries 3 times and then it gives up", Some(Repetition::Near));
        check(text, "The worker retries five times and then gives up", None);
        check(text, "The worker retries three times and then never gives up", None);
        check("yes", "Yes!", None);
        check("", "", None);
    }

    proptest::proptest! {
        #[test] // spec: MEM-29, MEM-38
        fn nearness_without_the_whole_walk_is_that_of_the_whole_walk(
            ours in proptest::collection::btree_set(0_u8..24, 0..24),
            theirs in proptest::collection::btree_set(0_u8..24, 0..24),
        ) {
            let stance = |words: &BTreeSet<u8>| {
                let said: Vec<String> = words.iter().map(|word| format!("w{}", char::from(b'a' + word))).collect();
                Stance::of(&claim("A", &said.join(" ")))
            };
            let shared = ours.intersection(&theirs).count();
            let all = ours.union(&theirs).count();
            let expected = shared * 10 >= all * 8 && shared >= SHARED_WORDS_MIN;
            proptest::prop_assert_eq!(stance(&ours).is_near(&stance(&theirs)), expected);
        }
    }

    #[test] // spec: MEM-29
    fn the_most_certain_pair_comes_first() {
        let pair = |found_by, likeness| Disagreement { found_by, likeness };
        let mut pairs = [
            pair(FoundBy::NearText, 0.8),
            pair(FoundBy::SameEntity, 0.1),
            pair(FoundBy::NearText, 0.9),
            pair(FoundBy::SameSlug, 0.0),
        ];
        pairs.sort_by(Disagreement::order);
        let order: Vec<_> = pairs.iter().map(|pair| (pair.found_by.as_str(), pair.likeness)).collect();
        let expected = [("same_slug", 0.0), ("same_entity", 0.1), ("near_text", 0.9), ("near_text", 0.8)];
        assert_eq!(order, expected);
    }

    #[test] // spec: MEM-29
    fn each_side_holds_by_the_first_rule_that_fits() {
        use Freshness::{Changed, Fresh, Unverifiable};
        let tagged = |tag: &str| {
            let draft = ClaimDraft { tags: vec![tag.into()], ..draft("a", "b") };
            Claim::from(draft.file(&author(), Timestamp::from_ms(1), None))
        };
        let fact = {
            let evidence = vec![Evidence::parse("src/lib.rs")];
            let draft = ClaimDraft { evidence, ..draft("a", "b") };
            Claim::from(draft.file(&author(), Timestamp::from_ms(1), None))
        };
        let with = |key, value| {
            let mut file = claim("a", "c").file;
            file.set(key, value);
            Claim::from(file)
        };
        let (plain, rule) = (claim("a", "b"), tagged("rule"));
        let born = with(keys::ORIGIN_BRAIN, "medulla");
        let absolute = with(keys::DOCTRINE, "absolute");
        let copy = with(keys::ORIGIN_CLAIM, "plum@0a1b2c3d#a");
        let preference = tagged("Preference");
        let none: &[Freshness] = &[];
        type Case<'a> = (&'a Claim, &'a [Freshness], &'a Claim, &'a [Freshness], &'a str);
        let table: [Case<'_>; 14] = [
            (&fact, &[Fresh], &absolute, none, "project live_code"),
            (&fact, &[Fresh], &fact, &[Fresh], "project repository_fact"),
            (&plain, none, &fact, &[Fresh], "medulla live_code"),
            (&fact, &[Changed], &fact, &[Fresh], "medulla live_code"),
            (&fact, &[Unverifiable], &born, none, "project repository_fact"),
            (&fact, &[Unverifiable], &absolute, none, "project repository_fact"),
            (&fact, &[Changed], &born, none, "medulla doctrine"),
            (&plain, none, &absolute, none, "medulla absolute_doctrine"),
            (&rule, none, &absolute, none, "medulla absolute_doctrine"),
            (&rule, none, &born, none, "project repository_rule"),
            (&plain, none, &born, none, "medulla doctrine"),
            (&plain, none, &preference, none, "medulla doctrine"),
            (&rule, none, &copy, none, "project repository_rule"),
            (&plain, none, &copy, none, "nobody undecided"),
        ];
        for (at, (ours, our_evidence, theirs, their_evidence, expected)) in table.into_iter().enumerate() {
            let (wins, by) = ruling(
                ComparedSide { claim: ours, evidence: our_evidence },
                ComparedSide { claim: theirs, evidence: their_evidence },
            );
            let wins = wins.map_or("nobody", Winner::as_str);
            assert_eq!(format!("{wins} {}", by.as_str()), expected, "row {at}");
        }
    }
}
