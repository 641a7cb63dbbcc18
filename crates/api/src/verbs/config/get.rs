//! `config get`: one setting.

use super::{DOORS, Setting};
use crate::{Context, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use schemars::JsonSchema;
use serde::Deserialize;

/// Print the value of one setting.
///
/// The nearest word counts: a flag, the environment, the repository's file, the home's file, the
/// default. A setting without a value prints nothing; --json says where the value comes from.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct ConfigGet {
    /// The setting: owner, agent, other_names, writes_per_minute, mcp.toolsets, inbox.orchestrator, inbox.engine or inbox.routes.
    pub key: String,
}

impl Verb for ConfigGet {
    const SPEC: VerbSpec = VerbSpec {
        doors: DOORS,
        toolset: Toolset::Upkeep,
        title: "Print a setting",
        when_to_use: "To see one setting.",
        examples: &["brainstem config get agent", "brainstem config get writes_per_minute --json"],
        ..VerbSpec::of(VerbId::ConfigGet)
    };
    type Output = Setting;

    fn run(self, cx: &Context) -> Result<Setting, Fault> {
        Ok(cx.memory.setting(&self.key, &cx.declared, &cx.place())?.into())
    }
}

impl Present for Setting {
    fn present(&self, out: &mut Screen) {
        if let Some(value) = &self.value {
            out.line([value.as_str()]);
        }
    }
}
