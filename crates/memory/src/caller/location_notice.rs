//! Reception: names the caller's place if it may be another one than the caller means. On a match it is silent.

use crate::service::Memory;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_caller::Caller;
use brainstem_caller::place_checks::repair_line;
use brainstem_caller::route::{Hint, Route};
use brainstem_vault::Brain;
use brainstem_vault::home::NotServedReason;
use std::path::Path;

/// How many brains are named.
const BRAINS_NAMED_MAX: usize = 5;

/// The notice for a caller that is elsewhere than it means to be, or may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reception {
    /// Where it is, and what that means.
    pub where_you_are: String,
    /// The brains that exist, the nearest first, and the medulla.
    pub what_exists: Vec<Advice>,
    /// What can be done.
    pub options: Vec<Choice>,
    /// The call that is most likely meant.
    pub suggested: Advice,
}

/// Something that can be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The call.
    pub call: Advice,
    /// What it does.
    pub consequence: String,
}

fn choice(call: impl Into<Advice>, consequence: impl Into<String>) -> Choice {
    Choice { call: call.into(), consequence: consequence.into() }
}

impl Memory {
    /// The reception of a caller that landed here; `None` if it landed in a brain and no sign points to another one.
    pub(crate) fn reception(&self, caller: &Caller, route: &Route) -> Option<Reception> {
        let stay = choice(
            calls::seek_in(calls::QUESTION, "medulla"),
            "goes on without a brain: doctrine alone is read, and project memory cannot be written",
        );
        let orphan = self.orphan_at(caller, route).filter(|orphan| orphan.is_recognised);
        let (at, where_you_are, first) = match route {
            Route::Bound { brain, by: Hint::Environment } => return self.elsewhere(caller, brain),
            Route::Bound { .. } => return None,
            Route::Brainless { root, .. } => (
                Some(root.as_path()),
                format!(
                    "in the project at `{}`, which has no brain yet: only the medulla is read, and project memory cannot be written here{}",
                    root.display(),
                    self.lost_worktree_words(root)
                ),
                match self.without_manifest(root) {
                    Some(found) => vec![choice(
                        calls::init_at(root),
                        format!("makes claims readable: {}", found.sentence()),
                    )],
                    None => self.ways_to_a_brain(
                        root,
                        "gives this project a brain of its own; what you learn stays private to it",
                    ),
                },
            ),
            Route::Unbound { path } => (
                path.as_deref(),
                match path {
                    Some(path) => format!(
                        "in `{}`, which is in no project: only the medulla is read, and project memory cannot be written here",
                        path.display()
                    ),
                    None => {
                        "at a place that is not known: only the medulla is read, and project memory cannot be written here"
                            .into()
                    }
                },
                vec![choice(calls::bootstrap_at(calls::PATH), "gives the project at PATH a brain of its own")],
            ),
            Route::Replaced { root, before, .. } => {
                let replacement = self.replacement(root, before);
                let near = self.near(Some(root));
                let (back, on) = match replacement.apart {
                    NotServedReason::OtherFolder | NotServedReason::Alike => (
                        "for the same project: its memory is shown here again, and the word is on record",
                        "for another project: it gets a brain of its own, and what was kept stays apart",
                    ),
                    NotServedReason::SetAside => (
                        "its memory is shown here again, and the word is on record",
                        "this folder gets a new, empty brain, and the one that was set aside is kept apart",
                    ),
                    NotServedReason::Worktree => (
                        "goes on with the memory of the repository, whose worktree this is",
                        "for a project of its own: it gets a brain, and the repository's is kept apart",
                    ),
                    NotServedReason::Left => (
                        "goes back to the brain that this session was served from",
                        "goes on with the brain that is there now",
                    ),
                    NotServedReason::LeftBrainless => (
                        "goes back to the brain that this session was served from",
                        "for another project: it gets a brain of its own, and the session goes on with that",
                    ),
                };
                let go_back = replacement.go_back().map(|call| choice(call, back));
                let go_on = Some(choice(replacement.go_on(), on));
                let options = match replacement.apart {
                    // Only an agent or a person that knows the project can say which of the two is meant.
                    NotServedReason::OtherFolder | NotServedReason::Alike => [go_on, go_back, Some(stay)],
                    NotServedReason::Worktree | NotServedReason::SetAside | NotServedReason::Left | NotServedReason::LeftBrainless => {
                        [go_back, go_on, Some(stay)]
                    }
                };
                let options: Vec<Choice> = options.into_iter().flatten().collect();
                return Some(Reception {
                    where_you_are: format!("{}; only the medulla is read", replacement.place_words()),
                    what_exists: self.what_exists(&near),
                    suggested: options[0].call.clone(),
                    options,
                });
            }
            Route::Broken { root, folder, .. } => (
                Some(root.as_path()),
                format!("in the project at `{}`, whose brain cannot be read: {}", root.display(), folder.why),
                vec![choice(calls::doctor(), "says what is wrong with it, and the one fix")],
            ),
        };
        let near = self.near(at);
        let over = near.first().map(there);
        // Plain `bootstrap` would be refused there.
        let first = match orphan {
            Some(orphan) => {
                let same =
                    format!("for the same project: {}; its memory is shown here again", orphan.sentence());
                let own = "for another project: it gets a brain of its own, and what was kept stays apart";
                let take_ups = orphan.take_ups().into_iter().map(|(_, call)| choice(call, same.clone()));
                take_ups.chain([choice(orphan.own_brain(), own.to_owned())]).collect()
            }
            None => first,
        };
        Some(Reception {
            where_you_are,
            what_exists: self.what_exists(&near),
            suggested: first[0].call.clone(),
            options: first.into_iter().chain(over).chain([stay]).collect(),
        })
    }

