//! `boot`: small key-values that ride every beat.

use super::row::{Gap, gaps, present_gaps, unread_gaps};
use crate::Door;
use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::{AnswerGaps, Context, Effect, Present, Screen, Verb, VerbSpec};
use brainstem_base::advice;
use brainstem_base::next::VerbId;
use brainstem_base::next::calls;
use brainstem_base::{Fault, codes};
use brainstem_claims::age;
use brainstem_memory::{Booted, Tier, TierUse, WriteTier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Keep small values that ride every beat: boot get, set, list, delete.
///
/// For what an agent must know before anything else: a branch, a port, the name of the test command.
/// Longer findings are claims.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
#[schemars(extend("x-together" = together()))]
pub struct Boot {
    /// get, set, list or delete.
    #[schemars(extend("x-takes" = field_kinds::one_of(&["get", "set", "list", "delete"])))]
    pub action: String,
    /// The key.
    #[schemars(extend("x-plain" = true))]
    pub key: Option<String>,
    /// The value to set.
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::at_most(4096)))]
    pub value: Option<String>,
    /// project, medulla, all-brains; default: both to read, project to write.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::tier_or_all(), "x-tool-note" = "Default: both to read, project to write."))]
    pub tier: Option<String>,
}

/// What each action needs.
fn together() -> Value {
    let key = field_kinds::pattern("^[A-Za-z0-9._-]{1,64}$");
    let tier = field_kinds::tier();
    json!({ "anyOf": [
        { "properties": { "action": { "const": "list" } } },
        { "required": ["key"], "properties": { "action": { "const": "get" } } },
        { "required": ["key"], "properties": { "action": { "const": "delete" }, "key": key, "tier": tier } },
        { "required": ["key", "value"], "properties": { "action": { "const": "set" }, "key": key, "tier": tier } },
    ] })
}

/// The keys that were asked for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BootAnswer {
    /// The rows, your project's first; a key in both tiers has two.
    pub rows: Vec<BootRow>,
    /// Whether a key was set or deleted.
    pub changed: bool,
    /// The rows are what was deleted: they ride no beat any more.
    pub deleted: bool,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// One key of one tier.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BootRow {
    /// The key.
    pub key: String,
    /// Its value.
    pub value: String,
    /// The value was cut to fit a budget and ends with …; `boot get` has it whole.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// project or medulla.
    pub tier: String,
    /// The brain it is of.
    pub origin_brain: String,
    /// The agent that set it.
    pub source_agent: Option<String>,
    /// The agent whose import brought it here, where that is another one: only the import names the one that set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported_by: Option<String>,
    /// How long ago, in ms.
    pub age_ms: Option<i64>,
    /// Older than 30 days.
    pub stale: bool,
}

impl Verb for Boot {
    const SPEC: VerbSpec = VerbSpec {
        effect: Effect::Write,
        title: "Keep small values",
        when_to_use: "For a value every session needs at once: a branch, a port, the test command.",
        examples: &[
            "brainstem boot set test \"cargo test\"",
            "brainstem boot list",
            "brainstem boot delete test",
        ],
        ..VerbSpec::of(VerbId::Boot)
    };
    type Output = BootAnswer;

