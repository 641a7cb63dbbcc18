//! Undoing the last migration, byte for byte, or not at all.

use super::numbers::{ROLLBACK, SWEEP, migration};
use super::{MigrateRow, RolledBack, RowFate};
use crate::limits::CHANGED_NAMED_MAX;
use crate::refusal::MemoryError;
use crate::service::{Caller, Memory};
use crate::verdicts::LEARN;
use brainstem_base::{Fault, Timestamp, codes};
use brainstem_claims::ClaimSlug;
use brainstem_claims::lifecycle::MEDULLA;
use brainstem_vault::aside::Whereabouts;
use brainstem_vault::moving::{MIGRATE, MIGRATE_BACK, MIGRATE_IN, Returning, Standing};
use brainstem_vault::{Act, Brain, Live, Store};
use serde_json::json;

/// A brain that a migration set aside.
struct Swept {
    folder: String,
    aside: String,
}

/// A claim that a migration moved.
struct Row {
    from: Store,
    origin: String,
    to: Option<Brain>,
    act: Act,
    slug: ClaimSlug,
    has_arrived: bool,
}

impl Row {
    fn returning(&self) -> Returning<'_> {
        Returning {
            slug: &self.slug,
            created: self.act.data["created"].as_i64().map(Timestamp::from_ms),
            original: self.act.data["sha256"].as_str().unwrap_or_default(),
            arrived: self.act.data["arrived"].as_str(),
            has_arrived: self.has_arrived,
        }
    }
}

impl Memory {
    /// Undoes the last migration that was not undone. Where something changed since, nothing is undone and
    /// what changed is named.
    pub fn migrate_rollback(
        &self,
        caller: &Caller,
        progress: &dyn Fn(usize, usize),
    ) -> Result<RolledBack, MemoryError> {
        self.home.check_writable()?;
        let Some(number) = self.migrations()?.undoable() else { return Err(nothing()) };
        let _guard = self.migration_lock()?;
        // Another process may have undone it meanwhile.
        let number = self.migrations()?.undoable().filter(|now| *now == number).ok_or_else(nothing)?;
        let swept = self.swept(number)?;
        self.check(number, &swept)?;
        let mut done = RolledBack { number, rows: Vec::new(), brains: Vec::new() };
        for Swept { folder, aside } in &swept {
            if let Whereabouts::Aside(_) = self.home.whereabouts(folder, aside) {
                self.home.bring_back(folder, aside)?;
            }
            done.brains.push(folder.clone());
        }
        // Perhaps brought back by a run that was killed before it was certain.
        self.home.sync_brains()?;
        let rows = self.rows(number, &[])?;
        let total = rows.len();
        for (at, row) in rows.iter().enumerate() {
            let Some(to) = &row.to else { continue };
            let (agent, now) = (&caller.principal.agent, self.clock.now());
            let data = json!({ "migration": number });
            let back = Act::once(MIGRATE_BACK, &row.act.subject, agent, now, data);
            let there = self.store_of(to);
            row.from.acts().record_all(&said_of(&row.act, &there)?)?;
            match row.from.move_back(&there, &row.returning(), &back)? {
                Standing::Undoable | Standing::Undone => {}
                // Everything was looked at before; this changed since then.
                Standing::Changed(why) => return Err(changed(number, &[format!("{}: {why}", row.slug)])),
            }
            let label = match row.from.live(&row.slug) {
                Live::Claim(claim) => claim.label,
                Live::Absent | Live::Unreadable(_) => row.slug.to_string(),
            };
            done.rows.push(MigrateRow {
                label,
                id: row.slug.to_string(),
                from: to.origin(),
                to: Some(row.origin.clone()),
                fate: RowFate::Back,
                reason: format!("migration {number} is undone"),
            });
            progress(at + 1, total);
        }
        let data = json!({ "claims": done.rows.len(), "brains": done.brains.len() });
        let act = Act::once(ROLLBACK, &migration(number), &caller.principal.agent, self.clock.now(), data);
        self.home.medulla().acts().record(&act)?;
        Ok(done)
    }

