//! The tool sets that agents are offered: those of the flag, else of the settings, else the default (IF-8).

use crate::output::Output;
use brainstem_api::Toolset;
use brainstem_base::{Fault, codes};
use brainstem_memory::{CallerPlace, Memory, RootHints};

/// The sets to offer. Refuses a flag with an unknown name. Settings with one are not refused: an agent with the
/// default sets is better off than one without a server.
pub(crate) fn chosen(
    output: Output,
    flag: &[String],
    memory: &Memory,
    roots: &RootHints,
) -> Result<Vec<Toolset>, Fault> {
    if !flag.is_empty() {
        return Toolset::parse_list(flag.iter().map(String::as_str));
    }
    let config = memory.config(&CallerPlace::of_call(roots.clone(), None));
    let (sets, unknown) = Toolset::sort_out(config.toolsets());
    for name in unknown {
        let told = format!("the setting mcp.toolsets names {name:?}, and there is no such tool set");
        output.complain(
            &Fault::new(codes::INPUT_BAD_VALUE, told)
                .fix(format!("brainstem config set mcp.toolsets with one or more of: {}", Toolset::names())),
        );
    }
    Ok(sets)
}
