//! `resolve`: decides between two versions of one label that grew apart.

use crate::refusal::MemoryError;
use crate::row::{Row, Why};
use crate::service::{Caller, Memory};
use crate::survey;
use brainstem_base::{Fault, codes};
use brainstem_claims::lifecycle::Place;
use brainstem_claims::merge::Side;
use brainstem_claims::{Author, Claim, ClaimSlug, Draft, Label, LightFile};
use brainstem_vault::scan::Stored;
use brainstem_vault::store::{Live, subject};
use brainstem_vault::{Act, Store};
use serde_json::json;
use std::path::PathBuf;

/// What to decide.
#[derive(Clone, Debug, Default)]
pub struct ResolveRequest {
    /// The label; absent lists what waits.
    pub label: Option<String>,
    /// `ours` or `theirs`.
    pub take: Option<String>,
    /// A text of your own in the place of both.
    pub text: Option<String>,
    /// `medulla`, or the caller's own brain.
    pub tier: Option<String>,
}

/// What was decided, and what still waits.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The claim that is live now.
    pub claim: Option<Claim>,
    /// Its file.
    pub path: Option<PathBuf>,
    /// Both sides of every label that waits.
    pub waiting: Vec<Row>,
    /// What the caller should know besides.
    pub notes: Vec<String>,
}

impl Memory {
    /// Lists what waits, or decides one label: the side that is taken becomes live as it is, and the
    /// other goes to history.
    pub fn resolve(&self, caller: &Caller, request: &ResolveRequest) -> Result<Resolved, MemoryError> {
        let (store, place, author) = self.deciding_store(caller, request.tier.as_deref())?;
        let mut resolved = Resolved { claim: None, path: None, waiting: Vec::new(), notes: Vec::new() };
        if let Some(label) = &request.label {
            self.floor().text("label", label)?;
            self.floor().text("text", request.text.as_deref().unwrap_or_default())?;
            self.home.check_writable()?;
            let label = Label::parse(label)?;
            let slug = ClaimSlug::of(&label);
            let written = match (request.take.as_deref(), request.text.as_deref()) {
                (Some("ours"), None) => self.take(&store, &slug, &author, Side::Ours)?,
                (Some("theirs"), None) => self.take(&store, &slug, &author, Side::Theirs)?,
                (None, Some(text)) => self.replace_both(&store, &slug, &author, text)?,
                (None, None) | (Some(_), Some(_)) => {
                    return Err(MemoryError::Missing {
                        field: "take",
                        give: "ours or theirs as `take`, or a version of your own as `text`",
                        rule: "MEM-49",
                    });
                }
                (Some(agent), None) => {
                    let side = side_by(&store, &slug, agent).ok_or_else(|| MemoryError::BadValue {
                        field: "take",
                        value: agent.chars().take(40).collect(),
                        what: "side",
                        takes: "ours, theirs, or the agent id of the one side's author",
                        rule: "MEM-49",
                    })?;
                    self.take(&store, &slug, &author, side)?
                }
            };
            let Some(written) = written else {
                return Err(match store.live(&slug) {
                    Live::Claim(claim)
                        if label.as_str() == slug.as_str() || label.is_read_as(&claim.label) =>
                    {
                        let message = format!("nothing waits for a decision about {:?}", claim.label);
                        let fix = "brainstem resolve lists what does; brainstem show LABEL shows this claim";
                        Fault::new(codes::CLAIM_NOT_FOUND, message)
                            .fix(fix)
                            .field("label")
                            .rule("MEM-49")
                            .into()
                    }
                    Live::Claim(_) | Live::Absent | Live::Unreadable(_) => {
                        self.not_found(&store, &label, "what waits for a decision")
                    }
                });
            };
            if store.paths().kept.is_some() {
                let next = if self.is_rebasing(caller) { "git rebase --continue" } else { "git commit" };
                resolved.notes.push(format!("tell git: git add .brainstem && {next}"));
            }
            resolved.path = Some(written.path);
            resolved.claim = Some(written.claim);
        }
        resolved.waiting = waiting(&store, place, self.clock.now())?;
        if !resolved.waiting.is_empty() && self.is_rebasing(caller) {
            resolved.notes.push(
                "a rebase is running: git calls the branch it goes onto ours, and your own work theirs; --take with \
                 the author's id is plainer"
                    .into(),
            );
        }
        Ok(resolved)
    }

