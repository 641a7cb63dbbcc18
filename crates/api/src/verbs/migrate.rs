//! `migrate plan|apply|rollback`: a mixed store is sorted.

mod apply;
mod plan;
mod rollback;

pub use apply::MigrateApply;
pub use plan::MigratePlan;
pub use rollback::{MigrateRollback, MigrateRollbackAnswer};

use super::row::{Gap, counted, gaps, present_gaps};
use crate::Door;
use crate::screen::{Look, bold, dim, name, styled};
use crate::{Doors, Present, Screen};
use brainstem_base::next::calls;
use brainstem_transfer::{Migration, RowFate};
use schemars::JsonSchema;
use serde::Serialize;

const DOORS: Doors = Doors::CommandLine {
    why: "it moves the memory of several projects, which is for the person they belong to",
};

/// What a migration does, or did.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MigrateAnswer {
    /// The number of the migration; null where nothing was done.
    pub migration: Option<u64>,
    /// Whether this is what happened, and not what would.
    pub applied: bool,
    /// One row for each claim.
    pub rows: Vec<MigrateRow>,
    /// How many claims go to projects.
    pub moves: usize,
    /// How many stay because they are doctrine.
    pub doctrine: usize,
    /// How many stay because of doubt, or because something is in the way.
    pub flagged: usize,
    /// Brains whose root is gone.
    pub ghosts: Vec<Ghost>,
    /// What was counted afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gates: Option<Gates>,
    /// What you should know besides.
    pub notes: Vec<String>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// One claim, and its one destination.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MigrateRow {
    /// Its label, or its file where it is no readable claim.
    pub label: String,
    /// The name of its file, without the ending.
    pub id: String,
    /// Where it is: medulla, or a brain whose root is gone.
    pub from: String,
    /// The root of that brain; absent for the medulla.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_root: Option<String>,
    /// The brain it goes to; null for what stays.
    pub to: Option<String>,
    /// The root of that brain; absent for the medulla and for what stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_root: Option<String>,
    /// moves, moved, doctrine, flagged, back or stays.
    pub fate: String,
    /// Why.
    pub reason: String,
}

/// A brain whose root is gone.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Ghost {
    /// The brain.
    pub brain: String,
    /// The root that is gone.
    pub root: String,
    /// Whether it is set aside, history and all.
    pub swept: bool,
    /// Why, or why not.
    pub reason: String,
}

/// What was counted afterwards: before = projects + medulla + left.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Gates {
    /// Claims before.
    pub before: usize,
    /// Of these, live in a project now.
    pub projects: usize,
    /// Of these, live in the medulla now.
    pub medulla: usize,
    /// Of these, taken back, renamed or forgotten by another agent meanwhile.
    pub left: usize,
}

impl From<brainstem_transfer::MigrateRow> for MigrateRow {
    fn from(row: brainstem_transfer::MigrateRow) -> Self {
        let shown = |root: Option<std::path::PathBuf>| root.map(|root| root.display().to_string());
        Self {
            label: row.label,
            id: row.id,
            from: row.from,
            from_root: shown(row.from_root),
            to: row.to,
            to_root: shown(row.to_root),
            fate: row.fate.as_str().to_owned(),
            reason: row.reason,
        }
    }
}

impl MigrateAnswer {
    fn new(migration: Migration, applied: bool, door: Door) -> Self {
        let count = |fates: &[RowFate]| migration.rows.iter().filter(|row| fates.contains(&row.fate)).count();
        let ghost = |ghost: brainstem_transfer::Ghost| Ghost {
            brain: ghost.origin,
            root: ghost.root.display().to_string(),
            swept: ghost.swept,
            reason: ghost.reason,
        };
        let gates = |gates: brainstem_transfer::Gates| Gates {
            before: gates.before,
            projects: gates.projects,
            medulla: gates.medulla,
            left: gates.left,
        };
        Self {
            moves: count(&[RowFate::Moves, RowFate::Moved]),
            doctrine: count(&[RowFate::Doctrine]),
            flagged: count(&[RowFate::Flagged]),
            migration: migration.number,
            applied,
            rows: migration.rows.into_iter().map(MigrateRow::from).collect(),
            ghosts: migration.ghosts.into_iter().map(ghost).collect(),
            gates: migration.gates.map(gates),
            notes: door.render_all(&migration.notes),
            gaps: gaps(&migration.gaps, door),
        }
    }

