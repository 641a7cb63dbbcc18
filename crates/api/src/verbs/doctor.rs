//! `doctor`: what is wrong with the home and its stores, and what to do about it.

use super::brains::beats_this_week;
use super::letter::LetterCounts;
use super::row::counted;
use super::status::Daemon;
use crate::Door;
use crate::screen::{Look, bold, dim, name, styled};
use crate::wire::Exit;
use crate::{Context, Effect, Job, Present, Screen, Steps, Toolset, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_memory::{BrainScope, Diagnosis, DoctorRequest, Leftovers, Severity};
use brainstem_post::letters::LetterHealth;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Look for trouble in the home, every brain and every store.
///
/// Each finding comes with its one fix. Nothing is changed, except by --sweep. A problem means that memory is unreadable, unwritable or
/// unsafe; the exit status is then 1, and 0 with warnings and notes alone. Files of other projects'
/// stores are counted, and named with --all-brains.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Doctor {
    /// Remove the temporary files that interrupted writes left over an hour ago, and the old names that a renaming left in history; nothing else.
    #[arg(long)]
    #[serde(default)]
    pub sweep: bool,
    /// Name the files of other projects' stores too.
    #[arg(long)]
    #[serde(default)]
    pub all_brains: bool,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DoctorAnswer {
    /// The home that was looked over.
    pub home: String,
    /// Whether there is no problem.
    pub healthy: bool,
    /// What is wrong, worst first.
    pub findings: Vec<Finding>,
    /// How much each store holds.
    pub stores: Vec<StoreCount>,
    /// The state of the letters.
    pub letters: LettersHealth,
    /// The daemon that serves this home; null when none runs.
    pub daemon: Option<Daemon>,
    /// The files that --sweep removed.
    pub swept: Vec<String>,
}

/// One thing that is wrong.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Finding {
    /// A stable name.
    pub name: String,
    /// problem, warning or note.
    pub severity: String,
    /// The file or folder.
    #[serde(rename = "where")]
    pub place: String,
    /// What is wrong there.
    pub detail: String,
    /// The one thing to do.
    pub fix: String,
}

/// How much a store holds.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StoreCount {
    /// The brain, or medulla.
    pub store: String,
    /// Its project's root; null for the medulla, and where the root is another folder now.
    pub root: Option<String>,
    /// Live claims.
    pub claims: usize,
    /// Files in their place that are no readable claims; each is a finding.
    pub unreadable: usize,
    /// Versions in history.
    pub versions: usize,
    /// Recorded acts.
    pub acts: usize,
    /// Beats served this week; of the medulla, those served without a brain.
    pub memory_beats_served: u64,
}

/// The state of the letters. Counts only.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LettersHealth {
    /// By fate, over everything within reach.
    #[serde(flatten)]
    pub counts: LetterCounts,
    /// Letters that wait for a project that is not here.
    pub pending: usize,
    /// Letters that the hygiene floor keeps in the spool.
    pub refused: usize,
    /// Lines that are no letters.
    pub unreadable_lines: usize,
    /// The last line of a spool has no newline yet, and waits.
    pub waiting: bool,
    /// Reports of misdelivered memory that no letter has judged yet.
    pub unjudged: usize,
    /// Live claims over all stores, now.
    pub live_claims: usize,
    /// By ISO week, newest first.
    pub weeks: Vec<ConfusionWeek>,
}

/// One ISO week.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfusionWeek {
    /// Such as 2026-W27.
    pub week: String,
    /// Confirmed memory_misdelivery letters of that week.
    pub confusion_rate: usize,
    /// Beats served in it, over all brains.
    pub memory_beats_served: u64,
}

impl Job for Doctor {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        // What it sweeps holds nothing that is not elsewhere.
        effect: Effect::Write,
        title: "Look for trouble",
        when_to_use: "When memory looks wrong: claims missing, writes refused, files unreadable.",
        examples: &["brainstem doctor", "brainstem doctor --json", "brainstem doctor --sweep"],
        ..VerbSpec::of(VerbId::Doctor)
    };
    type Output = DoctorAnswer;

    fn work(self, cx: &Context, steps: Steps<'_>) -> Result<DoctorAnswer, Fault> {
        let request = DoctorRequest {
            leftovers: if self.sweep { Leftovers::Swept } else { Leftovers::Named },
            brains: BrainScope::of_flag(self.all_brains),
            find_mixed: brainstem_transfer::mixed_medulla,
        };
        let (memory, reads) = cx.memory.noting_reads();
        let cx = &Context { memory: Arc::new(memory), ..cx.clone() };
        let caller = cx.reader()?;
        let told = |done, total| steps.report(done, total);
        let mut diagnosis = cx.memory.doctor(&caller, &request, &told)?;
        let mut letters = cx.post().letters_health(&caller);
        diagnosis.add(std::mem::take(&mut letters.findings));
        diagnosis.add(cx.post().mail_health(&caller));
        diagnosis.add(cx.post().ledger_health());
        diagnosis.add(cx.post().inbox_health());
        diagnosis.add(cx.post().inbox_role_health(&caller));
        diagnosis.add(reads.findings(&diagnosis.findings));
        let answer = DoctorAnswer::of(diagnosis, letters.into(), cx.door);
        Ok(DoctorAnswer { daemon: cx.memory.daemon().map(Daemon::from), ..answer })
    }
}

