//! A sentence that says what to do, with the calls in it as values.

use super::call::option_with;
use super::verb::option;
use super::{CallValue, NextCall, TypedOption, VerbId, shell_word};
use std::fmt;

/// A sentence that says what to do. `Display` renders it for the command line.
///
/// ```
/// use brainstem_base::advice;
/// use brainstem_base::next::calls;
///
/// let fix = advice!["take it out: ", calls::learn_wrong("cache ttl"), "; or leave it"];
/// assert_eq!(fix.to_string(), "take it out: brainstem learn 'cache ttl' wrong --tier medulla; or leave it");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    parts: Vec<AdvicePart>,
}

/// A part of an advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdvicePart {
    /// Text that names no call and no field: the same on every door.
    Text(String),
    /// A call.
    Call(NextCall),
    /// A verb by its name: a call that the caller makes with fields of its own.
    Verb(VerbId),
    /// A field of the call that this advice is about.
    Field(Field),
    /// A line for a shell, the same on every door.
    Shell(Shell),
    /// How a caller names its project, perhaps with the root.
    Root(Option<String>),
    /// Any call, made from within the project at this root.
    AnyCallAt(String),
    /// The way to name a mail root.
    MailRoot,
    /// Text for the command line alone.
    OnCommandLine(String),
}

/// A field of a call, perhaps with a value: an option on the command line, a name on the other doors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    name: &'static str,
    value: Option<CallValue>,
    of: FieldOf,
}

/// What a field belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldOf {
    /// Some call; its verb is not known here.
    Call,
    /// A call of this verb.
    Verb(VerbId),
    /// An object of a batch, which has the field by its name on every door.
    Object,
}

/// A line for a shell: git, or a command of this program that is not a verb.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell(String);

/// A field of the call that an advice is about.
pub fn field(name: &'static str) -> Field {
    Field { name, value: None, of: FieldOf::Call }
}

impl Field {
    /// The field with this value.
    pub fn is(self, value: impl Into<CallValue>) -> Self {
        Self { value: Some(value.into()), ..self }
    }

    /// The field, true.
    pub fn set(self) -> Self {
        self.is(CallValue::Flag)
    }

    /// The name on the doors other than the command line.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The value, where it has one.
    pub fn value(&self) -> Option<&CallValue> {
        self.value.as_ref()
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.of {
            FieldOf::Call => option(self.name),
            FieldOf::Verb(verb) => verb.on_command_line(self.name),
            FieldOf::Object => self.name.to_owned(),
        };
        match &self.value {
            None => f.write_str(&name),
            Some(value) => f.write_str(&option_with(&name, value)),
        }
    }
}

impl Shell {
    /// A line that is typed into a shell exactly so. What a person wrote must be quoted with [`shell_word`].
    pub fn line(line: impl Into<String>) -> Self {
        Self(line.into())
    }

    /// The line.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The line with these global options too, where it is a command of this program. An option that it has already stays
    /// as it is there.
    pub fn line_with(&self, typed: &[TypedOption]) -> String {
        let Some(rest) = self.0.strip_prefix("brainstem ") else { return self.0.clone() };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let fits = |one: &&TypedOption| {
            let is_of_group = words.iter().any(|word| one.groups.contains(word));
            (one.groups.is_empty() || is_of_group) && !words.contains(&one.option)
        };
        let options = typed.iter().filter(fits);
        let options: String =
            options.map(|one| option_with(one.option, &CallValue::Text(one.value.clone())) + " ").collect();
        format!("brainstem {options}{rest}")
    }
}

impl Advice {
    /// An advice of one part.
    pub fn of(part: AdvicePart) -> Self {
        Self { parts: vec![part] }
    }

    /// How a caller names its project.
    pub fn root() -> Self {
        Self::of(AdvicePart::Root(None))
    }

    /// How a caller names the project at this root as its own.
    pub fn root_at(root: impl Into<String>) -> Self {
        Self::of(AdvicePart::Root(Some(root.into())))
    }

