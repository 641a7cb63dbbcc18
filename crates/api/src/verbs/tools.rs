//! `tools`: the sets of tools that an MCP client can be offered, and how a session gets more of them.

use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, DoorKind, Offered, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::next::{VerbId, calls};
use brainstem_base::{Fault, advice, codes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// See the sets of tools that agents are offered over MCP, and from inside a session switch more of them on.
///
/// A session keeps what it switched on until it ends. For every session of this home, say it in the settings:
/// `brainstem config set mcp.toolsets default,upkeep`.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Tools {
    /// The sets to switch on for this session.
    #[arg(long, value_name = "SET")]
    #[serde(default)]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::each_of(field_kinds::one_of(&["memory", "mail", "default"]))))]
    pub on: Vec<String>,
}

/// The sets.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ToolsAnswer {
    /// Every set.
    pub sets: Vec<ToolsetRow>,
    /// The sets that this call switched on.
    pub switched_on: Vec<String>,
}

/// One set.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ToolsetRow {
    /// Its name.
    pub set: String,
    /// What it is for.
    pub about: String,
    /// Whether this session is offered it; through other doors than MCP, whether the settings say so of every session.
    pub on: bool,
    /// Its tools; behind the name of one that has several operations, those of this set.
    pub tools: Vec<String>,
}

impl Verb for Tools {
    const SPEC: VerbSpec = VerbSpec {
        title: "See and switch on tools",
        when_to_use: "When you miss a tool (rename, forget, export, audit, doctor, live): lists the sets, and switches more on.",
        examples: &["brainstem tools", "brainstem tools --json"],
        ..VerbSpec::of(VerbId::Tools)
    };
    type Output = ToolsAnswer;

    fn run(self, cx: &Context) -> Result<ToolsAnswer, Fault> {
        let caller = cx.reader()?;
        let given: Vec<&str> = self.on.iter().map(String::as_str).collect();
        let asked = if given.is_empty() {
            Vec::new()
        } else {
            Toolset::parse_list(given).map_err(|fault| fault.field("on"))?
        };
        let before = match cx.door.way() {
            DoorKind::Mcp(offered) => offered,
            DoorKind::CommandLine(_) | DoorKind::Rest => {
                let config = cx.memory.config(caller.place());
                Offered::of(&Toolset::sort_out(config.toolsets()).0)
            }
        };
        let new: Vec<Toolset> = asked.into_iter().filter(|set| !before.has(*set)).collect();
        match &cx.offers.tool_switch {
            Some(switch) => switch.switch_on(&new),
            None if new.is_empty() => {}
            None => {
                let all = Toolset::ALL.iter().filter(|set| before.and(&new).has(**set));
                let all: Vec<&str> = all.map(|set| set.as_str()).collect();
                return Err(Fault::new(
                    codes::INPUT_BAD_VALUE,
                    "tool sets are switched on inside a session of MCP, and this call is in none",
                )
                .fix(advice![
                    "for every session of this home: ",
                    calls::config_set("mcp.toolsets", all.join(",")),
                    ", then start the server anew"
                ])
                .field("on")
                .rule("IF-8"));
            }
        }
        let now = before.and(&new);
        let row = |set: &Toolset| ToolsetRow {
            set: set.as_str().to_owned(),
            about: set.about().to_owned(),
            on: now.has(*set),
            tools: cx.door.verbs().tools_of(*set),
        };
        Ok(ToolsAnswer {
            sets: Toolset::ALL.iter().map(row).collect(),
            switched_on: new.iter().map(|set| set.as_str().to_owned()).collect(),
        })
    }
}

impl Present for ToolsAnswer {
    fn present(&self, out: &mut Screen) {
        for row in &self.sets {
            let on = if row.on { styled(Look::Good, "  on") } else { dim("  off") };
            out.flow(0, 2, [bold(row.set.as_str()), on, dim(format!("  {}", row.about))]);
            out.flow(2, 4, [row.tools.join(" · ")]);
        }
    }
}
