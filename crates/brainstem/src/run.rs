//! One command line, from its words to its exit status.

use crate::call::{answer, check_places, context, guarded};
use crate::output::{Output, Printed};
use crate::{background, daemon, feeds, hook, merge_driver, surroundings, toolsets, tour, unparsable};
use brainstem_api::cli::{self, Colour, Globals, RequestedCommand};
use brainstem_api::terminal::{self, Terminal};
use brainstem_api::wire::Exit;
use brainstem_api::{Context, Door, Effect, Entry, Object, Patience};
use brainstem_base::next::{TypedOption, VerbId};
use brainstem_base::{Fault, codes};
use brainstem_hosts::payload::HookEvent;
use brainstem_server::McpDoor;
use clap::ArgMatches;
use clap::error::ErrorKind;
use clap_complete::Shell;
use serde_json::json;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::sync::Arc;

/// Runs a command line.
pub(crate) fn run(args: impl Iterator<Item = OsString>) -> Exit {
    let args: Vec<OsString> = args.collect();
    // A host takes a status other than 0 for a veto, so a hook's line that cannot be parsed has status 0.
    let is_hook = is_hook(&args);
    match run_line(args) {
        Exit::Done => Exit::Done,
        _ if is_hook => Exit::Done,
        exit => exit,
    }
}

/// Whether a line calls a hook, also behind options that this program may not know.
fn is_hook(args: &[OsString]) -> bool {
    let names_event = |word: &OsString| HookEvent::ALL.iter().any(|event| *word == event.as_str());
    args.get(1).is_some_and(|word| word == "hook")
        || args.windows(2).any(|pair| pair[0] == "hook" && names_event(&pair[1]))
}

fn run_line(args: Vec<OsString>) -> Exit {
    // The format of a refusal must be known before the line is parsed.
    let early = Output { json: early_json(&args), colour: early_colour(&args), typed: &[] };
    let words = match unparsable::words(args.into_iter()) {
        Ok(words) => cli::with_first_look(cli::with_help_word(words)),
        Err(fault) => return early.refuse(&fault, Exit::Unparsable),
    };
    let matches = match cli::command().try_get_matches_from(&words) {
        Ok(matches) => matches,
        Err(error) => {
            let typed: &'static [TypedOption] = Vec::leak(unparsable::typed(&words));
            return answer_clap(Output { typed, ..early }, &error);
        }
    };
    let globals = cli::globals(&matches);
    let colour = match globals.color.as_deref().map_or(Ok(Colour::Auto), Colour::parse) {
        Ok(colour) => colour,
        Err(fault) => return early.refuse(&fault, Exit::Refused),
    };
    // They live as long as the process, which runs one command line.
    let typed: &'static [TypedOption] = Vec::leak(globals.typed());
    let output = Output { json: globals.json, colour, typed };
    match dispatch(output, &globals, &matches) {
        Ok(exit) => exit,
        Err(fault) => output.refuse(&fault, Exit::Refused),
    }
}

fn dispatch(output: Output, globals: &Globals, matches: &ArgMatches) -> Result<Exit, Fault> {
    match cli::requested(matches)? {
        RequestedCommand::Completions(shell) => completions(output, &shell),
        RequestedCommand::MergeDriver(files) => Ok(merge_driver::run(output, &files)),
        RequestedCommand::Hook(words) => Ok(hook::run(output, globals, &words)),
        RequestedCommand::Tour { fast } => tour::run(output, fast),
        RequestedCommand::Daemon(asked) => daemon::run(output, globals, asked),
        RequestedCommand::Mcp(toolsets) => {
            let Context { memory, declared, roots, program, .. } = context(globals)?;
            // Checked before the protocol begins: a server over a place that does not exist would answer "there is nothing".
            check_places(globals, Effect::Read, &memory, &roots)?;
            let toolsets = toolsets::chosen(output, &toolsets, &memory, &roots)?;
            if io::stdin().is_terminal() {
                let _ = writeln!(io::stderr(), "waiting for an MCP client on standard input; Ctrl-D ends it");
            }
            // From here on standard output belongs to the protocol.
            let settle = surroundings::background().then(|| {
                let globals = globals.clone();
                Arc::new(move || background::settle(&globals)) as brainstem_server::Settle
            });
            match brainstem_server::serve_stdio(McpDoor {
                memory,
                declared,
                roots,
                program,
                repeated: surroundings::home_option(globals),
                toolsets,
                settle,
            }) {
                Ok(()) => Ok(Exit::Done),
                Err(fault) => {
                    output.complain(&fault);
                    Ok(Exit::Refused)
                }
            }
        }
        RequestedCommand::Verb(entry, fields) => {
            if let Some(told) = cli::renaming(matches) {
                let _ = writeln!(io::stderr(), "note: {told}");
            }
            if let Some(fault) = cli::misplaced_tag(entry, matches) {
                return Err(fault);
            }
            if fields.try_get_one::<bool>("gentle").ok().flatten() == Some(&true) {
                // Other programs on this machine come first.
                let _ = rustix::process::nice(10);
            }
            let arguments = arguments(entry, fields)?;
            let cx = Context { door: Door::command_line(output.typed), ..context(globals)? };
            // A diagnosis may sweep, but makes no home.
            let effect = if entry.spec().verb == VerbId::Doctor { Effect::Read } else { entry.spec().effect };
            check_places(globals, effect, &cx.memory, &cx.roots)?;
            if matches!(entry.spec().verb, VerbId::Seek | VerbId::North) && !Entry::is_batch(&arguments) {
                cx.memory.for_one_question();
            }
            let opened = guarded(entry, || entry.open(&arguments, &cx)).inspect_err(|_| entry.count(&cx))?;
            let answered = match opened {
                None => answer(entry, arguments, &cx),
                Some(feed) => match feed.begin.patience {
                    Patience::Follow => return feeds::follow(output, entry, &feed, &cx),
                    Patience::AtMost(wait) => guarded(entry, || feeds::answer(&feed, &cx, wait)),
                },
            };
            let answer = answered.inspect_err(|_| entry.count(&cx))?;
            let printed = if let Some(lines) = answer.lines() {
                let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
                output.print(&lines)
            } else if output.json {
                output.print_document(&answer.json()?)
            } else {
                let mut page = output.page();
                answer.present(&mut page);
                output.print(page.as_str())
            };
            let noted = if printed == Printed::Whole { answer.after_shown(&cx) } else { Ok(()) };
            entry.count(&cx);
            if entry.spec().effect != Effect::Read {
                brainstem_server::poke::poke(&cx.memory);
            }
            background::after(&cx.memory, globals);
            match (printed, noted) {
                (Printed::Failed, _) => Ok(Exit::Refused),
                (Printed::Whole | Printed::CutOff, Ok(())) => Ok(answer.exit()),
                // The answer is printed, so the refusal goes to standard error, whatever format was asked for.
                (Printed::Whole | Printed::CutOff, Err(fault)) => {
                    output.complain(&cx.memory.floor().masked(&fault));
                    Ok(Exit::Refused)
                }
            }
        }
    }
}