    fn only_reads(&self) -> bool {
        ["get", "list"].contains(&self.action.as_str())
    }

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::list(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<BootAnswer, Fault> {
        let key = |action: &str| {
            self.key.as_deref().ok_or_else(|| {
                Fault::new(codes::INPUT_MISSING, format!("`boot {action}` needs a key"))
                    .fix(calls::boot(action, calls::KEY))
                    .field("key")
            })
        };
        let tier = || Tier::parse(self.tier.as_deref());
        let written = || WriteTier::parse(TierUse::Boot, self.tier.as_deref());
        let booted = match self.action.as_str() {
            "list" => cx.memory.boot_list(&cx.reader()?, None, tier()?)?,
            "get" => {
                let key = key("get")?;
                let found = cx.memory.boot_list(&cx.reader()?, Some(key), tier()?)?;
                if found.rows.is_empty() && found.gaps.is_empty() {
                    return Err(Fault::new(codes::BOOT_NOT_FOUND, format!("no boot key is called {key:?}"))
                        .fix(advice!["see `", calls::boot_list(), "` for the keys that exist"])
                        .field("key"));
                }
                found
            }
            "set" => {
                let value = self.value.as_deref().ok_or_else(|| {
                    Fault::new(codes::INPUT_MISSING, "`boot set` needs a key and a value")
                        .fix(calls::boot_set(calls::KEY, calls::VALUE))
                        .field("value")
                })?;
                let caller = cx.caller()?;
                let mut done = cx.memory.boot_set(&caller, key("set")?, value, written()?)?;
                done.gaps.extend(unread_gaps(&caller));
                done
            }
            "delete" => {
                let caller = cx.caller()?;
                let mut done = cx.memory.boot_delete(&caller, key("delete")?, written()?)?;
                done.gaps.extend(unread_gaps(&caller));
                done
            }
            other => {
                let shown: String = other.chars().take(40).collect();
                return Err(Fault::new(codes::INPUT_BAD_VALUE, format!("{shown:?} is nothing boot does"))
                    .fix("use get, set, list or delete")
                    .field("action"));
            }
        };
        let deleted = booted.changed && self.action == "delete";
        Ok(BootAnswer { deleted, ..BootAnswer::for_door(booted, cx.door) })
    }
}

pub(crate) fn boot_rows(rows: Vec<brainstem_memory::BootRow>) -> Vec<BootRow> {
    let row = |row: brainstem_memory::BootRow| BootRow {
        key: row.key,
        value: row.value,
        cut: false,
        tier: row.tier.to_owned(),
        origin_brain: row.origin_brain,
        source_agent: row.source_agent,
        imported_by: row.imported_by,
        age_ms: row.age_ms,
        stale: row.stale,
    };
    rows.into_iter().map(row).collect()
}

impl BootAnswer {
    fn for_door(booted: Booted, door: Door) -> Self {
        Self {
            rows: boot_rows(booted.rows),
            changed: booted.changed,
            deleted: false,
            gaps: gaps(&booted.gaps, door),
        }
    }
}

impl BootRow {
    pub(crate) fn present(&self, out: &mut Screen) {
        self.present_as_of(&self.tier, out);
    }

    fn present_as_of(&self, whose: &str, out: &mut Screen) {
        let who = self.source_agent.as_deref().unwrap_or("unknown");
        let when = self.age_ms.map_or_else(|| "age unknown".into(), age::ago);
        let brought = self.imported_by.as_ref().map(|by| format!(" · imported by {by}")).unwrap_or_default();
        let stale = if self.stale { " · stale" } else { "" };
        let rest = || format!(" · cut, {} has the rest", out.command(&calls::boot_get(&self.key)));
        let cut = if self.cut { rest() } else { String::new() };
        let origin = dim(format!("  {whose} · by {who} · {when}{brought}{stale}{cut}"));
        out.flow(0, 2, [bold(self.key.as_str()), " = ".into(), self.value.as_str().into(), origin]);
    }
}

impl BootAnswer {
    /// Whether the list has keys of two brains, so that `project` would not say which brain has a key.
    fn is_of_several_brains(&self) -> bool {
        let mut brains = self.rows.iter().filter(|row| row.tier == "project").map(|row| &row.origin_brain);
        brains.next().is_some_and(|first| brains.any(|other| other != first))
    }
}

impl Present for BootAnswer {
    fn present(&self, out: &mut Screen) {
        let names_brains = self.is_of_several_brains();
        for row in &self.rows {
            if self.deleted {
                let was = dim(format!("  of {}; it was {:?}", row.origin_brain, row.value));
                out.flow(0, 2, [bold(row.key.as_str()), " ".into(), styled(Look::Good, "is deleted"), was]);
            } else if names_brains {
                row.present_as_of(&row.origin_brain, out);
            } else {
                row.present(out);
            }
        }
        if self.rows.is_empty() && self.gaps.is_empty() {
            out.line(["No boot keys here."]);
        }
        present_gaps(&self.gaps, out);
    }
}
