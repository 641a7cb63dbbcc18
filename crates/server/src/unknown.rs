//! The refusal of a tool that this server does not have: what its caller may have meant.

use brainstem_api::{Doors, Entry, VerbSpec, table, verbs};
use brainstem_base::{Fault, codes};

/// Why there is no such tool among those that are offered, and what to call instead.
pub(crate) fn tool(name: &str, offered: &[&'static Entry]) -> Fault {
    let shown: String = name.chars().take(80).collect();
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
    match commanded(name) {
        None => fault.fix("use a name of tools/list"),
        Some(entry) => {
            let (spec, is_offered) =
                (entry.spec(), offered.iter().any(|one| one.spec().id == entry.spec().id));
            match spec.doors {
                Doors::CommandLine { .. } => fault.fix(instead(spec)),
                Doors::All if is_offered => fault.fix(format!("its name is {}", spec.id)),
                Doors::All => fault.fix(format!("its name is {}; {}", spec.id, instead(spec))),
            }
        }
    }
}

/// Whether a name is some verb's, by its id or the words of its command.
pub(crate) fn is_verb(name: &str) -> bool {
    verbs::find(name).is_some() || commanded(name).is_some()
}

/// What reaches a verb that is not offered here.
fn instead(spec: &VerbSpec) -> String {
    let command = [&["brainstem"], spec.cli].concat().join(" ");
    match spec.doors {
        Doors::CommandLine { .. } => format!("use the command line, `{command}`"),
        Doors::All => {
            let set = spec.toolset.as_str();
            format!("run `{command}`, or have the server started with --toolsets default,{set}")
        }
    }
}

/// The verb whose command has these words: `live_poll` is `brainstem live poll`.
fn commanded(name: &str) -> Option<&'static Entry> {
    let words: Vec<&str> = name.split(['_', '-', '.', ' ']).collect();
    table().iter().find(|entry| !entry.spec().cli.is_empty() && entry.spec().cli == words)
}
