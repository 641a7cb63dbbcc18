//! The door a call came through, and how a text that names calls is spelled there.
//!
//! What to do next is written once, as a command line: `brainstem bootstrap PATH`, `--tier medulla`. Who came through
//! another door has tools or paths with fields, and is told those. What only the command line has stays as it is, a tool
//! of a set that the connection is not offered among it, and so does everything between quotes: that is somebody's own text. A field between backticks is right on every door but
//! the command line, where it is the option of that name.

use crate::entry::{Answer, no_json};
use crate::screen::Screen;
use crate::verb::{Method, Offered, VerbSpec};
use crate::wire::{Exit, escaped, spelled_out};
use crate::{Entry, table};
use brainstem_base::Fault;
use brainstem_claims::unseen::is_unseen;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The door a call came through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// The command line.
    CommandLine,
    /// MCP, over stdio or HTTP, with the tool sets that the connection is offered.
    Mcp(Offered),
    /// REST.
    Rest,
}

/// The fields of answers that hold a text which may name a call. Everything else is data.
const TELLING: [&str; 9] =
    ["fix", "detail", "suggested", "call", "consequence", "would", "notes", "next_moves", "next"];
/// The fields of answers that are handed on as they are, whatever lies in them.
const CARRIED: [&str; 3] = ["lines", "data", "act"];
/// The longest answer that is taken apart, in bytes.
const RESPELLED_LEN_MAX: usize = 1024 * 1024;
/// What stands before an aside that is for the command line alone.
const ASIDE: &str = " (on the command line: ";
/// Words behind which a field needs no other word before it.
const JOINS: [&str; 13] =
    ["add", "with", "without", "and", "or", "give", "leave", "is", "are", "set", "by", "as", "take"];

impl Via {
    /// The refusal of a verb in the words of the door.
    pub(crate) fn fault(self, fault: Fault, of: &Entry) -> Fault {
        // What is said of the objects of a batch names their fields, on every door.
        let is_batch = fault.field.as_deref().is_some_and(|field| field.starts_with("batch"));
        let spelled = |fix: String| match self {
            Self::CommandLine if is_batch || fix.contains(ASIDE) => fix,
            Self::CommandLine => with_options(&fix, of),
            Self::Mcp(_) | Self::Rest => self.spell(&fix),
        };
        Fault { fix: fault.fix.map(spelled), ..fault }
    }

    /// The answer in the words of the door.
    pub(crate) fn answer(self, answer: Box<dyn Answer>) -> Box<dyn Answer> {
        match self {
            Self::CommandLine => answer,
            Self::Mcp(_) | Self::Rest => Box::new(Spelled { answer, via: self }),
        }
    }

    /// A text as a JSON string of this door: nothing that a reader does not see stands in it.
    pub fn json_string(self, text: &str) -> String {
        let json = Value::from(text).to_string();
        match self {
            Self::Mcp(_) => spelled_out(&json),
            Self::Rest | Self::CommandLine => escaped(&json),
        }
    }

    /// Whether a verb can be called through this door.
    fn offers(self, spec: &VerbSpec) -> bool {
        match self {
            Self::Mcp(offered) => spec.doors.has_tool() && offered.has(spec.toolset),
            Self::CommandLine | Self::Rest => spec.doors.has_tool(),
        }
    }

    /// A text that names calls as the command line spells them, spelled for the door.
    pub fn spell(self, text: &str) -> String {
        if self == Self::CommandLine || !names_calls(text) {
            return text.to_owned();
        }
        let text = without_asides(text);
        let words: Vec<Word<'_>> = text.split_inclusive(' ').map(Word::of).collect();
        let mut spelling = Spelling { via: self, out: String::new(), is_shell: false, has_fields: false };
        let (mut at, mut quote) = (0, None);
        while let Some(word) = words.get(at) {
            let is_quoted = word.is_quoted(&mut quote);
            at += match () {
                () if is_quoted => spelling.keep(word),
                () if word.core == "brainstem" && word.after.trim().is_empty() => {
                    spelling.command(&words[at..])
                }
                () if word.core.starts_with("--") => spelling.flag(&words[at..]),
                () => spelling.keep(word),
            };
        }
        spelling.out
    }
}