    /// Looks at everything before anything is undone.
    fn check(&self, number: u64, swept: &[Swept]) -> Result<(), MemoryError> {
        let mut problems = Vec::new();
        let mut aside = Vec::new();
        for one in swept {
            match self.home.whereabouts(&one.folder, &one.aside) {
                Whereabouts::Here(_) => {}
                Whereabouts::Aside(folder) => aside.extend(self.home.brain_aside(&folder)),
                Whereabouts::Both => problems.push(format!("{}: another brain has its name", one.folder)),
                Whereabouts::Gone => problems.push(format!("{}: it is no longer there", one.folder)),
            }
        }
        for row in self.rows(number, &aside)? {
            let Some(to) = &row.to else {
                problems.push(format!("{}: the brain it went to is no longer here", row.slug));
                continue;
            };
            if let Standing::Changed(why) = row.from.standing(&self.store_of(to), &row.returning())? {
                problems.push(format!("{} in {}: {why}", row.slug, to.origin()));
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(changed(number, &problems)) }
    }

    /// The brains that a migration set aside.
    fn swept(&self, number: u64) -> Result<Vec<Swept>, MemoryError> {
        let acts = self.home.medulla().acts().named(&[SWEEP])?.into_iter();
        let ours = acts.filter(|act| act.data["migration"].as_u64() == Some(number));
        let swept = |act: Act| {
            let word = |key: &str| act.data[key].as_str().map(str::to_owned);
            Some(Swept { folder: word("folder")?, aside: word("aside")? })
        };
        Ok(ours.filter_map(swept).collect())
    }

    /// The claims that a migration moved or had begun to move, and that are not back yet.
    fn rows(&self, number: u64, aside: &[Brain]) -> Result<Vec<Row>, MemoryError> {
        let brains = self.home.roster()?.brains;
        let mut sources = vec![(self.home.medulla(), MEDULLA.to_owned())];
        sources.extend(brains.iter().chain(aside).map(|brain| (self.store_of(brain), brain.origin())));
        let mut rows = Vec::new();
        for (from, origin) in sources {
            let acts = from.acts().named(&[MIGRATE, MIGRATE_BACK])?;
            let is_back =
                |subject: &str| acts.iter().any(|act| act.act == MIGRATE_BACK && act.subject == subject);
            for act in acts.iter().filter(|act| act.act == MIGRATE && !is_back(&act.subject)) {
                // A claim that was forgotten has left no data, and nothing to bring back.
                if act.data["migration"].as_u64() != Some(number) {
                    continue;
                }
                let named = act.subject.split(['@', ' ']).next().and_then(ClaimSlug::parse);
                let Some(slug) = named else { continue };
                let to = brains.iter().find(|brain| act.data["to"] == brain.fingerprint.as_str()).cloned();
                let arrival = Act::id_of(MIGRATE_IN, &act.subject);
                let has_arrived = match &to {
                    Some(to) => self.store_of(to).acts().has(&arrival)?,
                    None => false,
                };
                let (from, origin) = (from.clone(), origin.clone());
                rows.push(Row { from, origin, to, act: act.clone(), slug, has_arrived });
            }
        }
        Ok(rows)
    }
}

/// What was said of a moved claim where it went: it is said of the original, too, which is the same version.
fn said_of(moved: &Act, there: &Store) -> Result<Vec<Act>, MemoryError> {
    let version = format!("{} by:", moved.subject.split(' ').next().unwrap_or_default());
    let mut said = there.acts().named(&[LEARN])?;
    said.retain(|act| act.subject.starts_with(&version));
    Ok(said)
}

fn nothing() -> MemoryError {
    Fault::new(codes::MIGRATE_NOTHING, "no migration is left to roll back")
        .fix("brainstem migrate plan says what a migration would do")
        .rule("MEM-42")
        .into()
}

fn changed(number: u64, problems: &[String]) -> MemoryError {
    let more = problems.len().saturating_sub(CHANGED_NAMED_MAX);
    let mut named: Vec<String> = problems.iter().take(CHANGED_NAMED_MAX).cloned().collect();
    if more > 0 {
        named.push(format!("and {more} more"));
    }
    let message = format!("migration {number} cannot be rolled back: {}", named.join("; "));
    let fix = "bring those back to what they were (brainstem show tells what happened), then repeat; \
               or keep the migration";
    Fault::new(codes::MIGRATE_CHANGED, message).fix(fix).rule("MEM-42").into()
}