    /// The reception of a caller that expected to be somewhere else.
    pub(crate) fn mismatch(&self, actual: &Route, expected: &Route, why: &str) -> Reception {
        let mut options: Vec<Choice> = Vec::new();
        match expected {
            Route::Bound { brain, .. } => options.push(choice(
                Advice::any_call_at(brain.root.display().to_string()),
                format!("works with {}", brain.origin()),
            )),
            Route::Brainless { root, .. } => options
                .extend(self.ways_to_a_brain(root, "gives the project that you expected a brain of its own")),
            Route::Replaced { root, before, .. } => {
                let replacement = self.replacement(root, before);
                let go_back = replacement.go_back();
                let go_back =
                    go_back.map(|call| choice(call, "takes up the memory that is kept for that path"));
                let go_on = choice(replacement.go_on(), "gives what is there now a brain of its own");
                let ways = match replacement.apart {
                    NotServedReason::OtherFolder | NotServedReason::Alike => [Some(go_on), go_back],
                    NotServedReason::Worktree
                    | NotServedReason::SetAside
                    | NotServedReason::Left
                    | NotServedReason::LeftBrainless => [go_back, Some(go_on)],
                };
                options.extend(ways.into_iter().flatten());
            }
            Route::Broken { .. } => {
                options.push(choice(calls::doctor(), "says what is wrong with the brain you expected"));
            }
            Route::Unbound { .. } => {
                options.push(choice(calls::brains(), "lists the roots that have a brain"));
            }
        }
        if let Some(brain) = actual.brain() {
            options.push(choice(
                calls::handshake(&brain.root),
                format!("accepts where you are: {}", brain.origin()),
            ));
        }
        let at = match actual {
            Route::Bound { brain, .. } => format!("in {} at `{}`", brain.origin(), brain.root.display()),
            Route::Broken { root, .. } => {
                format!("in the project at `{}`, whose brain cannot be read", root.display())
            }
            Route::Replaced { root, before, .. } => match self.replacement(root, before).apart {
                NotServedReason::OtherFolder => format!(
                    "in `{}`, which is another folder than the one that was remembered there",
                    root.display()
                ),
                NotServedReason::Alike => {
                    format!("in `{}`, which only looks like a folder that is known", root.display())
                }
                NotServedReason::SetAside => format!("in `{}`, whose brain was set aside", root.display()),
                NotServedReason::Worktree => {
                    format!("in `{}`, a worktree whose repository is not where it was", root.display())
                }
                NotServedReason::Left => {
                    format!(
                        "in `{}`, which has another brain than this session was served from",
                        root.display()
                    )
                }
                NotServedReason::LeftBrainless => {
                    format!(
                        "in `{}`, which has not the brain that this session was served from, and no other",
                        root.display()
                    )
                }
            },
            Route::Brainless { root, .. } => {
                format!("in the project at `{}`, which has no brain yet", root.display())
            }
            Route::Unbound { path: Some(path) } => format!("in `{}`, which is in no project", path.display()),
            Route::Unbound { path: None } => "at a place that is not known".into(),
        };
        let near = self.near(actual.brain().map(|brain| brain.root.as_path()));
        let apart = match expected {
            Route::Brainless { root, .. } => self.lost_worktree_words(root),
            Route::Bound { .. } | Route::Broken { .. } | Route::Replaced { .. } | Route::Unbound { .. } => {
                String::new()
            }
        };
        Reception {
            where_you_are: format!("{at}; {why}{apart}"),
            what_exists: self.what_exists(&near),
            suggested: options.first().map(|first| first.call.clone()).unwrap_or_default(),
            options,
        }
    }

