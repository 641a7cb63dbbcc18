//! Which store each brain of an export goes into. Several clones of one repository have one brain id, and each of them
//! has memory of its own.

use super::answer::{ImportRequest, Imported};
use super::parcel::{Parcel, Rule};
use crate::export::MEDULLA;
use crate::limits::BRAINS_NAMED_MAX;
use crate::service::Transfer;
use brainstem_base::next::{calls, field};
use brainstem_base::{Advice, advice};
use brainstem_base::{Fault, codes};
use brainstem_caller::Caller;
use brainstem_memory::store_work::{self, Target};
use brainstem_memory::{Gap, MemoryError, TierUse, WriteTier, without_secrets};
use brainstem_vault::Brain;
use brainstem_vault::home::DisplacedBrain;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Where lines of an export come from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sender {
    /// The brain, as `name@id`, or `medulla`.
    pub(super) brain: String,
    /// The folder that the brain had in its home, which tells the clones of one repository apart. Exports of older
    /// programs do not say it.
    pub(super) root: Option<String>,
}

/// The brains that an export can go into.
struct ImportTargets {
    /// The caller's own.
    own: Option<Brain>,
    /// Those of this home, the caller's own among them.
    here: Vec<Brain>,
    /// Those whose memory is kept, and served in no folder.
    displaced: Vec<DisplacedBrain>,
}

impl ImportTargets {
    /// The brains of this home with an id: one, or the clones of one repository.
    fn clones(&self, id: &str) -> Vec<&Brain> {
        self.here.iter().filter(|brain| brain.manifest.id.to_string() == id).collect()
    }

    /// The brain that the lines of a sender were exported from.
    fn sent_by(&self, sender: &Sender, id: &str) -> Option<&Brain> {
        let is_it = |brain: &&Brain| Some(&brain.fingerprint) == sender.root.as_ref();
        self.clones(id).into_iter().find(is_it)
    }

    /// The same among those that are served in no folder.
    fn kept_apart(&self, sender: &Sender, id: &str) -> Option<&DisplacedBrain> {
        let is_it = |displaced: &&DisplacedBrain| {
            let brain = &displaced.brain;
            brain.manifest.id.to_string() == id && Some(&brain.fingerprint) == sender.root.as_ref()
        };
        let with_id = |displaced: &&DisplacedBrain| displaced.brain.manifest.id.to_string() == id;
        let exact = self.displaced.iter().find(is_it);
        exact.or_else(|| self.displaced.iter().find(with_id).filter(|_| self.clones(id).is_empty()))
    }

    fn is_own(&self, brain: &Brain) -> bool {
        self.own.as_ref().is_some_and(|own| own.root == brain.root)
    }
}

impl Transfer {
    /// Decides which store each sender of an export goes into: the medulla into the medulla, the only
    /// brain into the caller's own, one of several into the brain of the same id, and each of several clones into the clone
    /// that it was exported from. Several brains of which none is here are refused: the caller alone can say which of them
    /// is meant.
    pub(super) fn addressed(
        &self,
        caller: &Caller,
        request: &ImportRequest,
        parcels: BTreeMap<Sender, Parcel>,
        ids: &BTreeMap<String, String>,
        imported: &mut Imported,
    ) -> Result<Vec<(Target, Parcel)>, MemoryError> {
        let names: BTreeSet<String> = parcels.keys().map(|sender| sender.brain.clone()).collect();
        let projects = names.iter().filter(|name| *name != MEDULLA).count();
        let from = request.from.as_ref().map(|from| named_in(&request.path, &names, from)).transpose()?;
        let request = &ImportRequest { from, ..request.clone() };
        let brains = self.brains_to_import_into(caller)?;
        if request.from.is_none()
            && projects > 1
            && !ids.values().any(|id| {
                !brains.clones(id).is_empty()
                    || brains.displaced.iter().any(|kept| kept.brain.manifest.id.to_string() == *id)
            })
        {
            let message = format!("the export holds {projects} brains, and none of them is of this home");
            return Err(chosen(&request.path, &message, names.iter()));
        }
        let senders: Vec<Sender> = parcels.keys().cloned().collect();
        let mut addressed = Vec::new();
        for (sender, mut parcel) in parcels {
            let name = &sender.brain;
            if request.from.as_ref().is_some_and(|from| from != name) {
                continue;
            }
            if name == MEDULLA {
                let target = self.import_target(caller, Some(WriteTier::Medulla), request.dry_run)?;
                addressed.push((target, parcel));
                continue;
            }
            let id = ids.get(name).map(String::as_str).unwrap_or_default();
            let of_name = senders.iter().filter(|other| other.brain == *name);
            let is_chosen = request.from.is_some() || projects == 1;
            let is_for_medulla = request.tier.as_deref() == Some(MEDULLA);
            let target = if is_chosen && (of_name.clone().count() == 1 || is_for_medulla) {
                None
            } else if request.from.is_some() {
                // Of several clones, the caller asks for its own where it is among them.
                let is_of_own =
                    |other: &Sender| brains.sent_by(other, id).is_some_and(|brain| brains.is_own(brain));
                if of_name.clone().any(is_of_own) && !is_of_own(&sender) {
                    continue;
                }
                None
            } else if let Some(brain) = brains.sent_by(&sender, id) {
                Some(brain)
            } else if let Some(kept) = brains.kept_apart(&sender, id) {
                imported.gaps.push(kept_and_not_served(name, kept));
                continue;
            } else {
                let clones = brains.clones(id);
                let own = clones.iter().find(|brain| brains.is_own(brain)).copied();
                match own.or(clones.first().copied()) {
                    Some(brain) => Some(brain),
                    None if is_chosen => None,
                    None => {
                        let detail = advice![
                            "{name} is no brain of this home: in the project it belongs to, ",
                            calls::bootstrap(),
                            ", then import with ",
                            field("from").is(name)
                        ];
                        imported.gaps.push(Gap::new("no_such_brain", detail));
                        continue;
                    }
                }
            };
            let own = brains.own.as_ref().filter(|_| !is_for_medulla);
            let brain = target.or(own);
            let is_same = brain.is_some_and(|brain| brain.manifest.id.to_string() == id);
            // Versions of one brain: time says which of two is the later one.
            if is_same || of_name.count() > 1 {
                parcel.rule = Rule::OneBrain;
            }
            parcel.is_of_clone = is_same && brains.clones(id).len() > 1;
            let is_another =
                |brain: &&Brain| brains.sent_by(&sender, id).is_none_or(|sent_by| sent_by.root != brain.root);
            if let Some(brain) = brain.filter(|_| parcel.is_of_clone).filter(is_another) {
                imported.gaps.push(clone_chosen(name, &brain.root, brains.clones(id).len()));
            }
            let target = match target {
                Some(brain) if !brains.is_own(brain) => {
                    self.home().check_writable()?;
                    store_work::target_of(self.memory(), brain.clone())
                }
                Some(_) | None => {
                    let tier = WriteTier::parse(TierUse::Import, request.tier.as_deref())?;
                    self.import_target(caller, tier, request.dry_run)?
                }
            };
            addressed.push((target, parcel));
        }
        Ok(addressed)
    }

