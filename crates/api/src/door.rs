//! The door a call came through, and how it renders an advice: what to do next is a value, and each door renders it as
//! a call of its own.
//!
//! The command line has commands, MCP has tools with arguments, REST has methods and paths with fields. A verb that a
//! door does not offer is named as its command, and the text says that it is a command for a shell.

use crate::caller_words::CallerWords;
use crate::spec::{Method, Offered, Toolset, VerbSpec};
use crate::verb_directory::VerbDirectory;
use crate::wire::{escaped, percent_encoded, spelled_out};
use brainstem_base::Advice;
use brainstem_base::next::{
    AdvicePart, CallValue, Field, NextCall, OP, Placeholder, ToolName, TypedOption, VerbId, calls,
};
use serde_json::{Map, Value as Json, json};

/// The door a call came through: which it is, and the verbs that it can name.
#[derive(Clone, Copy, Debug)]
pub struct Door {
    way: DoorKind,
    verbs: &'static dyn VerbDirectory,
    /// The options that a command for a shell repeats on a door that is no command line.
    repeated: &'static [TypedOption],
}

/// The ways in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoorKind {
    /// The command line, with the global options that it was typed with: every command that it advises repeats them.
    CommandLine(&'static [TypedOption]),
    /// MCP, over stdio or HTTP, with the tool sets that the connection is offered.
    Mcp(Offered),
    /// REST.
    Rest,
}

impl PartialEq for Door {
    fn eq(&self, other: &Self) -> bool {
        self.way == other.way
    }
}

impl Eq for Door {}

/// How a door of another process is named to the daemon that answers for it.
pub(crate) const COMMAND_LINE: &str = "command-line";
pub(crate) const MCP: &str = "mcp:";

/// The header that names a mail root over HTTP.
const MAIL_ROOT_HEADER: &str = "Brainstem-Mail-Root";
/// What follows an advice that names a command to a caller without a shell.
const IS_A_COMMAND: &str = " (brainstem … is a command for a shell)";

impl Door {
    /// A door to these verbs.
    pub(crate) const fn new(way: DoorKind, verbs: &'static dyn VerbDirectory) -> Self {
        Self { way, verbs, repeated: &[] }
    }

    /// The same door, for a server that was started with these options: every command for a shell that it advises repeats
    /// them.
    #[must_use]
    pub const fn repeating(self, repeated: &'static [TypedOption]) -> Self {
        Self { repeated, ..self }
    }

    /// Which door it is.
    pub fn way(self) -> DoorKind {
        self.way
    }