/// Whether a text may name a call as the command line spells it.
fn names_calls(text: &str) -> bool {
    text.contains("--") || text.contains("brainstem ")
}

/// A word with what stands around it.
struct Word<'a> {
    before: &'a str,
    core: &'a str,
    after: &'a str,
}

impl<'a> Word<'a> {
    fn of(text: &'a str) -> Self {
        let start = text.find(|c: char| !"(`[".contains(c)).unwrap_or(text.len());
        let (before, rest) = text.split_at(start);
        let core = rest.trim_end_matches(|c: char| " ,.;:)`]…".contains(c));
        Self { before, core, after: &rest[core.len()..] }
    }

    fn whole(&self) -> String {
        [self.before, self.core, self.after].concat()
    }

    /// Whether it stands between quotes, or opens or closes some.
    fn is_quoted(&self, open: &mut Option<char>) -> bool {
        let was_open = open.is_some();
        for quote in self.core.chars().filter(|c| *c == '"') {
            match *open {
                None => *open = Some(quote),
                Some('"') => *open = None,
                Some(_) => {}
            }
        }
        // An apostrophe is no quote: one opens in front of a word alone, and closes behind one.
        let is_single = *open == Some('\'') || open.is_none() && self.core.starts_with('\'');
        if is_single {
            let is_closed = self.core.len() > 1 && self.core.ends_with('\'');
            *open = (!is_closed).then_some('\'');
            return true;
        }
        was_open || open.is_some() || self.core.contains('"')
    }

    /// Whether it looks like a value: a path, somebody's text, or a word that stands for one.
    fn is_value(&self) -> bool {
        let is_name = |c: char| c.is_ascii_uppercase() || c == '_';
        self.core.starts_with(['/', '\'', '"']) || !self.core.is_empty() && self.core.chars().all(is_name)
    }

    fn ends(&self) -> bool {
        self.after.contains([';', '.', ':'])
    }
}

/// A text in the making.
struct Spelling {
    via: Via,
    out: String,
    /// The words belong to a command that only a shell has.
    is_shell: bool,
    /// The words belong to a call of which a field was named.
    has_fields: bool,
}

impl Spelling {
    fn keep(&mut self, word: &Word<'_>) -> usize {
        self.out.push_str(&word.whole());
        if ["git", "up", "down"].contains(&word.core) {
            self.is_shell = true;
        }
        if word.ends() {
            (self.is_shell, self.has_fields) = (false, false);
        }
        1
    }

