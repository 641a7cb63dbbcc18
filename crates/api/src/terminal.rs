//! A verb on the command line: its clap command, and its fields as a JSON object.
//!
//! clap only splits words here. Values stay texts and go through the same checks as on every other door, so a bad
//! value is refused with our code and exit status 1 (IF-4). What exists on the command line alone, [`LongText`], is
//! resolved here too: a verb does not know whether its text came from a file.

use crate::limits::{LINES_LEN_MAX, LONG_TEXT_LEN_MAX};
use crate::schema::Object;
use crate::{Entry, LongText};
use brainstem_base::{Fault, codes};
use clap::builder::StringValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::Value;
use std::io::{self, Read};
use std::path::Path;

/// What the command line reads long texts from.
pub struct Terminal<'a> {
    /// Standard input.
    pub stdin: &'a mut dyn Read,
    /// Opens a file that was named on the command line.
    pub open: &'a dyn Fn(&Path) -> io::Result<Box<dyn Read>>,
}

/// The word for standard input, and the id of the argument that takes it.
const STDIN: &str = "-";

/// The command of one verb, named by the last of its words.
pub fn command(entry: &Entry) -> Command {
    let spec = entry.spec();
    let mut command = entry.add_fields(Command::new(spec.cli().last().copied().unwrap_or("brainstem")));
    for text in spec.long_text {
        command = add_long_text(command, text);
    }
    command = command.mut_args(as_text);
    if !spec.examples.is_empty() {
        command = command.after_help(format!("Examples:\n  {}", spec.examples.join("\n  ")));
    }
    command
}

/// The fields given on the command line, as every other door would send them.
pub fn arguments(entry: &Entry, matches: &ArgMatches, terminal: &mut Terminal<'_>) -> Result<Object, Fault> {
    let long_texts = entry.spec().long_text;
    let command = entry.add_fields(Command::new(""));
    let mut fields = Object::new();
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        let texts = || matches.get_many::<String>(id).into_iter().flatten().cloned();
        let value = match arg.get_action() {
            ArgAction::SetTrue => Value::Bool(true),
            ArgAction::SetFalse => Value::Bool(false),
            ArgAction::Append => texts().map(Value::String).collect(),
            // A question may come without quotes: its words are one text.
            _ if takes_many(arg) => Value::String(texts().collect::<Vec<_>>().join(" ")),
            _ => texts().next().map_or(Value::Null, Value::String),
        };
        fields.insert(id.to_owned(), value);
    }
    let (lines, long_texts): (Vec<&LongText>, Vec<&LongText>) =
        long_texts.iter().partition(|text| text.file == text.field);
    for text in lines {
        if let Some(path) = fields.get(text.field).and_then(Value::as_str).map(str::to_owned) {
            let bytes = if path == STDIN {
                read_bytes(text, "standard input", terminal.stdin, LINES_LEN_MAX)?
            } else {
                let file = (terminal.open)(Path::new(&path));
                let mut file = file.map_err(|error| unreadable(text, &path, &error))?;
                read_bytes(text, &path, &mut *file, LINES_LEN_MAX)?
            };
            if is_text(entry, text.field) {
                let whole = String::from_utf8(bytes).map_err(|_| not_utf8(text, &path))?;
                fields.insert(text.field.to_owned(), Value::String(whole));
                continue;
            }
            // A line that is not UTF-8 is null here, and refused together with the other lines.
            let line = |line: &[u8]| std::str::from_utf8(line).map_or(Value::Null, Value::from);
            fields.insert(text.field.to_owned(), bytes.split(|b| *b == b'\n').map(line).collect());
        }
    }
    for text in long_texts {
        let given = |id| matches.try_get_one::<String>(id).ok().flatten();
        let read = if let Some(path) = given(text.file).filter(|path| *path != STDIN) {
            let mut file =
                (terminal.open)(Path::new(path)).map_err(|error| unreadable(text, path, &error))?;
            Some(read_text(text, path, &mut *file)?)
        } else if [text.field, text.file, STDIN].into_iter().any(|id| given(id).is_some_and(|v| v == STDIN)) {
            Some(read_text(text, "standard input", terminal.stdin)?)
        } else {
            given(STDIN).cloned()
        };
        if let Some(read) = read {
            fields.insert(text.field.to_owned(), Value::String(read));
        }
    }
    Ok(fields)
}

