//! The help of the program itself: `-h` is one screen, `--help` has everything, both in groups.

use super::options::{CALLER_TAG, ENVIRONMENT, GLOBAL_OPTIONS};
use crate::command_name::CommandName;
use crate::wire::Exit;
use crate::{Entry, Toolset, table};
use brainstem_base::next::VerbId;
use clap::builder::{StyledStr, Styles};
use clap::{Arg, Command};
use std::fmt::Write as _;

const DAILY: &str = "Daily";
const MAIL: &str = "Mail";
const CARE: &str = "Care";

/// The commands by what they are for, in the order in which a newcomer meets them. A verb that is in none of them comes
/// last in the group of its tool set.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Start",
        &[
            first(VerbId::Status),
            CommandName::Tour.first_word(),
            first(VerbId::Bootstrap),
            first(VerbId::Init),
            first(VerbId::Whoami),
        ],
    ),
    (
        DAILY,
        &[
            first(VerbId::North),
            first(VerbId::Seek),
            first(VerbId::Memorize),
            first(VerbId::Learn),
            first(VerbId::Show),
            first(VerbId::List),
            first(VerbId::Tags),
            first(VerbId::Edit),
            first(VerbId::Retract),
            first(VerbId::Promote),
            first(VerbId::Delegate),
            first(VerbId::Debrief),
        ],
    ),
    (
        MAIL,
        &[
            first(VerbId::MailSend),
            first(VerbId::SessionList),
            first(VerbId::InboxList),
            first(VerbId::Note),
            first(VerbId::AgentTopics),
            first(VerbId::LiveSend),
        ],
    ),
    ("Letters", &[first(VerbId::LetterWrite), first(VerbId::BatteryRun)]),
    (
        CARE,
        &[
            first(VerbId::Doctor),
            first(VerbId::Verify),
            first(VerbId::Audit),
            first(VerbId::Consolidate),
            first(VerbId::Resolve),
            first(VerbId::Rename),
            first(VerbId::Forget),
            first(VerbId::Brains),
            first(VerbId::SetAside),
            first(VerbId::Eject),
            first(VerbId::Export),
            first(VerbId::Import),
            first(VerbId::MigratePlan),
            first(VerbId::ConfigList),
        ],
    ),
    (
        "Plumbing",
        &[
            CommandName::Up.first_word(),
            CommandName::Down.first_word(),
            CommandName::Page.first_word(),
            CommandName::ServiceInstall.first_word(),
            CommandName::Mcp.first_word(),
            CommandName::Hook.first_word(),
            first(VerbId::Handshake),
            first(VerbId::Boot),
            first(VerbId::Index),
            first(VerbId::Tools),
            CommandName::Completions.first_word(),
            CommandName::MergeDriver.first_word(),
        ],
    ),
];

/// The first word of a verb's command.
const fn first(verb: VerbId) -> &'static str {
    verb.words()[0]
}

/// The groups with every command.
fn groups() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> =
        GROUPS.iter().map(|(group, names)| (*group, names.to_vec())).collect();
    for spec in table().iter().map(Entry::spec) {
        let (word, its_group) = (first(spec.verb), group_of(spec.toolset));
        if !groups.iter().any(|(_, names)| names.contains(&word))
            && let Some((_, names)) = groups.iter_mut().find(|(group, _)| *group == its_group)
        {
            names.push(word);
        }
    }
    groups
}

/// The group of a verb that no group names.
const fn group_of(toolset: Toolset) -> &'static str {
    match toolset {
        Toolset::Memory => DAILY,
        Toolset::Upkeep | Toolset::Ledger => CARE,
        Toolset::Mail | Toolset::Live => MAIL,
    }
}

/// The first word of every command.
pub(crate) fn first_words() -> impl Iterator<Item = &'static str> {
    groups().into_iter().flat_map(|(_, names)| names)
}

/// How wide the text is: the narrowest terminal that is usual.
const WIDTH: usize = 80;

/// The column at which the text of `-h` starts.
const SHORT: usize = 10;

/// The column at which the text of `--help` starts.
const LONG: usize = 16;

/// Gives the whole command its two forms of help.
pub(super) fn with_help(root: Command) -> Command {
    let (short, long) = (short(&root), long(&root));
    root.help_template("{about-with-newline}\n{usage-heading} {usage}{after-help}")
        .after_help(short)
        .after_long_help(long)
}

/// One screen: the names alone.
fn short(root: &Command) -> StyledStr {
    let mut page = HelpPage::default();
    page.text(0, "Alone, it says where you are and what to do next.");
    page.line("");
    for (group, names) in groups() {
        page.entry(group, SHORT, &names.join(" "));
    }
    page.line("");
    let options: Vec<String> = root.get_arguments().map(|arg| shown(arg).replace(['<', '>'], "")).collect();
    page.entry("Options", SHORT, &options.join("  "));
    page.line("");
    page.text(0, "brainstem COMMAND -h is about one command. brainstem --help says what each command and option is for, with examples.");
    page.0
}

