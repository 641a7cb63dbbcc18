//! The doctor's findings about letters. Looking changes nothing.

use super::battery::{Battery, CaseStatus};
use super::error::LetterError;
use super::floor;
use super::gathered::{FORMER_ID, FloorCheck, GatheredLetters, LetterReach};
use super::limits::{FINDINGS_NAMED_MAX, WEEKS_MAX};
use super::projects_file::FILE;
use crate::Post;
use brainstem_base::Fault;
use brainstem_base::next::{VerbId, calls};
use brainstem_base::{Advice, advice};
use brainstem_letters::confusion::Confusion;
use brainstem_letters::plan::LetterDestination;
use brainstem_letters::{FateCounts, LetterId};
use brainstem_memory::{Caller, Finding, Trouble};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The state of the letters: counts and findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LetterHealth {
    /// The letters within reach, by fate.
    pub counts: FateCounts,
    /// Letters that wait for a project that is not here.
    pub pending: usize,
    /// Letters that the floor keeps in the spool.
    pub refused: usize,
    /// Lines that are no letters.
    pub unreadable: usize,
    /// The last line of a spool has no newline yet.
    pub waiting: bool,
    /// Confirmed misdeliveries and beats by ISO week, newest first; this week is always there.
    pub weeks: Vec<WeekCount>,
    /// Live claims over all stores, now.
    pub live_claims: usize,
    /// Misdeliveries that no letter has judged yet.
    pub unjudged: usize,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// One week.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeekCount {
    /// `2026-W27`.
    pub week: String,
    /// Confirmed `memory_misdelivery` letters of that week.
    pub confusion_rate: usize,
    /// Beats served in it.
    pub memory_beats_served: u64,
}

/// The rule that keeps a letter with the lines of an unfinished merge in the spool.
const MERGE: &str = "conflict_markers";

impl Post {
    /// Checks the spools, the boxes and the batteries.
    pub fn letters_health(&self, caller: &Caller) -> LetterHealth {
        let mut health = LetterHealth::default();
        let home = self.memory().home_path().to_owned();
        let mut gathered = match self.gather_letters(Some(caller), LetterReach::Everything) {
            Ok(gathered) => gathered,
            Err(error) => {
                let (trouble, place) = match &error {
                    LetterError::ProjectsBroken { path, .. } => (Trouble::ProjectsBroken, path.clone()),
                    _ => (Trouble::BoxUnreadable, home),
                };
                let fault = Fault::from(error);
                let look = || advice!["look at it, then run ", calls::doctor(), " again"];
                let fix = fault.fix.unwrap_or_else(look);
                health.findings.push(Finding { trouble, place, detail: fault.message, fix });
                return health;
            }
        };
        self.examine_lines(&gathered, &mut health);
        self.examine_ends(&mut gathered, &mut health);
        let graph = gathered.graph();
        health.counts =
            gathered.letters.iter().map(|held| gathered.fate(&graph, &held.with_line.letter)).collect();
        let confusion = Confusion::of(&graph);
        health.unjudged = confusion.unjudged;
        // Memory has its own finding for a store that cannot be counted.
        (health.live_claims, _) = self.memory().live_claims();
        health.weeks = self.weeks(&confusion);
        self.examine_cases(&gathered, &confusion, &mut health);
        for root in gathered.without_brain() {
            let fix = calls::bootstrap_at(&root);
            let detail = "its letters are swept; a listing of brains does not show it";
            health.add(Trouble::BoxWithoutBrain, &root, detail, fix);
        }
        if confusion.other_kind > 0 {
            let detail = format!("letters about a misdelivery of an unknown kind: {}", confusion.other_kind);
            let fix = format!("write it anew with one of: {}", brainstem_letters::MisdeliveryKind::words());
            health.add(Trouble::LetterOtherKind, self.spool(), detail, fix);
        }
        health
    }

    fn spool(&self) -> PathBuf {
        self.memory().home().spool().path().to_owned()
    }

