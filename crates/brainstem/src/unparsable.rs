//! Command lines that cannot be parsed, told like every other refusal.

use brainstem_api::{cli, meant};
use brainstem_base::{Fault, codes};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;

/// How a value is written that begins like an option. What clap says holds for a value without an option alone, and cuts the value.
const LEADING_HYPHEN: &str =
    "a value that begins with - is written --option='- VALUE', and one without an option stands behind --";

/// The words as text, or which of them is none.
pub(crate) fn words(args: impl Iterator<Item = OsString>) -> Result<Vec<String>, Fault> {
    args.enumerate()
        .map(|(n, word)| {
            word.into_string().map_err(|word| {
                let shown = word.to_string_lossy().into_owned();
                Fault::new(
                    codes::INPUT_NOT_UTF8,
                    format!("word {n} of the command line is not UTF-8: {shown:?}"),
                )
                .fix("write it in UTF-8; a text in another encoding can come from a file once converted")
            })
        })
        .collect()
}

/// What clap says, as a message and a fix.
pub(crate) fn fault(error: &clap::Error) -> Fault {
    let rendered = error.render().to_string();
    if let Some(fault) = unknown_command(error, &rendered) {
        return fault;
    }
    let mut message = Vec::new();
    let mut hints: Vec<String> = option_meant(error, &rendered).into_iter().map(str::to_owned).collect();
    let mut paragraphs = 0;
    for line in rendered.lines().map(str::trim) {
        if line.starts_with("tip: to pass") {
            hints.push(LEADING_HYPHEN.to_owned());
        } else if let Some(tip) = line.strip_prefix("tip:") {
            hints.push(tip.trim().to_owned());
        } else if let Some(usage) = line.strip_prefix("Usage:") {
            hints.push(format!("usage: {}", usage.trim()));
        } else if line.is_empty() {
            paragraphs += 1;
        } else if paragraphs == 0 {
            message.push(line.strip_prefix("error: ").unwrap_or(line));
        }
    }
    hints.push("more with --help".to_owned());
    Fault::new(codes::INPUT_UNPARSABLE, message.join(" ")).fix(hints.join("; ")).rule("IF-4")
}

/// The refusal of a command that does not exist, with the commands that do what its name says.
///
/// What clap suggests goes by spelling alone, and answers `start` with `retract`.
fn unknown_command(error: &clap::Error, rendered: &str) -> Option<Fault> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let usage = rendered.lines().find_map(|line| line.trim().strip_prefix("Usage: brainstem"));
    let words = usage.unwrap_or_default().split_whitespace();
    let group: Vec<&str> = words.take_while(|word| !word.starts_with(['[', '<', '-'])).collect();
    let group = group.join(" ");
    let whole = format!("brainstem {group}").trim_end().to_owned();
    let shown: String = word.chars().take(80).collect();
    let meant: Vec<String> = meant::commands(&group, word)
        .iter()
        .map(|command| match cli::about(command) {
            Some(about) => format!("`brainstem {command}` ({about})"),
            None => format!("`brainstem {command}`"),
        })
        .collect();
    let list = format!("{whole} --help lists the commands");
    Some(
        Fault::new(codes::INPUT_UNPARSABLE, format!("`{whole}` has no command {shown:?}"))
            .fix(if meant.is_empty() { list } else { format!("did you mean {}? {list}", meant.join(" or ")) })
            .rule("IF-4"),
    )
}

/// What people try that is written otherwise here.
fn option_meant(error: &clap::Error, rendered: &str) -> Option<&'static str> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return None };
    let is_of = |commands: &[&str]| {
        commands.iter().any(|command| rendered.contains(&format!("Usage: brainstem {command} ")))
    };
    match word.trim_start_matches('-') {
        "medulla" if is_of(&["letter box", "mailbox", "letter list"]) => {
            Some("the medulla's box is asked for with --brain medulla")
        }
        "port" | "p" | "host" | "address" | "listen" if is_of(&["up", "service install"]) => {
            Some("--bind ADDRESS:PORT says where it listens, for example --bind 127.0.0.1:8000")
        }
        _ => None,
    }
}