/// Everything.
fn long(root: &Command) -> StyledStr {
    let mut page = HelpPage::default();
    for (group, names) in groups() {
        page.heading(group);
        for command in names.iter().filter_map(|name| root.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            page.entry(&format!("  {}", command.get_name()), LONG, &about);
        }
        page.line("");
    }
    page.heading(GLOBAL_OPTIONS);
    for arg in root.get_arguments() {
        page.line(&format!("  {}", shown(arg)));
        page.text(10, &arg.get_help().map(ToString::to_string).unwrap_or_default());
    }
    page.line("  -h, --help");
    page.text(10, "One screen with -h, everything with --help; behind a command, its own");
    page.line("  -V, --version");
    page.text(10, "The version; with --version also what it writes");
    page.line("");
    page.heading("Examples");
    for example in examples() {
        page.line(&format!("  {example}"));
    }
    page.line("");
    page.heading("Environment");
    for (name, meaning) in ENVIRONMENT {
        page.entry(&format!("  {name}"), 28, meaning);
    }
    page.line("");
    page.heading("Exit status");
    for exit in Exit::ALL {
        page.entry(&format!("  {}", exit.status()), 5, exit.meaning());
    }
    page.0
}

/// An option as it is typed.
fn shown(arg: &Arg) -> String {
    let name = arg.get_long().unwrap_or_default();
    match arg.get_value_names().and_then(<[_]>::first).filter(|_| arg.get_action().takes_values()) {
        Some(value) if arg.get_id() == CALLER_TAG => format!("--{name} <{value}>..."),
        Some(value) => format!("--{name} <{value}>"),
        None => format!("--{name}"),
    }
}

/// The first example of each command, of a group that of its first.
fn examples() -> Vec<&'static str> {
    let mut groups = Vec::new();
    let mut found = Vec::new();
    for spec in table().iter().map(Entry::spec) {
        if let [group, _, ..] = spec.cli() {
            if groups.contains(group) {
                continue;
            }
            groups.push(*group);
        }
        found.extend(spec.examples.first().copied());
    }
    found.push("brainstem tour");
    found
}

/// Text with headings in the style of the rest of the help.
#[derive(Default)]
struct HelpPage(StyledStr);

impl HelpPage {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.0, "{text}");
    }

    fn heading(&mut self, text: &str) {
        let styles = Styles::styled();
        let style = styles.get_header();
        let _ = writeln!(self.0, "{style}{text}:{style:#}");
    }

    /// A paragraph, moved in.
    fn text(&mut self, indent: usize, text: &str) {
        for line in wrapped(text, WIDTH - indent) {
            self.line(&format!("{}{line}", " ".repeat(indent)));
        }
    }

    /// Writes a name, and its text from a column on.
    fn entry(&mut self, name: &str, column: usize, text: &str) {
        let lines = wrapped(text, WIDTH - column);
        for (n, line) in lines.iter().enumerate() {
            let start = if n == 0 { name } else { "" };
            self.line(&format!("{start:<column$}{line}"));
        }
    }
}

/// The lines of a text, broken at blanks.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("never empty");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            line.truncate(line.trim_end().len());
            lines.push(word.to_owned());
        } else if line.is_empty() {
            line.push_str(word);
        } else {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-6
    fn every_command_is_in_one_group() {
        let root = super::super::command();
        let mut grouped: Vec<&str> = first_words().collect();
        let listed = root.get_subcommands().filter(|command| !command.is_hide_set());
        let mut known: Vec<&str> = listed.map(Command::get_name).collect();
        grouped.sort_unstable();
        known.sort_unstable();
        assert_eq!(grouped, known);
    }

    #[test] // spec: IF-6
    fn the_short_help_is_one_screen_and_the_long_one_says_what_each_command_is_for() {
        let mut root = super::super::command();
        let short = root.render_help().to_string();
        assert!(short.lines().count() <= 24, "{} lines:\n{short}", short.lines().count());
        let long = root.render_long_help().to_string();
        for line in short.lines().chain(long.lines()) {
            let is_example = line.starts_with("  brainstem ");
            assert!(is_example || line.chars().count() <= 100, "{line}");
        }
        for command in root.get_subcommands().filter(|command| !command.is_hide_set()) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let first: Vec<&str> = about.split(' ').take(3).collect();
            assert!(long.contains(&format!("  {:<14}{}", command.get_name(), first.join(" "))), "{long}");
            assert!(short.contains(command.get_name()), "{}", command.get_name());
        }
    }
}