    fn examine_lines(&self, gathered: &GatheredLetters<'_>, health: &mut LetterHealth) {
        health.unreadable = gathered.bad_lines.len();
        health.waiting = !gathered.waiting.is_empty();
        let mut by_file: BTreeMap<&PathBuf, Vec<String>> = BTreeMap::new();
        for (path, line) in &gathered.bad_lines {
            by_file.entry(path).or_default().push(format!("line {}: {}", line.number, line.why));
        }
        for (path, lines) in by_file {
            let named = lines.iter().take(FINDINGS_NAMED_MAX).cloned().collect::<Vec<_>>().join("; ");
            let more = lines.len().saturating_sub(FINDINGS_NAMED_MAX);
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            let fix =
                advice!["write the letter anew with ", VerbId::LetterWrite, "; the line stays as it is"];
            health.add(Trouble::LetterUnreadable, path, format!("{named}{more}"), fix);
        }
        // Memory has its own finding for a project that is gone.
        let is_gone = |path: &PathBuf| {
            gathered
                .known_projects
                .brains
                .iter()
                .any(|brain| path.starts_with(&brain.root) && self.disk().stat(&brain.root).is_err())
        };
        for lost in gathered.unreachable.iter().filter(|lost| !is_gone(&lost.path)) {
            let path = lost.path.display();
            let fix = advice!["look at `{path}`, then run ", calls::doctor(), " again"];
            health.add(Trouble::BoxUnreadable, &lost.path, lost.why.clone(), fix);
        }
    }

    fn examine_ends(&self, gathered: &mut GatheredLetters<'_>, health: &mut LetterHealth) {
        let mut pending: BTreeMap<String, (usize, Vec<PathBuf>, Option<PathBuf>)> = BTreeMap::new();
        for (id, destination, _) in gathered.destinations(FloorCheck::Applied) {
            match destination {
                LetterDestination::Pending { spelled, several, plain } => {
                    health.pending += 1;
                    let entry = pending.entry(floor::spelled(&gathered.floor, &spelled)).or_default();
                    entry.0 += 1;
                    (entry.1, entry.2) = (several, plain);
                }
                LetterDestination::Refused { rule } => {
                    health.refused += 1;
                    if health.refused <= FINDINGS_NAMED_MAX {
                        let detail = format!("letter {id} stays in the spool: rule {rule}");
                        let fix = match rule {
                            FORMER_ID => advice![
                                "write it anew with the ids that ",
                                calls::letter_all(),
                                " shows: it names a letter by the hash of a line that holds a secret"
                            ],
                            MERGE => "finish the merge and write it anew; to quote markers on purpose, indent them by one space".into(),
                            _ => {
                                "write it anew without the secret; what leaked should be changed where it is used"
                                    .into()
                            }
                        };
                        health.add(Trouble::LetterRefused, self.spool(), detail, fix);
                    }
                }
                LetterDestination::Project(_) | LetterDestination::Medulla => {}
            }
        }
        for (spelled, (count, several, plain)) in pending.into_iter().take(FINDINGS_NAMED_MAX) {
            let (detail, fix) = if let Some(folder) = plain {
                let call = calls::bootstrap_at(&folder);
                let folder = folder.display();
                (
                    format!("{count} for {spelled:?}: `{folder}` is in no repository and has no brain"),
                    advice!["where it is a project, ", call, ", then ", calls::letter_distribute()],
                )
            } else if several.is_empty() {
                (
                    format!("{count} for {spelled:?}, which is not on this machine"),
                    advice!["clone it, or ", self.alias_fix(&spelled, None)],
                )
            } else {
                let roots: Vec<String> = several.iter().map(|root| root.display().to_string()).collect();
                (
                    format!("{count} for {spelled:?}, which is the name of {}", roots.join(" and ")),
                    self.alias_fix(&spelled, several.first().map(PathBuf::as_path)),
                )
            };
            health.add(Trouble::LetterPending, self.spool(), detail, fix);
        }
    }

