//! The refusal of a tool that this server does not have: what its caller may have meant.

use brainstem_api::{Doors, Entry, VerbSpec, meant, table, verbs};
use brainstem_base::next::Shell;
use brainstem_base::{Advice, advice};
use brainstem_base::{Fault, codes};
use brainstem_memory::without_secrets;

/// Why there is no such tool among those that are offered, and what to call instead.
pub(crate) fn tool(name: &str, offered: &[&'static Entry]) -> Fault {
    let shown: String = without_secrets(name).chars().take(80).collect();
    let unknown = |what: String| Fault::new(codes::INPUT_UNKNOWN_VERB, what).rule("IF-8");
    if let Some(entry) = verbs::find(name) {
        let what = match entry.spec() {
            VerbSpec { doors: Doors::CommandLine { why }, .. } => {
                format!("there is no tool {shown:?}: {why}")
            }
            VerbSpec { doors: Doors::All, toolset, .. } => {
                let set = toolset.as_str();
                format!("the tool {shown:?} is in the set {set}, which this server does not offer")
            }
        };
        return unknown(what).fix(instead(entry.spec()));
    }
    let fault = unknown(format!("there is no tool {shown:?}"));
    let is_offered = |spec: &VerbSpec| offered.iter().any(|one| one.spec().id() == spec.id());
    if let Some(entry) = commanded(name) {
        let spec = entry.spec();
        return match spec.doors {
            Doors::CommandLine { .. } => fault.fix(instead(spec)),
            Doors::All if is_offered(spec) => fault.fix(format!("its name is {}", spec.id())),
            Doors::All => fault.fix(advice!["its name is ", spec.id(), "; ", instead(spec)]),
        };
    }
    let meant: Vec<Advice> = meant::verbs(&shown)
        .into_iter()
        .map(Entry::spec)
        .map(|spec| match spec.doors {
            Doors::All if is_offered(spec) => advice![spec.id(), " (", spec.when_to_use, ")"],
            Doors::All | Doors::CommandLine { .. } => {
                advice![spec.id(), " (", spec.when_to_use, " To reach it, ", instead(spec), ")"]
            }
        })
        .collect();
    if meant.is_empty() {
        return fault.fix("use a name of tools/list");
    }
    fault.fix(advice!["did you mean ", Advice::joined(meant, ", or "), "?"])
}

/// Whether a name is some verb's, by its id or the words of its command.
pub(crate) fn is_verb(name: &str) -> bool {
    verbs::find(name).is_some() || commanded(name).is_some()
}

/// What reaches a verb that is not offered here.
fn instead(spec: &VerbSpec) -> Advice {
    match spec.doors {
        Doors::CommandLine { .. } => advice!["use the command line, `", spec.verb, "`"],
        Doors::All => advice![
            "run `",
            spec.verb,
            "`, or have the server started with ",
            Shell::line(format!("--toolsets default,{}", spec.toolset.as_str()))
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

    #[test] // spec: IF-8
    fn a_tool_that_does_not_exist_leads_to_those_that_do_what_its_name_says() {
        let offered: Vec<&'static Entry> =
            ["memorize", "retract"].into_iter().filter_map(verbs::find).collect();
        let fix = |name: &str| tool(name, &offered).fix.unwrap_or_default();
        assert!(fix("remember").to_string().starts_with("did you mean memorize ("), "{}", fix("remember"));
        let delete = fix("delete");
        assert!(
            delete.to_string().starts_with("did you mean retract (") && delete.contains(", or forget ("),
            "{delete}"
        );
        assert!(delete.contains("--toolsets default,upkeep"), "{delete}");
        assert_eq!(fix("frobnicate"), "use a name of tools/list");
    }
}