    fn brains_to_import_into(&self, caller: &Caller) -> Result<ImportTargets, MemoryError> {
        let roster = self.home().roster()?;
        let own = self.memory().route(caller).brain().cloned();
        let mut here = roster.brains;
        // A repository that came with its brain and was never written to has no folder in the home yet.
        here.extend(own.clone().filter(|own| !here.iter().any(|brain| brain.root == own.root)));
        Ok(ImportTargets { own, here, displaced: roster.displaced })
    }
}

/// The brain of an export that a word names: its name@id, or its name if no other brain there has that.
fn named_in(path: &Path, names: &BTreeSet<String>, word: &str) -> Result<String, MemoryError> {
    if names.contains(word) {
        return Ok(word.to_owned());
    }
    let is_called = |name: &&String| name.rsplit_once('@').is_some_and(|(name, _)| name == word);
    let called: Vec<&String> = names.iter().filter(is_called).collect();
    match called[..] {
        [name] => Ok(name.clone()),
        [] => Err(chosen(path, &format!("the export holds no brain {word:?}"), names.iter())),
        _ => {
            let message = format!("the export holds {} brains of the name {word:?}", called.len());
            Err(chosen(path, &message, called.into_iter()))
        }
    }
}

/// Says which of several clones was taken for one that the export does not name.
fn clone_chosen(name: &str, root: &Path, clones: usize) -> Gap {
    let detail = format!(
        "{name} has {clones} clones in this home, and the export is of another one or does not say of which: it goes into `{}`; to choose another, stand in it",
        root.display()
    );
    Gap::new("clone_chosen", detail)
}

/// Says that a brain is of this home, and that no folder shows it.
fn kept_and_not_served(name: &str, kept: &DisplacedBrain) -> Gap {
    let root = kept.brain.root.display().to_string();
    let detail = advice![
        "{name} is kept in this home and was not imported into: another folder was made at `{root}`, where it lay; if that is the same project, take its memory up: ",
        calls::take_up(&root, false, &kept.brain.fingerprint)
    ];
    Gap::new("root_replaced", detail)
}

/// The refusal that asks for one of the brains of an export, with a call for each.
fn chosen<'a>(path: &Path, message: &str, brains: impl Iterator<Item = &'a String>) -> MemoryError {
    // The names came with the file.
    let name = |name: &String| without_secrets(&name.escape_debug().to_string());
    let (doctrine, projects): (Vec<&String>, Vec<&String>) = brains.partition(|brain| *brain == MEDULLA);
    let call = |brain: &String| Advice::from(calls::import_brain(path, name(brain)));
    let mut fix = Advice::default();
    if !doctrine.is_empty() {
        fix.push(advice!["the medulla goes in from anywhere: ", call(&MEDULLA.to_owned())]);
    }
    if !projects.is_empty() {
        let more = projects.len().saturating_sub(BRAINS_NAMED_MAX);
        let mut calls_of: Vec<Advice> = projects.into_iter().take(BRAINS_NAMED_MAX).map(call).collect();
        if more > 0 {
            calls_of.push(advice!["one of {more} more"]);
        }
        fix.push(if fix.is_empty() { "stand" } else { ". Then stand" });
        fix.push(advice![
            " in the project of each brain, give it one with ",
            calls::bootstrap(),
            " if it has none, and choose: ",
            Advice::joined(calls_of, ", ")
        ]);
    }
    Fault::new(codes::INPUT_BAD_VALUE, message.to_owned()).fix(fix).field("from").rule("MEM-47").into()
}
