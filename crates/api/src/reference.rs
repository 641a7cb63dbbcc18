//! Reference pages generated from the definitions, committed so that a diff shows a public change.

mod cli_page;
mod mcp_page;
mod verbs_page;

/// Every generated page: its path from the root of the repository, and its content.
pub fn pages() -> Vec<(String, String)> {
    vec![
        ("docs/reference/cli.md".into(), cli_page::render()),
        ("docs/reference/mcp.md".into(), mcp_page::render()),
        ("docs/reference/verbs.md".into(), verbs_page::render()),
    ]
}

/// The line that every page starts with, below its title.
const GENERATED: &str = "Generated from the definitions in `crates/api`; change those, not this page.\n";

/// A text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    #[test]
    fn every_verb_is_on_every_page() {
        for (path, text) in pages() {
            assert!(
                path.starts_with("docs/reference/") && text.starts_with("# ") && text.ends_with('\n'),
                "{path}"
            );
            assert!(!text.contains('\x1b') && !text.contains("\n\n\n") && !text.contains(" \n"), "{path}");
            for entry in table() {
                let spec = entry.spec();
                let shown = if path.contains("cli") && !spec.cli.is_empty() {
                    spec.cli.join(" ")
                } else {
                    spec.id.to_owned()
                };
                let is_absent = path.contains("mcp") && entry.cli_only().is_some();
                assert!(is_absent || spec.cli.is_empty() || text.contains(&shown), "{path} lacks {shown}");
            }
        }
    }

    #[test]
    fn global_options_are_described_once() {
        let page = cli_page::render();
        assert_eq!(page.matches("--home <PATH>").count(), 1);
        assert_eq!(page.matches("Examples:").count(), crate::cli::command().get_subcommands().count() + 1);
    }

    #[test]
    fn pages_are_the_same_each_time() {
        assert_eq!(pages(), pages());
    }
}
