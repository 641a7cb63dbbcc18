//! Undoing the last migration, byte for byte. What an agent changed since stays as it is, and
//! is named; what is only away is waited for.

use super::answer::{MigrateRow, RolledBack, RowFate};
use super::numbers;
use super::since::{Gone, Moved};
use crate::limits::CHANGED_NAMED_MAX;
use crate::service::Transfer;
use brainstem_base::advice;
use brainstem_base::disk::FileKind;
use brainstem_base::next::calls;
use brainstem_base::{Fault, Timestamp, codes};
use brainstem_caller::Caller;
use brainstem_claims::ClaimSlug;
use brainstem_claims::act::{Act, BrainId, Deed, DeedKind, Mention, MigrationRef, VersionRef};
use brainstem_claims::lifecycle::MEDULLA;
use brainstem_memory::{MemoryError, without_secrets};
use brainstem_vault::set_aside_brains::Whereabouts;
use brainstem_vault::store_transfer::{ReturningClaim, TransferState, UndoObstacle};
use brainstem_vault::{Brain, LiveFile, Store, StorePlace};

/// A brain that a migration set aside.
struct Swept {
    id: String,
    folder: String,
    aside: String,
}

/// A claim that a migration moved.
struct MovedClaim {
    from: Store,
    origin: String,
    to: Option<Brain>,
    /// What the act of its leaving is upon.
    upon: Mention,
    /// When it was born.
    created: Option<Timestamp>,
    /// The sha256 of the original.
    original: String,
    /// The sha256 of what was written there.
    arrived: Option<String>,
    slug: ClaimSlug,
    label: String,
    has_arrived: bool,
    may_be_gone: bool,
}

impl MovedClaim {
    fn returning(&self) -> ReturningClaim<'_> {
        ReturningClaim {
            slug: &self.slug,
            created: self.created,
            original: &self.original,
            arrived: self.arrived.as_deref(),
            has_arrived: self.has_arrived,
            may_be_gone: self.may_be_gone,
        }
    }

    /// Returns the row that says what became of this claim.
    fn as_row(&self, to: &Brain, fate: RowFate, reason: String) -> MigrateRow {
        let root = to.root.clone();
        let (from, to) = match fate {
            RowFate::Back => (to.origin(), Some(self.origin.clone())),
            _ => (to.origin(), None),
        };
        let (label, id, from_root) = (self.label.clone(), self.slug.to_string(), Some(root));
        MigrateRow { label, id, from, from_root, to, to_root: None, fate, reason }
    }
}

impl Transfer {
    /// Undoes the last migration that was not undone. What changed since stays and is named; where something is
    /// away that may come back, nothing is undone.
    pub fn migrate_rollback(
        &self,
        caller: &Caller,
        progress: &dyn Fn(usize, usize),
    ) -> Result<RolledBack, MemoryError> {
        caller.moved_by(|| self.roll_back(caller, progress))
    }

    fn roll_back(&self, caller: &Caller, progress: &dyn Fn(usize, usize)) -> Result<RolledBack, MemoryError> {
        self.home().check_writable()?;
        let Some(number) = self.migrations()?.undoable() else { return Err(nothing()) };
        let _guard = self.migration_lock()?;
        // Another process may have undone it meanwhile.
        let number = self.migrations()?.undoable().filter(|now| *now == number).ok_or_else(nothing)?;
        let swept = self.swept(number)?;
        self.check(number, &swept)?;
        let mut done = RolledBack { number, rows: Vec::new(), brains: Vec::new(), notes: Vec::new() };
        for Swept { id, folder, aside } in &swept {
            let is_back = match self.home().find_set_aside(folder, aside) {
                Whereabouts::Aside(_) | Whereabouts::Both => {
                    done.brains.push(self.home().bring_back(folder, aside)?);
                    true
                }
                Whereabouts::Here(_) | Whereabouts::Gone => self.back_as(id).is_some_and(|name| {
                    done.brains.push(name);
                    true
                }),
            };
            if !is_back {
                done.notes.push(format!("{folder} was set aside, and is no longer in this home").into());
            }
        }
        // Perhaps brought back by a run that was killed before it was certain.
        self.home().sync_brains()?;
        let rows = self.rows(number, &[])?;
        let total = rows.len();
        for (at, row) in rows.iter().enumerate() {
            if let Some(to) = &row.to {
                done.rows.push(self.undo(caller, number, row, to)?);
            }
            progress(at + 1, total);
        }
        self.name_forgotten(number, &mut done)?;
        let stay = done.rows.iter().filter(|row| row.fate == RowFate::Stays).count();
        let back = done.rows.len() - stay;
        let deed = Deed::MigrateRollback {
            migration: MigrationRef(number),
            claims: Some(back as u64),
            stay: Some(stay as u64),
            brains: Some(done.brains.len() as u64),
        };
        let act = Act::new(deed, &caller.principal.agent, self.clock().now());
        self.home().medulla().acts().record(&act)?;
        Ok(done)
    }

