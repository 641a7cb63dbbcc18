//! `migrate rollback`: undoes the last migration.

use super::{DOORS, MigrateRow};
use crate::screen::{Look, bold, dim, name, styled};
use crate::verbs::row::counted;
use crate::{Context, Effect, Method, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Undo the last migration, byte for byte.
///
/// Where a claim that was moved has changed since, it is named and nothing is undone. The acts of both
/// stay on record. Repeated, it undoes the migration before.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct MigrateRollback {}

/// What is back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MigrateRollbackAnswer {
    /// The migration that was undone.
    pub migration: u64,
    /// The claims that are back where they were.
    pub rows: Vec<MigrateRow>,
    /// The folders of brains that are back.
    pub brains: Vec<String>,
}

impl Verb for MigrateRollback {
    const SPEC: VerbSpec = VerbSpec {
        id: "migrate_rollback",
        cli: &["migrate", "rollback"],
        doors: DOORS,
        rest: (Method::Post, "/api/migrate/rollback"),
        toolset: Toolset::Upkeep,
        effect: Effect::Write,
        idempotent: false,
        long: true,
        title: "Undo a migration",
        when_to_use: "To undo the last migration.",
        long_text: &[],
        examples: &["brainstem migrate rollback"],
    };
    type Output = MigrateRollbackAnswer;

    fn run(self, cx: &Context) -> Result<MigrateRollbackAnswer, Fault> {
        let done = cx.memory.migrate_rollback(&cx.caller()?, &|done, total| cx.progress(done, total))?;
        Ok(MigrateRollbackAnswer {
            migration: done.number,
            rows: done.rows.into_iter().map(MigrateRow::from).collect(),
            brains: done.brains,
        })
    }
}

impl Present for MigrateRollbackAnswer {
    fn present(&self, out: &mut Screen) {
        for row in &self.rows {
            let to = row.to.as_deref().unwrap_or_default();
            out.flow(2, 4, [bold(row.label.as_str()), dim(format!("  from {} back to {to}", row.from))]);
        }
        for brain in &self.brains {
            out.flow(2, 4, [name(brain.as_str()), dim("  is back among the brains")]);
        }
        let told =
            format!("migration {} is undone: {} back", self.migration, counted(self.rows.len(), "claim"));
        out.line([styled(Look::Good, told)]);
    }
}