fn arguments(entry: &'static Entry, fields: &ArgMatches) -> Result<Object, Fault> {
    let mut stdin = io::stdin().lock();
    terminal::arguments(entry, fields, &mut Terminal { stdin: &mut stdin, open: &open_named })
}

#[allow(clippy::disallowed_methods, reason = "a file that the person named, of no store")]
fn open_named(path: &Path) -> io::Result<Box<dyn Read>> {
    let kind = std::fs::metadata(path)?.file_type();
    // A pipe or a device may never end, or wait for ever for a writer.
    if !kind.is_file() {
        let what = if kind.is_dir() { "a folder" } else { "a pipe, a socket or a device" };
        return Err(io::Error::other(format!("it is {what}, and only plain files are read")));
    }
    Ok(Box::new(File::open(path)?))
}

fn completions(output: Output, shell: &str) -> Result<Exit, Fault> {
    let generator = match shell {
        "bash" => Shell::Bash,
        "zsh" => Shell::Zsh,
        "fish" => Shell::Fish,
        _ => {
            return Err(Fault::new(
                codes::INPUT_BAD_VALUE,
                format!("no completions are known for {shell:?}"),
            )
            .fix(format!("use one of: {}", cli::SHELLS.join(", ")))
            .field("shell")
            .rule("IF-6"));
        }
    };
    let mut script = Vec::new();
    clap_complete::generate(generator, &mut cli::for_completions(cli::command()), "brainstem", &mut script);
    let script = String::from_utf8_lossy(&script);
    Ok(if output.json {
        output.document(&json!({ "shell": shell, "script": script }))
    } else {
        output.text(&script)
    })
}

/// Help and version are answers; every other message of clap is a refusal.
fn answer_clap(output: Output, error: &clap::Error) -> Exit {
    match error.kind() {
        ErrorKind::DisplayHelp if output.json => {
            output.document(&json!({ "help": error.render().to_string() }))
        }
        ErrorKind::DisplayVersion if output.json => output.document(&cli::versions()),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let text = error.render();
            if output.coloured(&io::stdout()) {
                output.text(&text.ansi().to_string())
            } else {
                output.text(&text.to_string())
            }
        }
        _ => output.refuse(&unparsable::fault(error), Exit::Unparsable),
    }
}

fn early_json(args: &[OsString]) -> bool {
    args.iter().skip(1).take_while(|word| *word != "--").any(|word| word == "--json")
}

fn early_colour(args: &[OsString]) -> Colour {
    let mut words = args.iter().skip(1).take_while(|word| *word != "--").filter_map(|word| word.to_str());
    while let Some(word) = words.next() {
        let value = if word == "--color" { words.next() } else { word.strip_prefix("--color=") };
        if let Some(Ok(colour)) = value.map(Colour::parse) {
            return colour;
        }
    }
    Colour::Auto
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-16
    fn a_hook_is_known_behind_an_option_that_this_program_does_not_know() {
        let is = |line: &str| is_hook(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(is("brainstem hook stop") && is("brainstem hook") && is("brainstem --bogus hook stop"));
        assert!(is("brainstem --home /x --bogus 1 hook session-start"));
        assert!(!is("brainstem seek hook") && !is("brainstem --bogus"));
    }
}