    /// The ways in which the project at this root comes to a brain. Plain `bootstrap` is refused in a worktree that does
    /// not find its repository.
    fn ways_to_a_brain(&self, root: &Path, plain: &str) -> Vec<Choice> {
        match self.router.lost_worktree(root) {
            Some((top, _)) => vec![
                choice(
                    repair_line(&top),
                    "run in the repository, joins this worktree and its repository again, with its mail and its letters",
                ),
                choice(
                    calls::bootstrap_anew(root, false),
                    "only for a project of its own: it gets a brain, and the mail and the letters of the repository stay apart",
                ),
            ],
            None => vec![choice(calls::bootstrap_at(root), plain)],
        }
    }

    /// Says of a worktree at this root that it does not find its repository, and what joins the two. Empty for every
    /// other folder.
    fn lost_worktree_words(&self, root: &Path) -> String {
        let Some((top, main)) = self.router.lost_worktree(root) else { return String::new() };
        format!(
            "; this worktree does not find its repository at `{}`, where its mail and its letters are: `{}`, run in the \
             repository, joins them again",
            main.display(),
            repair_line(&top).as_str()
        )
    }

    /// The environment names one brain, and the caller is in another one. That may be meant, or the variable may be
    /// out of date.
    fn elsewhere(&self, caller: &Caller, brain: &Brain) -> Option<Reception> {
        let standing = crate::RootHints { cwd: caller.hints().cwd.clone(), ..Default::default() };
        let stands = self.router.resolve(&standing, None);
        // A child may well work in a folder without a brain: that is what the variable is for.
        let root = stands.brain().map(|stands| &stands.root).filter(|root| **root != brain.root)?;
        let here = Route::Bound { brain: Box::new(brain.clone()), by: Hint::Environment };
        let why = format!(
            "BRAINSTEM_WORKSPACE_ROOT says so, and you stand in another project, `{}`",
            root.display()
        );
        Some(self.mismatch(&here, &stands, &why))
    }

    /// The brains of the home, those that share most of a path with it first.
    pub(crate) fn near(&self, at: Option<&Path>) -> Vec<Brain> {
        let shared = |brain: &Brain| {
            let parts = at.into_iter().flat_map(Path::components);
            parts.zip(brain.root.components()).take_while(|(a, b)| a == b).count()
        };
        let mut brains = self.home.roster().map(|roster| roster.brains).unwrap_or_default();
        brains.sort_by_key(|brain| (std::cmp::Reverse(shared(brain)), brain.origin()));
        brains
    }

    /// The brain whose root is around this folder, or the only one below it. Any other is a stranger's: a caller that
    /// hears of it would write there.
    pub(crate) fn related(&self, at: &Path) -> Option<Brain> {
        let brains = self.home.roster().map(|roster| roster.brains).unwrap_or_default();
        let around = brains.iter().filter(|brain| at.starts_with(&brain.root));
        if let Some(brain) = around.max_by_key(|brain| brain.root.components().count()) {
            return Some(brain.clone());
        }
        let mut below = brains.iter().filter(|brain| brain.root.starts_with(at));
        match (below.next(), below.next()) {
            (Some(only), None) => Some(only.clone()),
            _ => None,
        }
    }

    fn what_exists(&self, near: &[Brain]) -> Vec<Advice> {
        let claims = |count: Result<usize, _>| match count {
            Ok(1) => "1 claim".to_owned(),
            Ok(count) => format!("{count} claims"),
            Err::<usize, brainstem_vault::StoreError>(_) => "unreadable".to_owned(),
        };
        let mut lines: Vec<Advice> = near
            .iter()
            .take(BRAINS_NAMED_MAX)
            .map(|brain| {
                let count = claims(self.store_of(brain).count());
                format!("{} at `{}`, {count}", brain.origin(), brain.root.display()).into()
            })
            .collect();
        match near.len().saturating_sub(BRAINS_NAMED_MAX) {
            0 => {}
            1 => lines.push(advice!["1 more brain, see `", calls::brains(), "`"]),
            more => lines.push(advice!["{more} more brains, see `", calls::brains(), "`"]),
        }
        // None that could be listed is not none.
        if let Some(error) = near.is_empty().then(|| self.home.roster().err()).flatten() {
            lines.push(advice!["brains that nobody could list: {error}"]);
        }
        lines.push(
            format!("the medulla, {}, shared by all projects", claims(self.home.medulla().count())).into(),
        );
        lines
    }
}

fn there(brain: &Brain) -> Choice {
    choice(
        calls::handshake(&brain.root),
        format!("says whether you are in {}; over MCP it moves this session there", brain.origin()),
    )
}
