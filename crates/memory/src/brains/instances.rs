//! A summary of every brain of the home, the same for every caller.

use crate::brains::list::unreadable_claims;
use crate::gap::Gap;
use crate::service::Memory;
use crate::upkeep::counts::Served;
use brainstem_vault::{Brain, Store};

/// Every brain, and the medulla.
#[derive(Clone, Debug)]
pub struct HomeInstances {
    /// The brains, by folder name.
    pub brains: Vec<(Brain, StoreStanding)>,
    /// The medulla.
    pub medulla: StoreStanding,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// What one store holds.
#[derive(Clone, Debug, Default)]
pub struct StoreStanding {
    /// The claims that can be read; `None` when the store could not be.
    pub claims: Option<usize>,
    /// How many of them are stale.
    pub stale: Option<usize>,
    /// When the youngest was born, in ms.
    pub last_written: Option<i64>,
    /// Whether its root is gone.
    pub missing: bool,
    /// Whether its root is another folder now, with another project in it.
    pub replaced: bool,
    /// What was served there this week.
    pub served: Served,
}

impl Memory {
    /// Looks at every store, also at those that no process has opened.
    pub fn instances(&self) -> HomeInstances {
        let (roster, mut gaps) = self.roster_with_gaps();
        let mut brains = Vec::new();
        for brain in roster.brains {
            let mut standing = self.standing(&self.store_of(&brain), &brain.origin(), &mut gaps);
            standing.missing = self.disk.stat(&brain.root).is_err();
            if standing.missing {
                // Of a repository that is gone the home has copies.
                let copies = self.store_of(&brain).labels_absent().map(|absent| absent.len());
                standing.claims = standing.claims.zip(copies.ok()).map(|(claims, copies)| claims + copies);
            }
            standing.served = self.served(Some(&brain));
            brains.push((brain, standing));
        }
        for displaced in roster.displaced {
            let store = self.home.displaced_store(&displaced);
            let mut standing = self.standing(&store, &displaced.brain.origin(), &mut gaps);
            standing.claims = self.home.displaced_claims(&displaced).ok();
            standing.replaced = true;
            standing.served = self.served(Some(&displaced.brain));
            brains.push((Brain { place: displaced.lay_in, ..displaced.brain }, standing));
        }
        let mut medulla = self.standing(&self.home.medulla(), "medulla", &mut gaps);
        medulla.served = self.served(None);
        HomeInstances { brains, medulla, gaps }
    }

    fn standing(&self, store: &Store, name: &str, gaps: &mut Vec<Gap>) -> StoreStanding {
        match self.births.tally(&*self.disk, self.clock.now(), store) {
            Ok(tally) => {
                gaps.extend(tally.unread.iter().map(Gap::unreadable));
                gaps.extend(unreadable_claims(name, tally.unreadable));
                StoreStanding {
                    claims: Some(tally.claims),
                    stale: Some(tally.stale),
                    last_written: tally.last_written,
                    ..StoreStanding::default()
                }
            }
            Err(error) => {
                gaps.push(Gap::store(name, &error));
                StoreStanding::default()
            }
        }
    }
}
