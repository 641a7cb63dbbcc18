//! One command line, from its words to its exit status.

use crate::output::Output;
use crate::{background, daemon, editor, progress, surroundings, toolsets, tour, unparsable, watch, wiring};
use brainstem_api::cli::{self, Asked, Colour, Globals};
use brainstem_api::live::Live;
use brainstem_api::terminal::{self, Terminal};
use brainstem_api::wire::Exit;
use brainstem_api::{Answer, Context, Door, Effect, Entry, Form, FoundPlace, Object, Offers};
use brainstem_base::next::VerbId;
use brainstem_base::{Fault, codes};
use brainstem_memory::{HomeState, Memory, RootHints};
use brainstem_server::{DaemonClient, McpDoor};
use clap::ArgMatches;
use clap::error::ErrorKind;
use clap_complete::Shell;
use serde_json::json;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// Does what the command line asks for.
pub(crate) fn run(args: impl Iterator<Item = OsString>) -> Exit {
    let args: Vec<OsString> = args.collect();
    // A host takes a status other than 0 for a veto, so a line of a hook that cannot be read has none.
    let is_hook = args.get(1).is_some_and(|word| word == "hook");
    match run_line(args) {
        Exit::Done => Exit::Done,
        _ if is_hook => Exit::Done,
        exit => exit,
    }
}

fn run_line(args: Vec<OsString>) -> Exit {
    // How to tell a refusal must be known before the line is parsed.
    let early = Output { json: early_json(&args), colour: early_colour(&args) };
    let words = match unparsable::words(args.into_iter()) {
        Ok(words) => cli::with_help_word(words),
        Err(fault) => return early.refuse(&fault, Exit::Unparsable),
    };
    let matches = match cli::command().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) => return answer_clap(early, &error),
    };
    let globals = cli::globals(&matches);
    let colour = match globals.color.as_deref().map_or(Ok(Colour::Auto), Colour::parse) {
        Ok(colour) => colour,
        Err(fault) => return early.refuse(&fault, Exit::Refused),
    };
    let output = Output { json: globals.json, colour };
    match dispatch(output, &globals, &matches) {
        Ok(exit) => exit,
        Err(fault) => output.refuse(&fault, Exit::Refused),
    }
}