    /// Brings one claim back, or says why it stays.
    fn undo(
        &self,
        caller: &Caller,
        number: u64,
        row: &MovedClaim,
        to: &Brain,
    ) -> Result<MigrateRow, MemoryError> {
        let there = self.store_of(to);
        let (agent, now) = (&caller.principal.agent, self.clock().now());
        let deed = Deed::MigrateBack { upon: row.upon.clone(), migration: Some(number) };
        let back = Act::new(deed, agent, now);
        let mut standing = row.from.transfer_state(&there, &row.returning())?;
        if !matches!(standing, TransferState::Changed(_)) {
            row.from.acts().record_all(&said_of(&row.upon, &there)?)?;
            standing = row.from.move_back(&there, &row.returning(), &back)?;
        }
        Ok(match standing {
            TransferState::Undoable | TransferState::Undone => {
                row.as_row(to, RowFate::Back, format!("migration {number} is undone"))
            }
            TransferState::Changed(obstacle) => {
                let why = self.stays(&row.moved(&there, &to.origin()), obstacle)?;
                row.as_row(to, RowFate::Stays, why)
            }
        })
    }

    /// Looks at everything before anything is undone.
    fn check(&self, number: u64, swept: &[Swept]) -> Result<(), MemoryError> {
        let mut problems = Vec::new();
        let aside =
            swept.iter().filter_map(|one| match self.home().find_set_aside(&one.folder, &one.aside) {
                Whereabouts::Aside(folder) => self.home().brain_aside(&folder),
                Whereabouts::Here(_) | Whereabouts::Both | Whereabouts::Gone => None,
            });
        let aside: Vec<Brain> = aside.collect();
        for row in self.rows(number, &aside)? {
            let Some(to) = &row.to else {
                problems.push(format!("{:?} went to a brain that is not in this home", row.label));
                continue;
            };
            let is_here = self.disk().stat(&to.root).is_ok_and(|stat| stat.kind == FileKind::Dir);
            if to.place == StorePlace::Repo && !is_here {
                problems.push(format!("{:?} is in `{}`, which is not there", row.label, to.root.display()));
                continue;
            }
            let there = self.store_of(to);
            let standing = row.from.transfer_state(&there, &row.returning())?;
            if standing == TransferState::Changed(UndoObstacle::GoneThere)
                && let Gone::Away = self.gone(&row.moved(&there, &to.origin()))?
            {
                problems.push(format!("{:?} is not in this checkout of {}", row.label, to.origin()));
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(away(number, &problems)) }
    }

    /// The brains that a migration set aside.
    fn swept(&self, number: u64) -> Result<Vec<Swept>, MemoryError> {
        let acts = self.home().medulla().acts().of_kinds(&[DeedKind::SweepRoot])?;
        let swept = |act: &Act| match act.deed() {
            Deed::SweepRoot { brain, migration, folder: Some(folder), aside: Some(aside), .. }
                if *migration == Some(number) =>
            {
                Some(Swept { id: brain.to_string(), folder: folder.clone(), aside: aside.clone() })
            }
            _ => None,
        };
        Ok(acts.iter().filter_map(swept).collect())
    }

    /// The folder of a brain that came back before: its root returned, or a run was cut off.
    fn back_as(&self, id: &str) -> Option<String> {
        let brains = self.home().roster().ok()?.brains;
        brains.into_iter().find(|brain| brain.manifest.id.to_string() == id).map(|brain| brain.fingerprint)
    }

    /// The claims that a migration moved or had begun to move, and that are not back yet.
    fn rows(&self, number: u64, aside: &[Brain]) -> Result<Vec<MovedClaim>, MemoryError> {
        let brains = self.home().roster()?.brains;
        let mut sources = vec![(self.home().medulla(), MEDULLA.to_owned())];
        sources.extend(brains.iter().chain(aside).map(|brain| (self.store_of(brain), brain.origin())));
        let mut rows = Vec::new();
        for (from, origin) in sources {
            let acts = from.acts().of_kinds(&[DeedKind::Migrate, DeedKind::MigrateBack])?;
            let is_back = |upon: &Mention| {
                let is_it =
                    |act: &Act| matches!(act.deed(), Deed::MigrateBack { upon: back, .. } if back == upon);
                acts.iter().any(is_it)
            };
            for act in &acts {
                let Deed::Migrate { upon, migration, to, to_brain, sha256, arrived, created, .. } =
                    act.deed()
                else {
                    continue;
                };
                // A claim that was forgotten has left no data, and nothing to bring back.
                if *migration != Some(number) || is_back(upon) {
                    continue;
                }
                let Some(slug) = upon.slug().cloned() else { continue };
                let to = went_to(&brains, to.as_deref(), to_brain.as_ref());
                let there = to.as_ref().map(|to| self.store_of(to));
                let arrival = numbers::arrival(upon.clone()).id();
                let has_arrived = match &there {
                    Some(there) => there.acts().has(&arrival)?,
                    None => false,
                };
                let label = self.label_of(&slug, *created, &from, there.as_ref());
                let mut row = MovedClaim {
                    from: from.clone(),
                    origin: origin.clone(),
                    to,
                    upon: upon.clone(),
                    created: *created,
                    original: sha256.clone().unwrap_or_default(),
                    arrived: arrived.clone(),
                    slug,
                    label,
                    has_arrived,
                    may_be_gone: false,
                };
                // Deleted by hand where it went: nothing is in the way of its original.
                if let (Some(to), Some(there)) = (&row.to, &there)
                    && matches!(there.live(&row.slug), LiveFile::Absent)
                    && let Gone::Untold = self.gone(&row.moved(there, &to.origin()))?
                {
                    row.may_be_gone = true;
                }
                rows.push(row);
            }
        }
        Ok(rows)
    }

    /// Names what was forgotten since: its acts have kept the row, and where it went its words may still be.
    fn name_forgotten(&self, number: u64, done: &mut RolledBack) -> Result<(), MemoryError> {
        let begin = format!("{}:", MigrationRef(number));
        let row_of = |upon: &Mention| upon.rest().filter(|row| row.starts_with(&begin)).map(str::to_owned);
        let brains = self.home().roster()?.brains;
        let mut sources = vec![(self.home().medulla(), MEDULLA.to_owned())];
        sources.extend(brains.iter().map(|brain| (self.store_of(brain), brain.origin())));
        let mut forgotten: Vec<(String, String)> = Vec::new();
        for (from, origin) in sources {
            let acts = from.acts().of_kinds(&[DeedKind::Migrate, DeedKind::MigrateBack])?;
            let redacted = |act: &Act| match act.deed() {
                Deed::Migrate { upon, migration: None, .. } => row_of(upon),
                _ => None,
            };
            let back = |act: &Act| match act.deed() {
                Deed::MigrateBack { upon, .. } => row_of(upon),
                _ => None,
            };
            let is_back = |row: &str| acts.iter().any(|act| back(act).as_deref() == Some(row));
            let rows = acts.iter().filter_map(redacted);
            forgotten.extend(rows.filter(|row| !is_back(row)).map(|row| (row, origin.clone())));
        }
        let mut nowhere = 0;
        for (row, origin) in forgotten {
            let mut found = false;
            for brain in &brains {
                let store = self.store_of(brain);
                let arrivals = store.acts().of_kinds(&[DeedKind::MigrateIn])?;
                let arrived = |act: &Act| match act.deed() {
                    Deed::MigrateIn { upon, migration: Some(_), .. }
                        if row_of(upon).as_ref() == Some(&row) =>
                    {
                        Some(upon.version().cloned())
                    }
                    _ => None,
                };
                let Some(Some(VersionRef { slug, created })) = arrivals.iter().find_map(arrived) else {
                    continue;
                };
                let place = if origin == MEDULLA { "the medulla".to_owned() } else { origin.clone() };
                done.rows.push(MigrateRow {
                    label: self.label_of(&slug, created, &store, None),
                    id: slug.to_string(),
                    from: brain.origin(),
                    from_root: Some(brain.root.clone()),
                    to: None,
                    to_root: None,
                    fate: RowFate::Stays,
                    reason: format!(
                        "its original was forgotten in {place}, so it stays in {}",
                        brain.origin()
                    ),
                });
                found = true;
                break;
            }
            nowhere += usize::from(!found);
        }
        if nowhere > 0 {
            let claims =
                if nowhere == 1 { "1 claim was".to_owned() } else { format!("{nowhere} claims were") };
            done.notes.push(format!("{claims} forgotten since, here and there, and not brought back").into());
        }
        Ok(())
    }
}

impl MovedClaim {
    fn moved<'a>(&'a self, to: &'a Store, there: &'a str) -> Moved<'a> {
        Moved {
            slug: &self.slug,
            label: &self.label,
            created: self.created,
            left: &self.upon,
            origin: &self.origin,
            to,
            there,
        }
    }
}

