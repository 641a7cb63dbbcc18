//! Reference pages generated from the definitions, committed so that a diff shows a public change.

mod cli_page;
mod findings_page;
mod mcp_page;
mod rest_page;
mod verbs_page;
mod wording;

/// Every generated page: its path from the root of the repository, and its content.
pub fn pages() -> Vec<(String, String)> {
    vec![
        ("docs/reference/cli.md".into(), cli_page::render()),
        ("docs/reference/findings.md".into(), findings_page::render()),
        ("docs/reference/mcp.md".into(), mcp_page::render()),
        ("docs/reference/openapi.json".into(), rest_page::openapi()),
        ("docs/reference/rest.md".into(), rest_page::render()),
        ("docs/reference/verbs.md".into(), verbs_page::render()),
    ]
}

#[cfg(test)]
mod tests {
    use super::wording::tool;
    use super::*;
    use crate::table;

    #[test]
    fn every_verb_is_on_every_page() {
        for (path, text) in pages().into_iter().filter(|(path, _)| path.ends_with(".md")) {
            assert!(
                path.starts_with("docs/reference/") && text.starts_with("# ") && text.ends_with('\n'),
                "{path}"
            );
            assert!(!text.contains('\x1b') && !text.contains("\n\n\n") && !text.contains(" \n"), "{path}");
            for entry in table().iter().filter(|_| !path.contains("findings")) {
                let spec = entry.spec();
                let shown = if path.contains("rest") {
                    spec.path().to_owned()
                } else if !path.contains("mcp") {
                    spec.cli().join(" ")
                } else {
                    format!("### {}\n", tool(spec.verb))
                };
                let is_for_agents = path.contains("mcp") || path.contains("rest");
                let absent = is_for_agents && !spec.doors.has_tool();
                assert!(absent || text.contains(&shown), "{path} lacks {shown}");
            }
        }
    }

    #[test]
    fn global_options_are_described_once() {
        let page = cli_page::render();
        assert_eq!(page.matches("--home <PATH>").count(), 1);
        let command = crate::cli::command();
        let groups = command.get_subcommands().filter(|group| group.has_subcommands());
        let (within, count): (usize, usize) =
            groups.fold((0, 0), |(all, n), group| (all + group.get_subcommands().count(), n + 1));
        let shown = command.get_subcommands().filter(|command| !command.is_hide_set()).count();
        let whole = shown - count + within + 1;
        assert_eq!(page.matches("Examples:").count(), whole);
    }

    #[test]
    fn pages_are_the_same_each_time() {
        assert_eq!(pages(), pages());
    }
}