    /// The verbs that it can name.
    pub(crate) fn verbs(self) -> &'static dyn VerbDirectory {
        self.verbs
    }

    /// The command line over the same verbs, typed without global options.
    pub(crate) fn on_command_line(self) -> Self {
        Self { way: DoorKind::CommandLine(&[]), ..self }
    }

    /// How this process names its door to a daemon that answers in its place; none for the daemon's own.
    pub fn named(self) -> Option<String> {
        match self.way {
            DoorKind::CommandLine(_) => Some(COMMAND_LINE.to_owned()),
            DoorKind::Mcp(offered) => {
                let sets = Toolset::ALL.iter().filter(|set| offered.has(**set)).map(|set| set.as_str());
                Some(format!("{MCP}{}", sets.collect::<Vec<_>>().join(",")))
            }
            DoorKind::Rest => None,
        }
    }

    /// An advice in the words of this door.
    pub fn render(self, advice: &Advice) -> String {
        self.render_after(advice, &CallerWords::default())
    }

    /// As [`Self::render`], after a call that said this of its caller and its place: each call says the same, unless the
    /// advice itself says otherwise. The command line repeats the options that it was typed with.
    pub(crate) fn render_after(self, advice: &Advice, said: &CallerWords) -> String {
        if let DoorKind::CommandLine(typed) = self.way {
            return advice.line_with(typed);
        }
        let nothing = CallerWords::default();
        let said = if said.is_tellable() { said } else { &nothing };
        let mut text: String = advice.parts().iter().map(|part| self.part(part, said)).collect();
        if advice.parts().iter().any(|part| self.is_command(part)) {
            text.push_str(IS_A_COMMAND);
        }
        text
    }

    /// Each advice in the words of this door.
    pub fn render_all<'a>(self, advices: impl IntoIterator<Item = &'a Advice>) -> Vec<String> {
        advices.into_iter().map(|advice| self.render(advice)).collect()
    }

    /// A call in the words of this door.
    pub fn call(self, call: &NextCall) -> String {
        self.render(&call.clone().into())
    }

    /// Returns the calls of an advice that can be made through this door without a change, as documents. None for the
    /// command line, which has them in its text.
    pub fn next(self, advice: &Advice) -> Vec<Json> {
        self.next_after(advice, &CallerWords::default())
    }

    /// As [`Self::next`], after a call that said this of its caller and its place: each call says the same, unless the
    /// advice itself says otherwise.
    pub(crate) fn next_after(self, advice: &Advice, said: &CallerWords) -> Vec<Json> {
        // A document has no place for a header.
        let is_whole = |call: &&NextCall| call.is_whole() && call.mail_root().is_none();
        let calls = advice.calls().filter(is_whole).filter(|call| self.offers(call));
        calls.filter_map(|call| self.document(call, said)).collect()
    }

    /// A text as a JSON string of this door: no character in it is hidden from a reader.
    pub fn json_string(self, text: &str) -> String {
        let json = Json::from(text).to_string();
        match self.way {
            DoorKind::Mcp(_) => spelled_out(&json),
            DoorKind::Rest | DoorKind::CommandLine(_) => escaped(&json),
        }
    }

    fn part(self, part: &AdvicePart, said: &CallerWords) -> String {
        match part {
            AdvicePart::Text(text) => text.clone(),
            AdvicePart::Call(call) if self.offers(call) => self.offered(call, said),
            AdvicePart::Call(call) => call.line_with(self.repeated),
            AdvicePart::Verb(verb) if self.has(*verb) => self.name(self.verbs.spec(*verb)),
            AdvicePart::Verb(_) | AdvicePart::Shell(_) => Advice::of(part.clone()).line_with(self.repeated),
            AdvicePart::Field(field) => field_text(field),
            AdvicePart::Root(root) => self.root(root.as_deref()),
            AdvicePart::AnyCallAt(root) => match self.way {
                DoorKind::Rest => format!("any path with {}", in_query("brain", root)),
                DoorKind::Mcp(_) | DoorKind::CommandLine(_) => self.root(Some(root)),
            },
            AdvicePart::MailRoot => match self.way {
                DoorKind::Rest => format!("the header {MAIL_ROOT_HEADER}"),
                DoorKind::Mcp(_) | DoorKind::CommandLine(_) => {
                    let command = calls::mcp_mail_root();
                    format!(
                        "the header {MAIL_ROOT_HEADER}, or over stdio `{}`",
                        command.line_with(self.repeated)
                    )
                }
            },
            AdvicePart::OnCommandLine(_) => String::new(),
        }
    }

    /// Whether this door renders the part as a command of this program.
    fn is_command(self, part: &AdvicePart) -> bool {
        match part {
            AdvicePart::Call(call) => !self.offers(call),
            AdvicePart::Verb(verb) => !self.has(*verb),
            AdvicePart::Shell(shell) => shell.as_str().starts_with("brainstem "),
            AdvicePart::Text(_)
            | AdvicePart::Field(_)
            | AdvicePart::Root(_)
            | AdvicePart::AnyCallAt(_)
            | AdvicePart::MailRoot
            | AdvicePart::OnCommandLine(_) => false,
        }
    }

    /// Whether a verb can be called through this door.
    fn has(self, verb: VerbId) -> bool {
        let spec = self.verbs.spec(verb);
        match self.way {
            DoorKind::Mcp(offered) => offered.has_verb(spec),
            DoorKind::CommandLine(_) => true,
            DoorKind::Rest => spec.doors.has_path(),
        }
    }

    /// Whether a call can be made through this door. An MCP session is in one project at a time.
    fn offers(self, call: &NextCall) -> bool {
        let is_elsewhere = call.root().is_some() || call.mail_root().is_some();
        self.has(call.verb()) && (!is_elsewhere || !matches!(self.way, DoorKind::Mcp(_)))
    }

    /// The name of a verb.
    fn name(self, spec: &VerbSpec) -> String {
        match self.way {
            DoorKind::Rest => format!("{} {}", spec.method().as_str(), spec.path()),
            DoorKind::Mcp(_) | DoorKind::CommandLine(_) => spec.verb.tool().to_string(),
        }
    }

    /// A call of a verb that this door offers: `learn with label: "cache ttl", verdict: wrong, tier: medulla`.
    fn offered(self, call: &NextCall, said: &CallerWords) -> String {
        let spec = self.verbs.spec(call.verb());
        let (mut name, mut fields) = match (self.way, spec.verb.tool()) {
            (DoorKind::Mcp(_), ToolName { tool, op: Some(op) }) => {
                (tool.to_owned(), vec![format!("{OP}: {op}")])
            }
            _ => (self.name(spec), Vec::new()),
        };
        for (field, value) in call.fields() {
            fields.push(format!("{field}: {}", value_text(value)));
        }
        for (field, text) in said.fields(call.verb(), self.verbs) {
            if call.fields().iter().all(|(known, _)| *known != field) {
                fields.push(format!("{field}: {}", value_text(&CallValue::Text(text.to_owned()))));
            }
        }
        let said_brain = || said.brain(call.verb(), self.verbs).filter(|_| self.way == DoorKind::Rest);
        if let Some(root) = call.root().or_else(said_brain) {
            name.push_str(&in_query("brain", root));
        }
        // An MCP session has one mail root; a call with another is a command there.
        let header = call
            .mail_root()
            .map(|path| format!("the header {MAIL_ROOT_HEADER}: {}", value_text(&CallValue::from(path))));
        fields.extend(header);
        if fields.is_empty() { name } else { format!("{name} with {}", fields.join(", ")) }
    }

    /// Returns how a caller of this door names its project.
    fn root(self, root: Option<&str>) -> String {
        match (self.way, root) {
            (DoorKind::Rest, Some(root)) => in_query("brain", root),
            (DoorKind::Rest, None) => "?brain= or the header Brainstem-Caller-Root".to_owned(),
            (DoorKind::Mcp(_) | DoorKind::CommandLine(_), _) if !self.has(VerbId::Handshake) => {
                "BRAINSTEM_WORKSPACE_ROOT in the server's environment".to_owned()
            }
            (DoorKind::Mcp(_) | DoorKind::CommandLine(_), Some(root)) => {
                self.offered(&calls::handshake(root), &CallerWords::default())
            }
            (DoorKind::Mcp(_) | DoorKind::CommandLine(_), None) => {
                self.name(self.verbs.spec(VerbId::Handshake))
            }
        }
    }

    /// A call as a client sends it; `None` on the command line.
    fn document(self, call: &NextCall, said: &CallerWords) -> Option<Json> {
        let spec = self.verbs.spec(call.verb());
        let mut given: Vec<(&str, CallValue)> = call.fields().to_vec();
        for (field, text) in said.fields(call.verb(), self.verbs) {
            if given.iter().all(|(known, _)| *known != field) {
                given.push((field, CallValue::Text(text.to_owned())));
            }
        }
        let fields: Map<String, Json> =
            given.iter().map(|(field, value)| ((*field).to_owned(), as_json(value))).collect();
        match self.way {
            DoorKind::CommandLine(_) => None,
            DoorKind::Mcp(_) => {
                let ToolName { tool, op } = spec.verb.tool();
                let op = op.map(|op| (OP.to_owned(), Json::from(op)));
                let arguments: Map<String, Json> = op.into_iter().chain(fields).collect();
                Some(json!({ "tool": tool, "arguments": arguments }))
            }
            DoorKind::Rest => {
                let method = spec.method();
                let mut path = spec.path().to_owned();
                let mut query: Vec<String> = call
                    .root()
                    .or_else(|| said.brain(call.verb(), self.verbs))
                    .map(|root| format!("brain={}", percent_encoded(root)))
                    .into_iter()
                    .collect();
                if method == Method::Get {
                    query.extend(given.iter().map(|(field, value)| format!("{field}={}", in_address(value))));
                }
                if !query.is_empty() {
                    path = format!("{path}?{}", query.join("&"));
                }
                let mut document = json!({ "method": method.as_str(), "path": path });
                if method != Method::Get {
                    document["body"] = Json::Object(fields);
                }
                Some(document)
            }
        }
    }
}

