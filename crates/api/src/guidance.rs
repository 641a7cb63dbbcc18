//! The section that `init --host` writes into AGENTS.md, CLAUDE.md and GEMINI.md: the paragraphs of the server's
//! instructions, word for word (IF-9a).

use crate::instructions::{PARAGRAPHS, UPKEEP};

/// The text of the section.
pub fn section() -> String {
    // How a server is started is nothing for a file that every host reads.
    let paragraphs: Vec<&str> = PARAGRAPHS.iter().copied().filter(|paragraph| *paragraph != UPKEEP).collect();
    let head = "## Shared memory\n\nThe names in backticks are tools of the MCP server `brainstem`.";
    format!("{head}\n\n{}", paragraphs.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::INSTRUCTIONS;
    use crate::reference;

    #[test] // spec: IF-9a
    fn every_copy_says_the_same() {
        let section = section();
        let pages = reference::pages();
        let page = pages.iter().find(|(path, _)| path.ends_with("mcp.md")).expect("the page of MCP");
        for paragraph in PARAGRAPHS {
            let in_section = section.contains(paragraph) || *paragraph == UPKEEP;
            assert!(
                in_section && INSTRUCTIONS.contains(paragraph) && page.1.contains(paragraph),
                "{paragraph}"
            );
        }
        let said: usize =
            PARAGRAPHS.iter().filter(|paragraph| **paragraph != UPKEEP).map(|p| p.len() + 2).sum();
        assert!(section.len() - said < 100, "and nothing else but a head");
    }
}