fn takes_many(arg: &Arg) -> bool {
    arg.is_positional() && arg.get_num_args().is_some_and(|count| count.max_values() > 1)
}

/// Keeps every value a text, and lets a number be negative.
fn as_text(arg: Arg) -> Arg {
    if !arg.get_action().takes_values() || arg.get_id() == STDIN {
        return arg;
    }
    let hint = arg.get_value_hint();
    arg.value_parser(StringValueParser::new()).value_hint(hint).allow_negative_numbers(true)
}

fn add_long_text(command: Command, text: &LongText) -> Command {
    let &LongText { field, file } = text;
    if field == file {
        return command.mut_arg(field, |arg| {
            arg.value_name("FILE").value_hint(clap::ValueHint::FilePath).allow_hyphen_values(true)
        });
    }
    let optional =
        command.get_arguments().find(|arg| arg.get_id() == field).is_some_and(|arg| !arg.is_positional());
    let from_file = Arg::new(file)
        .long(file)
        .value_name("FILE")
        .value_hint(clap::ValueHint::FilePath)
        .help(format!("Take the {field} from a file; - is standard input"))
        .conflicts_with(field);
    let command = command.mut_arg(field, |arg| {
        let others: &[&'static str] = if optional { &[file, STDIN] } else { &[file] };
        let arg = match arg.is_required_set() {
            true => arg.required(false).required_unless_present_any(others.iter().copied()),
            false => arg,
        };
        // A text often starts with a list; a positional cannot allow that without eating the options.
        if optional { arg.allow_hyphen_values(true) } else { arg }
    });
    if !optional {
        return command.arg(from_file);
    }
    let dash = Arg::new(STDIN)
        .value_name(STDIN)
        .help(format!("The {field} as one quoted text, or - to take it from standard input"))
        .value_parser(move |word: &str| match word {
            STDIN => Ok(word.to_owned()),
            // One word may be a part of a label that was not quoted; words with blanks between them were quoted as one text.
            _ if word.trim().contains(char::is_whitespace) => Ok(word.to_owned()),
            _ => Err(format!(
                "it is a word too many: a value with blanks is quoted, and an option with several values is \
                 repeated; the {field} is given with --{field}, --{file} FILE, or - for standard input"
            )),
        })
        .conflicts_with_all([field, file]);
    command.arg(from_file).arg(dash)
}

fn read_bytes(text: &LongText, from: &str, source: &mut dyn Read, len_max: usize) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    let limit = len_max as u64 + 1;
    source.take(limit).read_to_end(&mut bytes).map_err(|error| unreadable(text, from, &error))?;
    if bytes.len() > len_max {
        return Err(Fault::new(
            codes::INPUT_TOO_LARGE,
            format!("{from} holds more than {} MiB", len_max >> 20),
        )
        .fix("give a shorter text, and name the file as evidence")
        .field(text.field));
    }
    Ok(bytes)
}

fn read_text(text: &LongText, from: &str, source: &mut dyn Read) -> Result<String, Fault> {
    let bytes = read_bytes(text, from, source, LONG_TEXT_LEN_MAX)?;
    String::from_utf8(bytes).map_err(|_| not_utf8(text, from))
}

fn not_utf8(text: &LongText, from: &str) -> Fault {
    Fault::new(codes::INPUT_NOT_UTF8, format!("{from} is not valid UTF-8"))
        .fix("convert it to UTF-8 first")
        .field(text.field)
}

/// Whether a field that names a file is the whole of its text, and not its lines.
fn is_text(entry: &Entry, field: &str) -> bool {
    entry.input_schema()["properties"][field]["type"] == "string"
}

fn unreadable(text: &LongText, from: &str, error: &io::Error) -> Fault {
    Fault::new(codes::INPUT_UNREADABLE, format!("cannot read {from}: {error}"))
        .fix(format!(
            "name a plain file with --{}, or pipe the text into standard input and give -",
            text.file
        ))
        .field(text.field)
}

#[cfg(test)]
#[path = "terminal_tests.rs"]
mod tests;