    /// A command, from the name of the program on; answers how many words that took.
    fn command(&mut self, words: &[Word<'_>]) -> usize {
        let cores: Vec<&str> = words.iter().skip(1).take(2).map(|word| word.core).collect();
        // What stands behind the end of a sentence belongs to another.
        let reach = if words.get(1).is_some_and(|word| !word.after.trim().is_empty()) { 1 } else { 2 };
        let is_it = |entry: &&Entry| {
            let cli = entry.spec().cli;
            cli.len() <= reach && cores.starts_with(cli)
        };
        let found = table().iter().filter(is_it).max_by_key(|entry| entry.spec().cli.len());
        let Some(entry) = found.filter(|entry| self.via.offers(entry.spec())) else {
            if let ["--root", root] = cores[..] {
                self.out.push_str(words[0].before);
                self.out.push_str(&match self.via {
                    Via::Rest => format!("any path with ?brain={root}"),
                    Via::Mcp(_) | Via::CommandLine => format!("session_handshake with expect_root: {root}"),
                });
                self.out.push_str(words[2].after);
                return 3;
            }
            self.keep(&words[0]);
            self.is_shell = true;
            return 1;
        };
        let taken = 1 + entry.spec().cli.len();
        let (mut rest, mut call) = (&words[taken..], self.name_of(entry));
        let mut last = &words[taken - 1];
        // The word behind a command may be a part of its path.
        let hole = call.find('{').zip(call.find('}'));
        if let Some((from, to)) = hole
            && last.after.trim().is_empty()
            && let Some((next, more)) = rest.split_first()
        {
            call.replace_range(from..=to, next.core);
            (last, rest) = (next, more);
        }
        let mut told = String::new();
        for field in positionals(entry).into_iter().skip(usize::from(hole.is_some())) {
            let Some((next, more)) = rest.split_first().filter(|(next, _)| next.is_value()) else { break };
            if !last.after.trim().is_empty() {
                break;
            }
            told.push_str(if told.is_empty() { " with " } else { ", " });
            told.push_str(&format!("{field}: {}", next.core));
            // The rest of a text between quotes follows as it is.
            (last, rest) = (next, more);
            if next.core.starts_with(['\'', '"']) {
                break;
            }
        }
        self.has_fields = !told.is_empty();
        self.is_shell = false;
        self.out.push_str(&[words[0].before, &call, &told, last.after].concat());
        if last.ends() {
            self.has_fields = false;
        }
        words.len() - rest.len()
    }

    /// An option: a field of the call, unless a shell alone knows it. Answers how many words that took.
    fn flag(&mut self, words: &[Word<'_>]) -> usize {
        let Some(word) = words.first() else { return 1 };
        let Some((field, is_switch)) = FLAGS.get(word.core).filter(|_| !self.is_shell) else {
            return match word.core {
                "--root" | "--mail-root" if !self.is_shell => self.place(word, words.get(1)),
                _ => self.keep(word),
            };
        };
        let before = self.out.trim_end();
        let last = before.rsplit(' ').next().unwrap_or_default();
        let is_joined = last.is_empty() || last.ends_with(['(', ',', ':', ';']) || JOINS.contains(&last);
        if !word.before.is_empty() || is_joined {
        } else if self.has_fields {
            self.out.truncate(before.len());
            self.out.push_str(", ");
        } else {
            self.out.push_str("with ");
        }
        let value = if *is_switch { " true" } else { "" };
        self.out.push_str(&[word.before, field, ":", value, word.after].concat());
        self.has_fields = !word.ends();
        1
    }

    /// An option that says where somebody stands, or where mail lies.
    fn place(&mut self, word: &Word<'_>, next: Option<&Word<'_>>) -> usize {
        let value = next.filter(|next| next.is_value() && word.after.trim().is_empty());
        let told = match (self.via, word.core, value) {
            (Via::Rest, "--root", Some(root)) => format!("?brain={}", root.core),
            (Via::Rest, "--root", None) => "?brain= or the header Brainstem-Caller-Root".to_owned(),
            (_, "--root", Some(root)) => format!("session_handshake with expect_root: {}", root.core),
            (_, "--root", None) => "session_handshake".to_owned(),
            (Via::Rest, _, _) => "the header Brainstem-Mail-Root".to_owned(),
            (_, _, _) => {
                "the header Brainstem-Mail-Root, or over stdio `brainstem mcp --mail-root PATH`".to_owned()
            }
        };
        let value = value.filter(|_| word.core == "--root");
        self.out.push_str(&[word.before, &told, value.unwrap_or(word).after].concat());
        1 + usize::from(value.is_some())
    }

    fn name_of(&self, entry: &Entry) -> String {
        let spec = entry.spec();
        match (self.via, spec.rest) {
            (Via::Rest, (method, path)) => format!("{} {path}", method.as_str()),
            (Via::Mcp(_) | Via::CommandLine, (Method::Get | Method::Post | Method::Delete, _)) => {
                spec.id.to_owned()
            }
        }
    }
}

/// A text with the fields that stand in it between backticks, as a command line has them.
fn with_options(text: &str, of: &Entry) -> String {
    let command = of.add_fields(clap::Command::new("verb"));
    let mut text = text.to_owned();
    for arg in command.get_arguments() {
        let option = match arg.get_long() {
            Some(long) => format!("--{long}"),
            None => arg.get_id().as_str().to_uppercase(),
        };
        let names = [arg.get_id().as_str().to_owned(), arg.get_long().unwrap_or_default().replace('-', "_")];
        for name in names.iter().filter(|name| !name.is_empty()) {
            text = text.replace(&format!("`{name}`"), &format!("`{option}`"));
        }
    }
    text
}

/// Drops what is said for the command line alone.
fn without_asides(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(from) = text.find(ASIDE) {
        let Some(len) = text[from..].find(')') else { break };
        text.replace_range(from..=from + len, "");
    }
    text
}

/// The options of the verbs that every door has, with their fields and whether they are switches.
static FLAGS: LazyLock<HashMap<String, (String, bool)>> = LazyLock::new(|| {
    let mut flags = HashMap::new();
    for entry in table().iter().filter(|entry| entry.spec().doors.has_tool()) {
        let fields = entry.input_schema();
        let command = entry.add_fields(clap::Command::new("verb"));
        for arg in command.get_arguments() {
            let Some(long) = arg.get_long() else { continue };
            let known = |name: &str| fields["properties"].get(name).is_some();
            let id = arg.get_id().as_str();
            let field = if known(id) { id.to_owned() } else { long.replace('-', "_") };
            flags.insert(format!("--{long}"), (field, !arg.get_action().takes_values()));
        }
    }
    flags
});

/// The fields that stand on a command line by their place, in order.
fn positionals(entry: &Entry) -> Vec<String> {
    let command = entry.add_fields(clap::Command::new("verb"));
    command.get_positionals().map(|arg| arg.get_id().as_str().to_owned()).collect()
}

/// An answer whose texts name calls as its door spells them.
struct Spelled {
    answer: Box<dyn Answer>,
    via: Via,
}

impl Answer for Spelled {
    fn json(&self) -> Result<Value, Fault> {
        serde_json::from_str(&self.text(usize::MAX)?).map_err(|error| no_json(&error))
    }

    /// Most answers name no call, and a long one is mostly data: neither is taken apart to be spelled.
    fn text(&self, len_max: usize) -> Result<String, Fault> {
        let mut text = self.answer.text(len_max)?;
        if text.len() <= RESPELLED_LEN_MAX && names_calls(&text) {
            let mut value = serde_json::from_str(&text).map_err(|error| no_json(&error))?;
            respell(&mut value, false, self.via);
            text = serde_json::to_string(&value).map_err(|error| no_json(&error))?;
        }
        if !text.contains(is_unseen) {
            return Ok(text);
        }
        // A client of MCP hands its model the strings, in whatever text it writes them; lines that are handed on as
        // data stay what they are.
        Ok(match self.via {
            Via::Mcp(_) if self.answer.lines().is_none() => spelled_out(&text),
            Via::Mcp(_) | Via::Rest | Via::CommandLine => escaped(&text),
        })
    }

    fn present(&self, out: &mut Screen) {
        self.answer.present(out);
    }

    fn exit(&self) -> Exit {
        self.answer.exit()
    }

    fn lines(&self) -> Option<Vec<Value>> {
        self.answer.lines()
    }
}

fn respell(value: &mut Value, is_telling: bool, via: Via) {
    match value {
        Value::String(text) if is_telling => *text = via.spell(text),
        Value::Array(items) => items.iter_mut().for_each(|item| respell(item, is_telling, via)),
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut().filter(|(name, _)| !CARRIED.contains(&name.as_str())) {
                respell(value, TELLING.contains(&name.as_str()), via);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
#[path = "via_tests.rs"]
mod tests;