    /// Any call, made from within the project at this root.
    pub fn any_call_at(root: impl Into<String>) -> Self {
        Self::of(AdvicePart::AnyCallAt(root.into()))
    }

    /// The way to name a mail root.
    pub fn mail_root() -> Self {
        Self::of(AdvicePart::MailRoot)
    }

    /// Text that the command line alone shows.
    pub fn on_command_line(text: impl Into<String>) -> Self {
        Self::of(AdvicePart::OnCommandLine(text.into()))
    }

    /// The other ways in which the command line takes a long text; the other doors leave this part out.
    pub fn or_text_from_elsewhere() -> Self {
        Self::on_command_line(", --text-file FILE, or - for standard input")
    }

    /// Several advices with a text between each two.
    pub fn joined(advices: impl IntoIterator<Item = Self>, between: &str) -> Self {
        let mut joined = Self::default();
        for advice in advices {
            if !joined.is_empty() {
                joined.push(between);
            }
            joined.push(advice);
        }
        joined
    }

    /// Adds to its end.
    pub fn push(&mut self, more: impl Into<Self>) {
        for part in more.into().parts {
            match (self.parts.last_mut(), part) {
                (Some(AdvicePart::Text(last)), AdvicePart::Text(text)) => last.push_str(&text),
                (_, part) => self.parts.push(part),
            }
        }
    }

    /// Its parts, in order.
    pub fn parts(&self) -> &[AdvicePart] {
        &self.parts
    }

    /// Whether it has no parts.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The calls that it names.
    pub fn calls(&self) -> impl Iterator<Item = &NextCall> {
        self.parts.iter().filter_map(|part| match part {
            AdvicePart::Call(call) => Some(call),
            _ => None,
        })
    }

    /// Whether its text on the command line contains `text`.
    pub fn contains(&self, text: &str) -> bool {
        self.to_string().contains(text)
    }

    /// The same advice about a call of this verb; the verb decides how its fields are written.
    pub fn about(self, verb: VerbId) -> Self {
        self.with_fields_of(FieldOf::Verb(verb))
    }

    /// The same advice about an object of a batch.
    pub fn about_object(self) -> Self {
        self.with_fields_of(FieldOf::Object)
    }

    fn with_fields_of(mut self, of: FieldOf) -> Self {
        for part in &mut self.parts {
            if let AdvicePart::Field(field) = part
                && field.of == FieldOf::Call
            {
                field.of = of;
            }
        }
        self
    }

    /// The same advice, with each of its calls made from within the project at this root; a call that names a root keeps it.
    pub fn at(mut self, root: &str) -> Self {
        for part in &mut self.parts {
            if let AdvicePart::Call(call) = part
                && call.root().is_none()
            {
                *call = call.clone().at(root);
            }
        }
        self
    }

    /// The same advice with each text in it changed, the values of its calls among them.
    pub fn map_texts(self, change: impl Fn(&str) -> String) -> Self {
        let changed = |part| match part {
            AdvicePart::Text(text) => AdvicePart::Text(change(&text)),
            AdvicePart::Call(call) => AdvicePart::Call(call.map_texts(&change)),
            AdvicePart::Shell(Shell(line)) => AdvicePart::Shell(Shell(change(&line))),
            AdvicePart::Root(root) => AdvicePart::Root(root.as_deref().map(&change)),
            AdvicePart::AnyCallAt(root) => AdvicePart::AnyCallAt(change(&root)),
            part @ (AdvicePart::Verb(_)
            | AdvicePart::Field(_)
            | AdvicePart::MailRoot
            | AdvicePart::OnCommandLine(_)) => part,
        };
        Self { parts: self.parts.into_iter().map(changed).collect() }
    }
}

