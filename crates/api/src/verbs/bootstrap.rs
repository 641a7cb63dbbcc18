//! `bootstrap`: gives a project its brain.

use crate::field_kinds;
use crate::screen::{Look, dim, name, styled};
use crate::{Context, Effect, Present, Screen, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_base::next::{Placeholder, calls};
use brainstem_memory::{BootstrapRequest, BrainWish, RootWish};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Give a project its brain, once.
///
/// Inside a git repository the whole repository is the project, and a worktree counts as its
/// repository; elsewhere it is the folder itself. Repeating it changes nothing. Over MCP it also
/// binds this session to that project.
///
/// A folder that was made where another one was remembered (a project was deleted or moved, and a new one has its
/// path) sees nothing of the memory of that one. Where it is the same project after all, --take-up says so. Where the
/// brain was set aside, --take-up brings it back, and --anew begins with an empty one. The same two say what is meant
/// where the folder of a brain is gone and this one has the history or the files of its project.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
#[schemars(extend("x-together" = together()))]
pub struct Bootstrap {
    /// The project's folder; default: where you are.
    #[schemars(extend("x-takes" = field_kinds::absolute_path()))]
    pub path: Option<String>,
    /// Make exactly this folder the root, even inside a repository (a package of its own).
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub exact: bool,
    /// Take up the memory of this brain (name@id, its name if no other has it, or its fingerprint), whose own folder is gone, was made anew or was set aside.
    #[arg(long, value_name = "BRAIN")]
    #[schemars(extend("x-rare" = true))]
    pub take_up: Option<String>,
    /// Begin with an empty brain where the folder's own was set aside, or its project is recognised; that one is kept.
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub anew: bool,
}

/// Not `take_up` together with `anew`.
fn together() -> Value {
    json!({ "not": { "required": ["take_up", "anew"], "properties": { "anew": { "const": true } } } })
}

/// The brain of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BootstrapAnswer {
    /// The project's root.
    pub root: String,
    /// The name of the brain's folder under the home.
    pub fingerprint: String,
    /// owner (under the home) or repo (in the repository).
    pub store: String,
    /// When the brain was made, in ms.
    pub created: i64,
    /// It was there already; nothing changed.
    pub existed: bool,
    /// Memory that was kept without a folder is the memory of this project now.
    pub taken_up: bool,
    /// How claims name this brain: name@id.
    pub brain: String,
    /// The brain's identity.
    pub id: String,
    /// What you should know besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// No file of the project has the entry of a host.
    #[serde(skip)]
    is_unconnected: bool,
}

impl Verb for Bootstrap {
    const SPEC: VerbSpec = VerbSpec {
        effect: Effect::Write,
        title: "Give a project its brain",
        when_to_use: "Once per project, when a write was refused with memory.brainless_root, or to bind this session to another project.",
        examples: &[
            "brainstem bootstrap",
            "brainstem bootstrap ~/src/cherry",
            "brainstem bootstrap packages/a --exact",
            "brainstem bootstrap --take-up cherry@1a2b3c4d",
        ],
        ..VerbSpec::of(VerbId::Bootstrap)
    };
    type Output = BootstrapAnswer;

    fn run(self, cx: &Context) -> Result<BootstrapAnswer, Fault> {
        let path = self.path.map(|path| cx.path("path", &path)).transpose()?;
        let caller = cx.caller()?;
        let root = RootWish::of_flag(self.exact);
        let brain = BrainWish::of_fields(self.take_up, self.anew).or_else(|both| {
            cx.memory.check_bootstrap_place(&caller, path.as_deref(), root)?;
            Err(both)
        })?;
        let request = BootstrapRequest { path, root, brain };
        let done = cx.memory.bootstrap(&caller, &request)?;
        if let Some(session) = &cx.session {
            session.bind(done.brain.root.clone());
        }
        Ok(BootstrapAnswer {
            is_unconnected: !cx.connect().has_hosts(&done.brain.root),
            root: done.brain.root.display().to_string(),
            brain: done.brain.origin(),
            id: done.brain.manifest.id.to_string(),
            created: done.brain.manifest.created,
            store: done.brain.place.as_str().to_owned(),
            existed: done.existed,
            taken_up: done.taken_up,
            fingerprint: done.brain.fingerprint,
            notes: cx.door.render_all(done.notes.iter().chain(&caller.principal.notes())),
        })
    }
}

impl Present for BootstrapAnswer {
    fn present(&self, out: &mut Screen) {
        let what = match (self.taken_up, self.existed) {
            (true, _) => "has its memory again: taken up",
            (false, true) => "already has a brain",
            (false, false) => "has a brain now",
        };
        out.flow(
            0,
            2,
            [
                name(self.root.as_str()),
                " ".into(),
                styled(Look::Good, what),
                dim(format!("  {}", self.brain)),
            ],
        );
        out.notes(&self.notes);
        if !self.existed {
            let mut step = "next: ";
            if self.is_unconnected {
                let connect = dim("  connects your agent: claude-code, codex, cursor, …");
                let next = out.command(&calls::init_host(calls::HOST));
                out.flow(0, 2, [dim(step), name(next), connect]);
                step = "then: ";
            }
            let then = out.command(&calls::memorize(calls::LABEL, Placeholder("\"what you learned\"")));
            out.line([dim(step), name(then)]);
        }
    }
}