impl LettersHealth {
    /// Shown once there is a letter.
    fn present(&self, out: &mut Screen) {
        let Self { counts, .. } = self;
        if counts.wet_ink + counts.in_flight + counts.fired_clay + counts.external == 0 {
            return;
        }
        out.flow(0, 2, [bold("letters"), format!("  {}", counts.words()).into()]);
        for week in &self.weeks {
            let beats = usize::try_from(week.memory_beats_served).unwrap_or(usize::MAX);
            out.line([dim(format!(
                "  {}  confusion_rate {}, {}, {} live now",
                week.week,
                week.confusion_rate,
                counted(beats, "beat"),
                counted(self.live_claims, "claim"),
            ))]);
        }
    }
}

impl From<LetterHealth> for LettersHealth {
    fn from(health: LetterHealth) -> Self {
        let week = |week: brainstem_post::letters::WeekCount| ConfusionWeek {
            week: week.week,
            confusion_rate: week.confusion_rate,
            memory_beats_served: week.memory_beats_served,
        };
        Self {
            counts: health.counts.into(),
            pending: health.pending,
            refused: health.refused,
            unreadable_lines: health.unreadable,
            waiting: health.waiting,
            unjudged: health.unjudged,
            live_claims: health.live_claims,
            weeks: health.weeks.into_iter().map(week).collect(),
        }
    }
}

impl DoctorAnswer {
    fn of(diagnosis: Diagnosis, letters: LettersHealth, door: Door) -> Self {
        Self {
            healthy: diagnosis.count(Severity::Problem) == 0,
            home: diagnosis.home.display().to_string(),
            findings: diagnosis
                .findings
                .into_iter()
                .map(|finding| Finding::for_door(finding, door))
                .collect(),
            stores: diagnosis.stores.into_iter().map(StoreCount::from).collect(),
            letters,
            daemon: None,
            swept: diagnosis.swept.into_iter().map(|path| path.display().to_string()).collect(),
        }
    }
}

impl Finding {
    fn for_door(finding: brainstem_memory::Finding, door: Door) -> Self {
        Self {
            name: finding.trouble.name().to_owned(),
            severity: finding.trouble.severity().as_str().to_owned(),
            place: finding.place.display().to_string(),
            detail: finding.detail,
            fix: door.render(&finding.fix),
        }
    }
}

impl From<brainstem_memory::StoreCount> for StoreCount {
    fn from(count: brainstem_memory::StoreCount) -> Self {
        let brainstem_memory::StoreCount { store, root, claims, unreadable, versions, acts, beats } = count;
        let root = root.map(|root| root.display().to_string());
        Self { store, root, claims, unreadable, versions, acts, memory_beats_served: beats }
    }
}

impl Present for DoctorAnswer {
    fn present(&self, out: &mut Screen) {
        for finding in &self.findings {
            let look = match finding.severity.as_str() {
                "problem" => Look::Bad,
                "warning" => Look::Warn,
                _ => Look::Dim,
            };
            let head = [styled(look, finding.severity.as_str()), "  ".into(), name(finding.place.as_str())];
            out.flow(0, 2, head);
            out.wrap(2, &finding.detail);
            out.flow(2, 7, [styled(Look::Good, "fix:"), " ".into(), finding.fix.as_str().into()]);
            out.line([dim(format!("  [{}]", finding.name))]);
        }
        for path in &self.swept {
            out.line([dim("removed "), path.as_str().into()]);
        }
        out.blank();
        let of = |severity: &str| self.findings.iter().filter(|finding| finding.severity == severity).count();
        let told: Vec<String> = ["problem", "warning", "note"]
            .into_iter()
            .filter(|severity| of(severity) > 0)
            .map(|severity| counted(of(severity), severity))
            .collect();
        match (told.is_empty(), self.healthy) {
            (true, _) => out.line([styled(Look::Good, "nothing is wrong")]),
            (false, true) => out.line([styled(Look::Warn, told.join(", "))]),
            (false, false) => out.line([styled(Look::Bad, told.join(", "))]),
        }
        if let Some(daemon) = &self.daemon {
            out.flow(0, 2, [bold("daemon"), format!("  {}", daemon.words()).into()]);
        }
        for store in &self.stores {
            let versions = counted(store.versions, "earlier version");
            let unreadable = match store.unreadable {
                0 => String::new(),
                count => format!(", {}", counted(count, "unreadable file")),
            };
            // Two clones of one brain have one name.
            let is_alone = self.stores.iter().filter(|other| other.store == store.store).count() == 1;
            let root = store.root.as_deref().filter(|_| !is_alone);
            let at = root.map(|root| dim(format!("  {root}")));
            out.flow(
                0,
                2,
                [
                    bold(store.store.as_str()),
                    format!(
                        "  {}{unreadable}, {versions}, {}{}",
                        counted(store.claims, "claim"),
                        counted(store.acts, "act"),
                        beats_this_week(store.memory_beats_served),
                    )
                    .into(),
                ]
                .into_iter()
                .chain(at),
            );
        }
        self.letters.present(out);
    }

    fn exit(&self) -> Exit {
        if self.healthy { Exit::Done } else { Exit::Refused }
    }
}