/// The brain that a claim went to: by its folder, or by its id where it has another folder by now.
fn went_to(brains: &[Brain], folder: Option<&str>, id: Option<&BrainId>) -> Option<Brain> {
    let has_id = |brain: &&Brain| id.is_none_or(|id| brain.manifest.id.to_string() == id.as_str());
    let by_folder = brains.iter().find(|brain| folder == Some(brain.fingerprint.as_str()) && has_id(brain));
    by_folder.or_else(|| id.and_then(|_| brains.iter().find(has_id))).cloned()
}

/// What was said of a moved claim where it went: it is said of the original, too, which is the same version.
fn said_of(moved: &Mention, there: &Store) -> Result<Vec<Act>, MemoryError> {
    let mut said = there.acts().of_kinds(&[DeedKind::Learn])?;
    said.retain(|act| {
        let upon = act.deed().upon().zip(moved.version());
        upon.is_some_and(|(upon, version)| upon.is_said_of(version))
    });
    Ok(said)
}

fn nothing() -> MemoryError {
    Fault::new(codes::MIGRATE_NOTHING, "no migration is left to roll back")
        .fix(advice![calls::migrate_plan(), " says what a migration would do"])
        .rule("MEM-42")
        .into()
}

fn away(number: u64, problems: &[String]) -> MemoryError {
    let more = problems.len().saturating_sub(CHANGED_NAMED_MAX);
    let mut named: Vec<String> = problems.iter().take(CHANGED_NAMED_MAX).cloned().collect();
    if more > 0 {
        named.push(format!("and {more} more"));
    }
    let message = format!("migration {number} cannot be rolled back yet: {}", named.join("; "));
    let fix = advice![
        "bring that back (mount the disk, check the branch out, restore the folder of the brain), then repeat ",
        calls::migrate_rollback()
    ];
    let message = without_secrets(&message);
    Fault::new(codes::MIGRATE_CHANGED, message).fix(fix).rule("MEM-42").into()
}
