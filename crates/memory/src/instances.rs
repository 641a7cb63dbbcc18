//! Every brain of the home with what people want to see of it, for nobody in particular.

use crate::counts::Served;
use crate::recall::Gap;
use crate::refusal::MemoryError;
use crate::service::Memory;
use brainstem_claims::age;
use brainstem_vault::{Brain, Store};

/// Every brain, and the medulla.
#[derive(Clone, Debug)]
pub struct Instances {
    /// The brains, by folder name.
    pub brains: Vec<(Brain, Standing)>,
    /// The medulla.
    pub medulla: Standing,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// How one store stands.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// Claim files; `None` when the store could not be read.
    pub claims: Option<usize>,
    /// How many of them are stale.
    pub stale: Option<usize>,
    /// When the youngest was born, in ms.
    pub last_written: Option<i64>,
    /// Whether its root is gone.
    pub missing: bool,
    /// What was served there this week.
    pub served: Served,
}

impl Memory {
    /// Looks at every store, also at those that no process has opened.
    pub fn instances(&self) -> Result<Instances, MemoryError> {
        let roster = self.home.roster()?;
        let broken = roster.broken.iter().map(|broken| {
            Gap::new("unreadable_brain", format!("`{}`: {}", broken.path.display(), broken.why))
        });
        let mut gaps: Vec<Gap> = broken.collect();
        let mut brains = Vec::new();
        for brain in roster.brains {
            let mut standing = self.standing(&self.store_of(&brain), &brain.origin(), &mut gaps);
            standing.missing = self.disk.stat(&brain.root).is_err();
            standing.served = self.served(Some(&brain));
            brains.push((brain, standing));
        }
        let mut medulla = self.standing(&self.home.medulla(), "medulla", &mut gaps);
        medulla.served = self.served(None);
        Ok(Instances { brains, medulla, gaps })
    }

    fn standing(&self, store: &Store, name: &str, gaps: &mut Vec<Gap>) -> Standing {
        let scan = match store.scan() {
            Ok(scan) => scan,
            Err(error) => {
                gaps.push(Gap::store(name, &error));
                return Standing::default();
            }
        };
        let now = self.clock.now();
        let is_stale = |claim| age::of(claim, now).stale;
        Standing {
            claims: Some(scan.files),
            stale: Some(scan.claims.iter().filter(|stored| is_stale(&stored.claim)).count()),
            last_written: scan
                .claims
                .iter()
                .filter_map(|stored| stored.claim.created)
                .map(|at| at.ms())
                .max(),
            ..Standing::default()
        }
    }
}
