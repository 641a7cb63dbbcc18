//! The reference of the command line: every command with its full help.

use super::wording::GENERATED;
use crate::cli;
use crate::wire::Exit;
use clap::Command;
use std::fmt::Write as _;

pub(super) fn render() -> String {
    let mut page = format!("# Command line\n\n{GENERATED}\n");
    page.push_str(
        "Data goes to standard output, everything else to standard error. With `--json`, standard output is exactly \
         one JSON document (JSON lines where the help of a command says so): the result, or `{\"error\":{\"code\",\"message\",\"fix\",\"field\",\"rule\"}}`, without \
         what does not apply.\n\n## Exit status\n\n| status | meaning |\n| --- | --- |\n",
    );
    for exit in Exit::ALL {
        let _ = writeln!(page, "| {} | {} |", exit.status(), exit.meaning());
    }
    page.push_str("\n## Environment\n\n| variable | meaning |\n| --- | --- |\n");
    for (name, meaning) in cli::ENVIRONMENT {
        let _ = writeln!(page, "| `{name}` | {meaning} |");
    }
    let mut root = cli::command().term_width(100);
    root.build();
    page.push_str(
        "\n## Commands\n\nThe global options of `brainstem` stand before or after every command.\n",
    );
    describe(&mut root, "brainstem", &mut page);
    page
}

fn describe(command: &mut Command, path: &str, page: &mut String) {
    let help = command.render_long_help().to_string();
    let mut lines: Vec<_> = help.lines().map(str::trim_end).collect();
    if path != "brainstem" {
        leave_out_globals(&mut lines);
    }
    let _ = write!(page, "\n### `{path}`\n\n```text\n{}\n```\n", squeeze(&lines.join("\n")));
    // A name of before is hidden.
    for inner in command.get_subcommands_mut().filter(|inner| !inner.is_hide_set()) {
        let path = format!("{path} {}", inner.get_name());
        describe(inner, &path, page);
    }
}

/// They are the same everywhere, and described once.
fn leave_out_globals(lines: &mut Vec<&str>) {
    let heading = format!("{}:", cli::GLOBAL_OPTIONS);
    let mut inside = false;
    lines.retain(|line| {
        inside = *line == heading || inside && (line.is_empty() || line.starts_with(' '));
        !inside
    });
}

/// At most one empty line in a row, none at the ends.
fn squeeze(text: &str) -> String {
    let mut out = text.trim().to_owned();
    while out.contains("\n\n\n") {
        out = out.replace("\n\n\n", "\n\n");
    }
    out
}