/// The advice as the command line shows it.
impl Advice {
    /// The advice as a command line reads it, in which every call repeats the global options that fit it.
    pub fn line_with(&self, typed: &[TypedOption]) -> String {
        let told = self.parts.iter().map(|part| match part {
            AdvicePart::Call(call) => call.line_with(typed),
            AdvicePart::Shell(shell) => shell.line_with(typed),
            AdvicePart::Verb(verb) => {
                Shell::line(format!("brainstem {}", verb.words().join(" "))).line_with(typed)
            }
            part @ AdvicePart::AnyCallAt(_) => {
                Shell::line(Self::of(part.clone()).to_string()).line_with(typed)
            }
            part => Self::of(part.clone()).to_string(),
        });
        told.collect()
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|part| match part {
            AdvicePart::Text(text) | AdvicePart::OnCommandLine(text) => f.write_str(text),
            AdvicePart::Call(call) => call.fmt(f),
            AdvicePart::Verb(verb) => write!(f, "brainstem {}", verb.words().join(" ")),
            AdvicePart::Field(field) => field.fmt(f),
            AdvicePart::Shell(shell) => f.write_str(&shell.0),
            AdvicePart::Root(None) => f.write_str("--root"),
            AdvicePart::Root(Some(root)) => write!(f, "--root {}", shell_word(root)),
            AdvicePart::AnyCallAt(root) => write!(f, "brainstem --root {} …", shell_word(root)),
            AdvicePart::MailRoot => f.write_str("--mail-root"),
        })
    }
}

impl From<&str> for Advice {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<String> for Advice {
    fn from(text: String) -> Self {
        if text.is_empty() { Self::default() } else { Self::of(AdvicePart::Text(text)) }
    }
}

impl From<&String> for Advice {
    fn from(text: &String) -> Self {
        text.clone().into()
    }
}

impl From<fmt::Arguments<'_>> for Advice {
    fn from(text: fmt::Arguments<'_>) -> Self {
        text.to_string().into()
    }
}

impl From<&Self> for Advice {
    fn from(advice: &Self) -> Self {
        advice.clone()
    }
}

impl From<NextCall> for Advice {
    fn from(call: NextCall) -> Self {
        Self::of(AdvicePart::Call(call))
    }
}

impl From<VerbId> for Advice {
    fn from(verb: VerbId) -> Self {
        Self::of(AdvicePart::Verb(verb))
    }
}

impl From<Field> for Advice {
    fn from(field: Field) -> Self {
        Self::of(AdvicePart::Field(field))
    }
}

impl From<Shell> for Advice {
    fn from(shell: Shell) -> Self {
        Self::of(AdvicePart::Shell(shell))
    }
}

impl PartialEq<str> for Advice {
    fn eq(&self, text: &str) -> bool {
        let told = self.to_string();
        told == text
    }
}

impl PartialEq<String> for Advice {
    fn eq(&self, text: &String) -> bool {
        self == text.as_str()
    }
}

impl PartialEq<&str> for Advice {
    fn eq(&self, text: &&str) -> bool {
        self == *text
    }
}

/// An [`Advice`] from its parts: literals, which may name variables as those of `format!`, calls, fields, shell lines
/// and other advices.
#[macro_export]
macro_rules! advice {
    ($($part:tt)*) => {{
        #[allow(unused_mut, reason = "an advice may be empty")]
        let mut advice = $crate::next::Advice::default();
        $crate::advice_parts!(advice; $($part)*);
        advice
    }};
}

/// The parts of [`advice!`], one after the other.
#[doc(hidden)]
#[macro_export]
macro_rules! advice_parts {
    ($advice:ident;) => {};
    ($advice:ident; $text:literal) => { $advice.push(::std::format_args!($text)) };
    ($advice:ident; $text:literal, $($rest:tt)*) => {
        $advice.push(::std::format_args!($text));
        $crate::advice_parts!($advice; $($rest)*);
    };
    ($advice:ident; $part:expr) => { $advice.push($part) };
    ($advice:ident; $part:expr, $($rest:tt)*) => {
        $advice.push($part);
        $crate::advice_parts!($advice; $($rest)*);
    };
}
