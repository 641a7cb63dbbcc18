//! The refusal of a tool that this connection does not have, with the tools that its caller may have meant.

use brainstem_api::{Doors, Entry, Offered, VerbSpec, likely_commands, table, verbs};
use brainstem_base::next::{ToolName, calls};
use brainstem_base::{Advice, advice};
use brainstem_base::{Fault, codes};
use brainstem_memory::without_secrets;

/// Why there is no such tool, and what to call instead.
pub(crate) fn tool(name: &str, offered: Offered) -> Fault {
    let fault = unknown(format!("there is no tool {:?}", shown(name)));
    if let Some(entry) = commanded(name) {
        let spec = entry.spec();
        return match offered.has_verb(spec) {
            true => fault.fix(advice!["it is called as ", spec.verb.tool().to_string()]),
            false => fault.fix(instead(spec)),
        };
    }
    let meant: Vec<Advice> = likely_commands::verbs(&shown(name))
        .into_iter()
        .map(Entry::spec)
        .map(|spec| match offered.has_verb(spec) {
            true => advice![spec.verb.tool().to_string(), " (", spec.when_to_use, ")"],
            false => advice![
                spec.verb.tool().to_string(),
                " (",
                spec.when_to_use,
                " To reach it, ",
                instead(spec),
                ")"
            ],
        })
        .collect();
    if meant.is_empty() {
        return fault.fix("use a name of tools/list");
    }
    fault.fix(advice!["did you mean ", Advice::joined(meant, ", or "), "?"])
}

/// Why an existing verb cannot be called here.
pub(crate) fn not_offered(name: &str, spec: &VerbSpec) -> Fault {
    let shown = shown(name);
    let what = match (spec.doors, spec.verb.tool()) {
        (Doors::CommandLine { why }, ToolName { tool, op: Some(op) }) => {
            format!("the tool {tool} has no operation {op}: {why}")
        }
        (Doors::CommandLine { why }, ToolName { op: None, .. }) => {
            format!("there is no tool {shown:?}: {why}")
        }
        (Doors::All, ToolName { tool, op: Some(op) }) => {
            let set = spec.toolset.as_str();
            let before = if tool == name { String::new() } else { format!("{shown:?} is now ") };
            format!(
                "{before}the operation {op} of the tool {tool}, which is in the set {set}: this session is not offered that \
                 set yet"
            )
        }
        (Doors::All, ToolName { op: None, .. }) => {
            let set = spec.toolset.as_str();
            format!("the tool {shown:?} is in the set {set}, which this session is not offered yet")
        }
    };
    unknown(what).fix(instead(spec))
}

/// Whether a name is that of a tool or verb, the words of a command, or another name for such a verb.
pub(crate) fn is_near_a_tool(name: &str) -> bool {
    let is_tool = |entry: &Entry| entry.spec().verb.tool().tool == name;
    verbs::find(name).is_some()
        || commanded(name).is_some()
        || table().iter().any(is_tool)
        || !likely_commands::verbs(&shown(name)).is_empty()
}

fn unknown(what: String) -> Fault {
    Fault::new(codes::INPUT_UNKNOWN_VERB, what).rule("IF-8")
}

fn shown(name: &str) -> String {
    without_secrets(name).chars().take(80).collect()
}

/// How to reach a verb that is not offered here.
fn instead(spec: &VerbSpec) -> Advice {
    match spec.doors {
        Doors::CommandLine { .. } => advice!["use the command line, `", spec.verb, "`"],
        Doors::All => advice![
            "switch its set on with ",
            calls::tools_on(spec.toolset.as_str()),
            ", or run `",
            spec.verb,
            "`"
        ],
    }
}

/// The verb whose command has these words: `live_poll` is `brainstem live poll`.
fn commanded(name: &str) -> Option<&'static Entry> {
    let words: Vec<&str> = name.split(['_', '-', '.', ' ']).collect();
    table().iter().find(|entry| entry.spec().cli() == words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_api::{Door, Toolset};

    #[test] // spec: IF-8
    fn a_tool_that_does_not_exist_leads_to_those_that_do_what_its_name_says() {
        let offered = Offered::of(&[Toolset::Memory]);
        let fix = |name: &str| Door::mcp(offered).render(&tool(name, offered).fix.unwrap_or_default());
        assert!(fix("remember").starts_with("did you mean memorize ("), "{}", fix("remember"));
        let delete = fix("delete");
        assert!(delete.starts_with("did you mean retract (") && delete.contains(", or forget ("), "{delete}");
        assert!(delete.contains("tools with on: [\"upkeep\"]"), "{delete}");
        assert_eq!(fix("frobnicate"), "use a name of tools/list");
        assert!(
            fix("mail_compose").starts_with("did you mean mail with op: send ("),
            "{}",
            fix("mail_compose")
        );
    }
}
