//! Claims that disagree, on the wire, in fences and on a terminal.

use crate::Door;
use crate::Screen;
use crate::screen::{Look, dim, styled};
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_claims::conflict::HoldsBy;
use brainstem_claims::fence::{self, BETWEEN};
use brainstem_memory::Fact;
use schemars::JsonSchema;
use serde::Serialize;

/// Two claims, one in each tier, that disagree.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Conflict {
    /// The project's label.
    pub label: String,
    /// The medulla's, where it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub medulla_label: Option<String>,
    /// What the project says.
    pub project: String,
    /// What the medulla says.
    pub medulla: String,
    /// A text was cut to fit the budget and ends with …; `show` has it whole.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// What speaks against the project's claim, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub project_warnings: Vec<String>,
    /// What speaks against the medulla's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub medulla_warnings: Vec<String>,
    /// Everything to know of the two beside their texts, for forms that are no JSON.
    #[serde(skip)]
    pub facts: [Vec<Fact>; 2],
    /// What found the pair: same_slug, same_entity or near_text.
    pub found_by: String,
    /// Which side holds, project or medulla; null when no rule fits. Nothing was changed.
    pub wins: Option<String>,
    /// By which rule: live_code, repository_fact, absolute_doctrine, repository_rule, doctrine, earlier_version or undecided.
    pub because: String,
    /// The rule in words.
    pub why: String,
}

/// Converts the pairs that disagree.
pub(crate) fn conflicts(pairs: Vec<brainstem_memory::ConflictPair>, door: Door) -> Vec<Conflict> {
    let why = |pair: &brainstem_memory::ConflictPair| match pair.because {
        HoldsBy::Undecided => door.render(&advice![
            pair.because.sentence(),
            "; ",
            calls::learn_wrong_here(&pair.label),
            " judges the project's, ",
            calls::learn_wrong(pair.medulla_label.as_ref().unwrap_or(&pair.label)),
            " the medulla's; or memorize what is true"
        ]),
        because => because.sentence().to_owned(),
    };
    let conflict = |pair: brainstem_memory::ConflictPair| Conflict {
        why: why(&pair),
        label: pair.label,
        medulla_label: pair.medulla_label,
        project: pair.project_text,
        medulla: pair.medulla_text,
        cut: false,
        project_warnings: warnings(&pair.project_facts),
        medulla_warnings: warnings(&pair.medulla_facts),
        facts: [pair.project_facts, pair.medulla_facts],
        found_by: pair.found_by.as_str().to_owned(),
        wins: pair.wins.map(|wins| wins.as_str().to_owned()),
        because: pair.because.as_str().to_owned(),
    };
    pairs.into_iter().map(conflict).collect()
}

/// The warnings among facts, in words.
fn warnings(facts: &[Fact]) -> Vec<String> {
    facts.iter().filter(|fact| fact.kind.is_warning()).map(|fact| fact.words.clone()).collect()
}

/// Pairs that disagree, the two sides of each in two fences.
pub(crate) fn fenced_conflicts(conflicts: &[Conflict]) -> Vec<String> {
    let block = |pair: &Conflict| {
        let what = if pair.is_outdated_copy() { "outdated copy" } else { "disagreement" };
        let labels = [&pair.label, pair.medulla_label.as_ref().unwrap_or(&pair.label)];
        let sides = [("project", &pair.project), ("medulla", &pair.medulla)];
        let mut blocks = String::new();
        for (at, (tier, text)) in sides.into_iter().enumerate() {
            let holds = match pair.wins.as_deref() {
                Some(wins) if wins == tier => format!("{BETWEEN}holds: {}", pair.why),
                Some(_) => String::new(),
                None => format!("{BETWEEN}{}", HoldsBy::Undecided.sentence()),
            };
            let told: Vec<&str> = pair.facts[at].iter().map(|fact| fact.words.as_str()).collect();
            let facts = if told.is_empty() { tier.to_owned() } else { told.join(BETWEEN) };
            blocks.push_str(&fence::fenced(&format!("{what} {:?}{BETWEEN}{facts}{holds}", labels[at]), text));
        }
        blocks
    };
    conflicts.iter().map(block).collect()
}

/// What found a pair, for people.
fn found_by(word: &str) -> &'static str {
    match word {
        "same_slug" => "one label, two texts;",
        "same_entity" => "one thing, two states;",
        _ => "nearly one text;",
    }
}

impl Conflict {
    /// Whether the medulla's side is no more than an earlier version of the project's own.
    pub(crate) fn is_outdated_copy(&self) -> bool {
        self.because == HoldsBy::EarlierVersion.as_str()
    }

    pub(crate) fn present(&self, out: &mut Screen) {
        let why = match &self.wins {
            _ if self.is_outdated_copy() => self.why.clone(),
            Some(wins) => format!("{} the {wins}'s holds: {}", found_by(&self.found_by), self.why),
            None => format!("{} {}", found_by(&self.found_by), self.why),
        };
        out.flow(0, 2, [styled(Look::Warn, self.label.as_str()), dim(format!("  {why}"))]);
        let other = self.medulla_label.as_ref().map(|label| format!(" {label:?}")).unwrap_or_default();
        let sides = [
            ("project: ".to_owned(), &self.project, &self.project_warnings),
            (format!("medulla{other}: "), &self.medulla, &self.medulla_warnings),
        ];
        for (name, text, warnings) in sides {
            out.flow(2, 4, [dim(name), text.as_str().into()]);
            if !warnings.is_empty() {
                out.flow(4, 6, [styled(Look::Warn, warnings.join(BETWEEN))]);
            }
        }
    }
}
