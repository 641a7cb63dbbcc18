//! `handshake`: a caller says where it expects to be, and the answer says whether it is there.

use crate::caller::bound::path_of;
use crate::caller::location_notice::Reception;
use crate::error::MemoryError;
use crate::service::Memory;
use brainstem_caller::git_layout;
use brainstem_caller::route::{Hint, RootHints, Route};
use brainstem_caller::{Caller, Session};
use brainstem_vault::Brain;
use brainstem_vault::home::NotServedReason;
use std::path::PathBuf;

/// Where a caller expects to be.
#[derive(Clone, Debug)]
pub struct HandshakeRequest {
    /// The project's root, or any place inside it.
    pub expect_root: PathBuf,
    /// The name of the brain's folder, if that is known too.
    pub expect_fingerprint: Option<String>,
}

/// Whether it is there.
#[derive(Clone, Debug)]
pub struct Handshake {
    /// It is.
    pub matched: bool,
    /// It is since this call, which changed the session's binding.
    pub rebound: bool,
    /// Where it expected to be.
    pub expected_root: PathBuf,
    /// The fingerprint it expected.
    pub expected_fingerprint: Option<String>,
    /// Where it is now.
    pub actual: Landed,
    /// Where the session was before, when it was moved.
    pub before: Option<Landed>,
    /// What to do about it, unless it is there.
    pub reception: Option<Reception>,
}

/// Where a caller is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landed {
    /// `<name>@<8 hex>` of the brain.
    pub brain: Option<String>,
    /// The root.
    pub root: Option<PathBuf>,
    /// The name of the brain's folder.
    pub fingerprint: Option<String>,
    /// By which word it landed there.
    pub by: Option<Hint>,
}

impl Landed {
    fn of(route: &Route) -> Self {
        let (root, by) = match route {
            Route::Bound { brain, by } => (Some(brain.root.clone()), Some(*by)),
            Route::Broken { root, by, .. }
            | Route::Replaced { root, by, .. }
            | Route::Brainless { root, by } => (Some(root.clone()), Some(*by)),
            Route::Unbound { path } => (path.clone(), None),
        };
        let brain = route.brain();
        Self {
            brain: brain.map(Brain::origin),
            fingerprint: brain.map(|brain| brain.fingerprint.clone()),
            root,
            by,
        }
    }
}

impl Memory {
    /// Compares where a caller is with where it expects to be. A session that is elsewhere is moved there,
    /// when the expected brain exists; without a session nothing is changed.
    pub fn handshake(
        &self,
        caller: &Caller,
        session: Option<&Session>,
        request: &HandshakeRequest,
    ) -> Result<Handshake, MemoryError> {
        // An empty path names no place; it does not mean the caller's own.
        let expect_root = match request.expect_root.as_os_str().is_empty() {
            true => request.expect_root.clone(),
            false => path_of(caller, "expect_root", &request.expect_root)?,
        };
        let hints = RootHints { explicit: Some(expect_root), ..caller.hints().clone() };
        let expected = self.router.resolve(&hints, None);
        let actual = self.route(caller);
        let wanted = request.expect_fingerprint.as_deref();
        let fits = |brain: &Brain| wanted.is_none_or(|wanted| wanted == brain.fingerprint);
        let is_same = match (expected.brain(), actual.brain()) {
            (Some(expected), Some(actual)) => {
                expected.root == actual.root && expected.manifest.id == actual.manifest.id
            }
            _ => false,
        };
        let expected_root = match &expected {
            Route::Bound { brain, .. } => brain.root.clone(),
            Route::Broken { root, .. } | Route::Replaced { root, .. } | Route::Brainless { root, .. } => {
                root.clone()
            }
            Route::Unbound { path } => {
                path.clone().unwrap_or_else(|| git_layout::canonical(&*self.disk, &request.expect_root))
            }
        };
        let told = |matched, rebound, actual, before, reception| Handshake {
            matched,
            rebound,
            expected_root: expected_root.clone(),
            expected_fingerprint: request.expect_fingerprint.clone(),
            actual,
            before,
            reception,
        };
        let landed = Landed::of(&actual);
        match (expected.brain().filter(|brain| fits(brain)), session) {
            (Some(_), _) if is_same => Ok(told(true, false, landed, None, None)),
            (Some(brain), Some(session)) => {
                session.bind(brain.root.clone());
                let now = Landed { by: Some(Hint::Session), ..Landed::of(&expected) };
                Ok(told(true, true, now, Some(landed), None))
            }
            (_, _) => {
                let why = match (&expected, wanted) {
                    (Route::Bound { brain, .. }, Some(wanted)) if !fits(brain) => format!(
                        "the brain at `{}` has the fingerprint {}, and you expected {wanted}",
                        brain.root.display(),
                        brain.fingerprint
                    ),
                    (Route::Bound { .. }, _) => format!("you expected `{}`", expected_root.display()),
                    (Route::Broken { .. }, _) => {
                        format!("you expected `{}`, whose brain cannot be read", expected_root.display())
                    }
                    (Route::Replaced { root, before, .. }, _) => {
                        let what = match self.replacement(root, before).apart {
                            NotServedReason::OtherFolder => "which is another folder than before",
                            NotServedReason::Alike => "which only looks like a folder that is known",
                            NotServedReason::SetAside => "whose brain was set aside",
                            NotServedReason::Worktree => "a worktree whose repository is not where it was",
                            NotServedReason::Left => {
                                "which has another brain than this session was served from"
                            }
                            NotServedReason::LeftBrainless => {
                                "which has not the brain that this session was served from, and no other"
                            }
                        };
                        format!("you expected `{}`, {what}", expected_root.display())
                    }
                    (Route::Brainless { .. } | Route::Unbound { .. }, _) => {
                        format!("you expected `{}`, which has no brain", expected_root.display())
                    }
                };
                let reception = self.mismatch(&actual, &expected, &why);
                Ok(told(false, false, landed, None, Some(reception)))
            }
        }
    }
}