fn field_text(field: &Field) -> String {
    match field.value() {
        None => field.name().to_owned(),
        Some(value) => format!("{}: {}", field.name(), value_text(value)),
    }
}

/// Returns a value for a text: as it is if it is one plain word, else as JSON.
fn value_text(value: &CallValue) -> String {
    let is_plain = |text: &str| {
        let is_word = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:=#~".contains(c);
        !text.is_empty() && text.chars().all(is_word) && serde_json::from_str::<Json>(text).is_err()
    };
    match value {
        CallValue::Text(text) if is_plain(text) => text.clone(),
        CallValue::Placeholder(Placeholder(name)) => (*name).to_owned(),
        value => as_json(value).to_string(),
    }
}

fn as_json(value: &CallValue) -> Json {
    match value {
        CallValue::Text(text) => text.as_str().into(),
        CallValue::Number(number) => (*number).into(),
        CallValue::Flag => true.into(),
        CallValue::Placeholder(Placeholder(name)) => (*name).into(),
        CallValue::List(values) => values.iter().map(as_json).collect(),
        CallValue::Absent => Json::Null,
    }
}

/// A value as a part of a path, or in a query.
fn in_address(value: &CallValue) -> String {
    match as_json(value) {
        Json::String(text) => percent_encoded(&text),
        other => percent_encoded(&other.to_string()),
    }
}

/// A query with the root of a project, in which slashes stay readable.
fn in_query(name: &str, root: &str) -> String {
    format!("?{name}={}", percent_encoded(root).replace("%2F", "/"))
}

#[cfg(test)]
#[path = "door_tests.rs"]
mod tests;