    fn present_rows(&self, out: &mut Screen) {
        let destination = |row: &MigrateRow| Some((row.to.clone()?, row.to_root.clone()));
        let mut brains: Vec<(String, Option<String>)> = self.rows.iter().filter_map(destination).collect();
        brains.sort_unstable();
        brains.dedup();
        for brain in brains {
            let rows: Vec<&MigrateRow> =
                self.rows.iter().filter(|row| destination(row).as_ref() == Some(&brain)).collect();
            let (brain, root) = brain;
            let root = root.map(|root| format!(" at {root}")).unwrap_or_default();
            let verb = if self.applied { "went to" } else { "to" };
            out.line([
                format!("{verb} ").into(),
                name(brain.as_str()),
                dim(format!("{root}  {}", counted(rows.len(), "claim"))),
            ]);
            present(&rows, Look::Good, out);
        }
        for (fate, what, look) in
            [("doctrine", "stay as doctrine", Look::Dim), ("flagged", "stay, flagged", Look::Warn)]
        {
            let rows: Vec<&MigrateRow> = self.rows.iter().filter(|row| row.fate == fate).collect();
            if !rows.is_empty() {
                out.line([styled(look, what), dim(format!("  {}", counted(rows.len(), "claim")))]);
                present(&rows, look, out);
            }
        }
    }
}

fn present(rows: &[&MigrateRow], look: Look, out: &mut Screen) {
    for row in rows {
        let from = match &row.from_root {
            Some(root) => format!(" (from {} at {root})", row.from),
            None if row.from == "medulla" => String::new(),
            None => format!(" (from {})", row.from),
        };
        let reason = format!("  {}{from}", row.reason);
        let reason = if look == Look::Warn { styled(look, reason) } else { dim(reason) };
        out.flow(2, 4, [bold(row.label.as_str()), reason]);
    }
}

impl Present for MigrateAnswer {
    fn present(&self, out: &mut Screen) {
        self.present_rows(out);
        for ghost in &self.ghosts {
            let what = match (ghost.swept, self.applied) {
                (true, true) => "was set aside",
                (true, false) => "would be set aside",
                (false, _) => "stays",
            };
            let why = format!(", its root {} being gone: {}", ghost.root, ghost.reason);
            out.flow(0, 2, [name(ghost.brain.as_str()), format!(" {what}").into(), dim(why)]);
        }
        let Self { moves, doctrine, flagged, .. } = self;
        let total = counted(self.rows.len(), "claim");
        let verb = if self.applied { "moved" } else { "would move" };
        let told = format!("{total}: {moves} {verb}, {doctrine} stay as doctrine, {flagged} stay, flagged");
        let swept = self.ghosts.iter().any(|ghost| ghost.swept);
        out.line([styled(Look::Good, told)]);
        if let Some(gates) = &self.gates {
            let Gates { before, projects, medulla, left } = gates;
            let left = match left {
                0 => String::new(),
                left => format!(" + {left} taken back, renamed or forgotten by others meanwhile"),
            };
            let sum = format!(
                "{before} before = {projects} in projects + {medulla} in the medulla{left}; none twice, none missing"
            );
            out.line([dim(sum)]);
        }
        out.notes(&self.notes);
        let next = match (self.applied, self.migration) {
            (true, Some(_)) => Some(format!("undo it with: {}", out.command(&calls::migrate_rollback()))),
            (false, _) if *moves > 0 || swept => {
                Some(format!("nothing was changed; do it with: {}", out.command(&calls::migrate_apply())))
            }
            (true | false, _) => None,
        };
        out.line(next.map(dim));
        present_gaps(&self.gaps, out);
    }
}
