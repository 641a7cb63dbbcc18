//! `migrate rollback`: undoes the last migration.

use super::{DOORS, MigrateRow};
use crate::screen::{Look, bold, dim, name, styled};
use crate::verbs::row::counted;
use crate::{Context, Effect, Job, Present, Screen, Steps, Toolset, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_transfer::RowFate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Undo the last migration, byte for byte.
///
/// What was superseded, retracted, renamed, promoted or forgotten since stays as it is and is named, with what
/// can be done. Where something is only away (a disk, a branch), nothing is undone yet. The acts of both stay on
/// record. Repeated, it undoes the migration before.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct MigrateRollback {}

/// What is back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MigrateRollbackAnswer {
    /// The migration that was undone.
    pub migration: u64,
    /// The claims that are back where they were, and those that stay because something was done to them since.
    pub rows: Vec<MigrateRow>,
    /// How many are back.
    pub back: usize,
    /// How many stay.
    pub stay: usize,
    /// The folders of brains that are back.
    pub brains: Vec<String>,
    /// What you should know besides.
    pub notes: Vec<String>,
}

impl Job for MigrateRollback {
    const SPEC: VerbSpec = VerbSpec {
        doors: DOORS,
        toolset: Toolset::Upkeep,
        effect: Effect::Write,
        idempotent: false,
        title: "Undo a migration",
        when_to_use: "To undo the last migration.",
        examples: &["brainstem migrate rollback"],
        ..VerbSpec::of(VerbId::MigrateRollback)
    };
    type Output = MigrateRollbackAnswer;

    fn work(self, cx: &Context, steps: Steps<'_>) -> Result<MigrateRollbackAnswer, Fault> {
        let done = cx.transfer().migrate_rollback(&cx.caller()?, &|done, total| steps.report(done, total))?;
        let stay = done.rows.iter().filter(|row| row.fate == RowFate::Stays).count();
        Ok(MigrateRollbackAnswer {
            migration: done.number,
            back: done.rows.len() - stay,
            stay,
            rows: done.rows.into_iter().map(MigrateRow::from).collect(),
            brains: done.brains,
            notes: cx.door.render_all(&done.notes),
        })
    }
}

impl Present for MigrateRollbackAnswer {
    fn present(&self, out: &mut Screen) {
        for row in &self.rows {
            let told = match &row.to {
                Some(to) => dim(format!("  from {} back to {to}", row.from)),
                None => styled(Look::Warn, format!("  stays: {}", row.reason)),
            };
            out.flow(2, 4, [bold(row.label.as_str()), told]);
        }
        for brain in &self.brains {
            out.flow(2, 4, [name(brain.as_str()), dim("  is back among the brains")]);
        }
        out.notes(&self.notes);
        let stay = match self.stay {
            0 => String::new(),
            1 => ", 1 stays".to_owned(),
            stay => format!(", {stay} stay"),
        };
        let told =
            format!("migration {} is undone: {} back{stay}", self.migration, counted(self.back, "claim"));
        out.line([styled(Look::Good, told)]);
    }
}