    /// Whether git is in the middle of a rebase where the caller stands.
    fn is_rebasing(&self, caller: &Caller) -> bool {
        let route = self.route(caller);
        let git_dir = route.brain().and_then(|brain| survey::git_dir(&*self.disk, &brain.root));
        let is_there = |git_dir: &std::path::Path, name| self.disk.stat(&git_dir.join(name)).is_ok();
        git_dir.is_some_and(|dir| is_there(&dir, "rebase-merge") || is_there(&dir, "rebase-apply"))
    }

    fn deciding_store(
        &self,
        caller: &Caller,
        tier: Option<&str>,
    ) -> Result<(Store, Place, Author), MemoryError> {
        let agent = caller.principal.agent.clone();
        match tier {
            None | Some("project") => {
                let brain = self.bound(caller)?;
                let author = Author { agent, origin_brain: brain.origin(), recorded: None };
                Ok((self.store_of(&brain), Place::Project, author))
            }
            Some("medulla") => {
                let author = Author { agent, origin_brain: "medulla".into(), recorded: None };
                Ok((self.home.medulla(), Place::Medulla, author))
            }
            Some(other) => Err(MemoryError::BadValue {
                field: "tier",
                value: other.chars().take(40).collect(),
                what: "tier",
                takes: "medulla, or nothing for your own project",
                rule: "MEM-49",
            }),
        }
    }

    fn take(
        &self,
        store: &Store,
        slug: &ClaimSlug,
        author: &Author,
        side: Side,
    ) -> Result<Option<brainstem_vault::store::Written>, MemoryError> {
        let choose = |ours: &Claim, theirs: &Claim| {
            let chosen = match side {
                Side::Ours => ours,
                Side::Theirs => theirs,
            };
            Ok::<LightFile, MemoryError>(chosen.file.clone())
        };
        Ok(store.decide(slug, choose, |ours, theirs, _| {
            self.acts_of(slug, author, side.as_str(), ours, theirs)
        })?)
    }

    fn replace_both(
        &self,
        store: &Store,
        slug: &ClaimSlug,
        author: &Author,
        text: &str,
    ) -> Result<Option<brainstem_vault::store::Written>, MemoryError> {
        let now = self.clock.now();
        let choose = |ours: &Claim, theirs: &Claim| {
            let stronger = if theirs.strength() > ours.strength() { theirs } else { ours };
            let draft = Draft {
                label: Label::parse(&ours.label)?,
                title: stronger.title.clone(),
                text: text.to_owned(),
                state: stronger.strength().state,
                confidence: stronger.confidence,
                kind: stronger.kind.unwrap_or(brainstem_claims::light::Kind::Entity),
                evidence: stronger.evidence.clone(),
                depends_on: stronger.depends_on.clone(),
                tags: stronger.tags.clone(),
                group: stronger.group.clone(),
                absolute: stronger.absolute,
            };
            let created =
                [ours.created, theirs.created].into_iter().flatten().map(|at| at.next()).fold(now, Ord::max);
            Ok::<_, MemoryError>(draft.normalise()?.file(author, created, Some(subject(slug, stronger))))
        };
        Ok(store.decide(slug, choose, |ours, theirs, _| self.acts_of(slug, author, "text", ours, theirs))?)
    }

    fn acts_of(
        &self,
        slug: &ClaimSlug,
        author: &Author,
        taken: &str,
        ours: &Claim,
        theirs: &Claim,
    ) -> Vec<Act> {
        let (ours, theirs) = (subject(slug, ours), subject(slug, theirs));
        let data = json!({ "took": taken, "ours": ours, "theirs": theirs });
        vec![Act::once("resolve", &format!("{ours} {theirs}"), &author.agent, self.clock.now(), data)]
    }
}

/// The side that an agent wrote, where it wrote just one.
fn side_by(store: &Store, slug: &ClaimSlug, agent: &str) -> Option<Side> {
    let (ours, theirs) = store.undecided(slug)?;
    match (ours.source_agent.as_deref() == Some(agent), theirs.source_agent.as_deref() == Some(agent)) {
        (true, false) => Some(Side::Ours),
        (false, true) => Some(Side::Theirs),
        (true, true) | (false, false) => None,
    }
}

fn waiting(store: &Store, place: Place, now: brainstem_base::Timestamp) -> Result<Vec<Row>, MemoryError> {
    let scan = store.scan()?;
    let sides = scan.claims.iter().filter(|stored: &&Stored| stored.side.is_some());
    Ok(sides.map(|stored| Row::new(stored, place, now, Why::Asked)).collect())
}