fn dispatch(output: Output, globals: &Globals, matches: &ArgMatches) -> Result<Exit, Fault> {
    match cli::asked(matches)? {
        Asked::Completions(shell) => completions(output, &shell),
        Asked::MergeDriver(files) => Ok(crate::merge_driver::run(output, &files)),
        Asked::Hook(words) => Ok(crate::hook::run(output, globals, &words)),
        Asked::Tour { fast } => tour::run(output, fast),
        Asked::Daemon(asked) => daemon::run(output, globals, asked),
        Asked::Mcp(toolsets) => {
            let Context { memory, declared, roots, program, .. } = context(globals)?;
            // Before the protocol begins: a server over a place that does not exist would answer "there is nothing".
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
        Asked::Verb(entry, fields) => {
            if let Some(told) = cli::renaming(matches) {
                let _ = writeln!(io::stderr(), "note: {told}");
            }
            if fields.try_get_one::<bool>("gentle").ok().flatten() == Some(&true) {
                // Whoever works at this machine comes first.
                let _ = rustix::process::nice(10);
            }
            let arguments = arguments(entry, fields)?;
            let cx = context(globals)?;
            // A diagnosis may sweep, and makes no home.
            let effect = if entry.spec().verb == VerbId::Doctor { Effect::Read } else { entry.spec().effect };
            check_places(globals, effect, &cx.memory, &cx.roots)?;
            if matches!(entry.spec().verb, VerbId::Seek | VerbId::North) && !arguments.contains_key("batch") {
                cx.memory.for_one_question();
            }
            if entry.spec().verb == VerbId::LiveWatch {
                return watch::run(output, entry, arguments, &cx);
            }
            let answer = answer(entry, arguments, &cx).inspect_err(|_| entry.count(&cx))?;
            let printed = if let Some(lines) = answer.lines() {
                let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
                output.text(&lines)
            } else if output.json {
                output.document(&answer.json()?)
            } else {
                let mut page = output.page();
                answer.present(&mut page);
                output.text(page.as_str())
            };
            entry.count(&cx);
            if entry.spec().effect != Effect::Read {
                brainstem_server::poke::poke(&cx.memory);
            }
            background::after(&cx.memory, globals);
            Ok(if printed == Exit::Done { answer.exit() } else { printed })
        }
    }
}

/// Refuses a home or a root that was named and does not exist: nothing found there would read as "there is nothing". A
/// call that writes may make a home.
pub(crate) fn check_places(
    globals: &Globals,
    effect: Effect,
    memory: &Memory,
    roots: &RootHints,
) -> Result<(), Fault> {
    check_home(globals, effect, memory)?;
    memory.check_named(roots).map_err(|error| {
        let fault = Fault::from(error);
        match globals.root {
            Some(_) => fault,
            None => fault.fix("set BRAINSTEM_WORKSPACE_ROOT to a folder that exists, or unset it"),
        }
    })
}

/// Refuses a home that was named and is not a folder, or does not exist for a call that only reads.
pub(crate) fn check_home(globals: &Globals, effect: Effect, memory: &Memory) -> Result<(), Fault> {
    let Some(named_by) = surroundings::home_named_by(globals) else { return Ok(()) };
    let (what, fix) = match (memory.home_state(), effect) {
        (HomeState::Folder, _) | (HomeState::Missing, Effect::Write | Effect::Destructive) => return Ok(()),
        (HomeState::Missing, Effect::Read) => (
            "does not exist yet",
            "give a home that exists; brainstem bootstrap in a project makes a new one",
        ),
        (HomeState::NotAFolder, _) => {
            ("is not a folder", "give the folder of a home with --home or BRAINSTEM_HOME")
        }
    };
    let home = surroundings::home(globals)?;
    let message = format!("the home `{}`, which {named_by} gives, {what}", home.display());
    Err(Fault::new(codes::HOME_UNUSABLE, message).fix(fix).field("home").rule("IF-3"))
}

fn arguments(entry: &'static Entry, fields: &ArgMatches) -> Result<Object, Fault> {
    let mut stdin = io::stdin().lock();
    terminal::arguments(entry, fields, &mut Terminal { stdin: &mut stdin, open: &open_named })
}

/// Runs a verb; a check that fails inside is a refusal like any other.
pub(crate) fn answer(
    entry: &'static Entry,
    arguments: Object,
    cx: &Context,
) -> Result<Box<dyn Answer>, Fault> {
    catch_unwind(AssertUnwindSafe(|| entry.call(arguments, cx))).unwrap_or_else(|_| {
        Err(Fault::new(
            codes::INTERNAL_BUG,
            format!("the command `{}` failed a check inside", entry.spec().id()),
        )
        .fix("try again; if it repeats, report the lines above"))
    })
}

#[allow(clippy::disallowed_methods, reason = "a file that the person named, of no store")]
fn open_named(path: &Path) -> io::Result<Box<dyn Read>> {
    let kind = std::fs::metadata(path)?.file_type();
    // A pipe or a device may never end, or wait for ever for somebody who writes.
    if !kind.is_file() {
        let what = if kind.is_dir() { "a folder" } else { "a pipe, a socket or a device" };
        return Err(io::Error::other(format!("it is {what}, and only plain files are read")));
    }
    Ok(Box::new(File::open(path)?))
}

pub(crate) fn context(globals: &Globals) -> Result<Context, Fault> {
    let memory = wiring::memory(surroundings::home(globals)?, surroundings::user_home());
    Ok(Context {
        memory: memory.clone(),
        declared: surroundings::declared(globals),
        roots: surroundings::roots(globals),
        program: surroundings::program(),
        door: Door::CommandLine,
        session: None,
        offers: Offers {
            editor: Some(Arc::new(editor::UserEditor::new(globals.json))),
            progress: progress::on_terminal(),
            live: Some(Live::There(Arc::new(DaemonClient::new(memory.clone())))),
            form: if globals.json { Form::Json } else { Form::Text },
            ..Offers::default()
        },
        found: FoundPlace::default(),
    })
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

/// Help and version are answers; everything else that clap has to say is a refusal.
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