    /// Advice on how to say in `projects.toml` which folder a name in letters means.
    fn alias_fix(&self, spelled: &str, folder: Option<&Path>) -> Advice {
        let file = self.memory().home_path().join(FILE);
        let quoted = |text: &str| toml_edit::Value::from(text).to_string();
        let folder = folder.map_or_else(|| "~/FOLDER".to_owned(), |folder| folder.display().to_string());
        let line = format!("{} = {}", quoted(spelled), quoted(&folder));
        let file = file.display();
        advice![
            "write {line} under [aliases] in `{file}`, with the folder that is meant, then run ",
            calls::letter_distribute()
        ]
    }

    /// Adds a finding for each confirmed misdelivery without a case: it should have one before it is mended.
    fn examine_cases(
        &self,
        gathered: &GatheredLetters<'_>,
        confusion: &Confusion,
        health: &mut LetterHealth,
    ) {
        let mut cased: HashSet<LetterId> = HashSet::new();
        let mut drafts: HashMap<LetterId, (PathBuf, CaseStatus)> = HashMap::new();
        for root in gathered.boxes.keys() {
            let battery = Battery::of(self, root.as_deref());
            for (path, case) in battery.cases() {
                match case {
                    Ok(case) => {
                        let letter = case.letter().map(|id| gathered.current(id));
                        match battery.status(&case) {
                            CaseStatus::Counts => cased.extend(letter),
                            standing => drafts.extend(letter.map(|id| (id, (path, standing)))),
                        }
                    }
                    Err(fault) => {
                        let fix = format!("mend `{}`, or remove it", path.display());
                        health.add(Trouble::CaseUnreadable, path, fault.to_string(), fix);
                    }
                }
            }
        }
        let without = confusion.confirmed.iter().filter(|(id, _)| !cased.contains(id));
        for (id, kind) in without.take(FINDINGS_NAMED_MAX) {
            let (detail, fix) = match drafts.get(id) {
                None => (
                    format!("letter {id}, a confirmed {kind}, has no case"),
                    calls::battery_add(id.as_str()).into(),
                ),
                Some((path, CaseStatus::Unrecorded)) => (
                    format!(
                        "letter {id}, a confirmed {kind}, has a case in `{}`, but only the repository says that a person gave a reason why it cannot fail",
                        path.display()
                    ),
                    advice!["if a person confirms it: ", calls::battery_cannot_fail(id.as_str(), calls::WHY)],
                ),
                Some((path, _)) => (
                    format!("letter {id}, a confirmed {kind}, has only a draft: no run has seen it fail"),
                    advice![
                        "edit `",
                        path.display().to_string(),
                        "` until ",
                        calls::battery_run(),
                        " fails without the mend; if it cannot fail, a person says why: ",
                        calls::battery_cannot_fail(id.as_str(), calls::WHY)
                    ],
                ),
            };
            health.add(Trouble::LetterWithoutCase, self.spool(), detail, fix);
        }
    }

    fn weeks(&self, confusion: &Confusion) -> Vec<WeekCount> {
        let beats = self.memory().beats_by_week();
        let this = self.clock().now().iso_week();
        let mut weeks: BTreeSet<&String> = confusion.weeks.keys().chain(beats.keys()).collect();
        weeks.insert(&this);
        let newest = weeks.into_iter().rev().take(WEEKS_MAX);
        newest
            .map(|week| WeekCount {
                week: week.clone(),
                confusion_rate: confusion.weeks.get(week).copied().unwrap_or(0),
                memory_beats_served: beats.get(week).copied().unwrap_or(0),
            })
            .collect()
    }
}

impl LetterHealth {
    fn add(
        &mut self,
        trouble: Trouble,
        place: impl Into<PathBuf>,
        detail: impl Into<String>,
        fix: impl Into<Advice>,
    ) {
        let (place, detail, fix) = (place.into(), detail.into(), fix.into());
        self.findings.push(Finding { trouble, place, detail, fix });
    }
}
