//! `brainstem` alone: where am I, and what next.

use crate::{Context, Effect, Method, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Say where you are, and which commands are useful next.
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Status {}

/// Where the caller is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Whereabouts {
    /// The version of this program.
    pub version: String,
    /// Commands that are useful next.
    pub next: Vec<String>,
}

impl Verb for Status {
    const SPEC: VerbSpec = VerbSpec {
        id: "status",
        cli: &[],
        rest: (Method::Get, "/api/status"),
        toolset: Toolset::Memory,
        effect: Effect::Read,
        idempotent: true,
        long: false,
        title: "Where am I",
        when_to_use: "To see which brain you are in and what it holds.",
        long_text: &[],
        examples: &["brainstem", "brainstem --json"],
    };
    type Output = Whereabouts;

    fn run(self, _: &Context) -> Result<Whereabouts, Fault> {
        Ok(Whereabouts {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            next: vec!["brainstem whoami".into(), "brainstem --help".into()],
        })
    }
}

impl Present for Whereabouts {
    fn present(&self, out: &mut Screen) {
        out.field("brainstem", self.version.as_str());
        out.heading("Next");
        for command in &self.next {
            out.bullet(crate::screen::name(command.as_str()));
        }
    }
}
