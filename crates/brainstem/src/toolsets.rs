//! Which sets of tools agents are offered: the flag says it, else the settings, else the default (IF-8).

use crate::output::Output;
use brainstem_api::Toolset;
use brainstem_base::{Fault, codes};
use brainstem_memory::{CallerPlace, Memory, RootHints};

/// The sets to offer. A flag with an unknown name is refused; the settings are not, because an agent that is
/// offered the default is better off than one without a server.
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
