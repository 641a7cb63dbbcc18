//! One call: a verb with the fields it is called with.

use super::VerbId;
use super::verb::option;
use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

/// The global option that names the project of a call.
const ROOT: &str = "--root";
const MAIL_ROOT: &str = "--mail-root";

/// A call that the caller should make, as a value. The constructors are in [`calls`](super::calls).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextCall {
    verb: VerbId,
    fields: Vec<(&'static str, CallValue)>,
    root: Option<String>,
    mail_root: Option<String>,
}

/// The value of a field of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallValue {
    /// A text.
    Text(String),
    /// A number.
    Number(u64),
    /// A field that is true.
    Flag,
    /// A word in the place of a value that the caller fills in.
    Placeholder(Placeholder),
    /// Several values.
    List(Vec<CallValue>),
    /// The field is left out.
    Absent,
}

/// A word in the place of a value: `LABEL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placeholder(pub &'static str);

impl NextCall {
    pub(super) fn new(verb: VerbId, fields: Vec<(&'static str, CallValue)>) -> Self {
        let fields = fields.into_iter().filter(|(_, value)| *value != CallValue::Absent).collect();
        Self { verb, fields, root: None, mail_root: None }
    }

    /// The same call, made from within the project at this root.
    pub fn at(self, root: impl Into<String>) -> Self {
        Self { root: Some(root.into()), ..self }
    }

    /// The same call with this mail root, whatever else names one to the caller.
    pub fn in_mail_root(self, path: impl Into<String>) -> Self {
        Self { mail_root: Some(path.into()), ..self }
    }

    /// The verb that is called.
    pub fn verb(&self) -> VerbId {
        self.verb
    }

    /// The fields it is called with.
    pub fn fields(&self) -> &[(&'static str, CallValue)] {
        &self.fields
    }

    /// The root of the project that it is made from, where it names one.
    pub fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// The mail root that it names, where it names one.
    pub fn mail_root(&self) -> Option<&str> {
        self.mail_root.as_deref()
    }

    /// Whether it can be made as it is: no value is left for the caller to fill in.
    pub fn is_whole(&self) -> bool {
        self.fields.iter().all(|(_, value)| value.is_whole())
    }

    /// The same call with each text changed.
    pub(super) fn map_texts(self, change: &impl Fn(&str) -> String) -> Self {
        let fields = self.fields.into_iter().map(|(name, value)| (name, value.map_texts(change))).collect();
        let (root, mail_root) = (self.root.as_deref().map(change), self.mail_root.as_deref().map(change));
        Self { fields, root, mail_root, ..self }
    }

    fn value(&self, field: &str) -> Option<&CallValue> {
        self.fields.iter().find(|(name, _)| *name == field).map(|(_, value)| value)
    }
}

/// A global option of a command line, with the value that it was typed with: `--session w1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedOption {
    /// The option, with its dashes.
    pub option: &'static str,
    /// Its value.
    pub value: String,
    /// The first words of the commands that it applies to; empty for all commands.
    pub groups: &'static [&'static str],
}

impl TypedOption {
    /// Whether a command line of this call repeats it.
    fn is_for(&self, call: &NextCall) -> bool {
        let is_of_group = || call.verb.words().first().is_some_and(|word| self.groups.contains(word));
        // The mail of a project that a call names is in that project, and not in the mail root that was typed.
        let is_of_place = [ROOT, MAIL_ROOT].contains(&self.option);
        (self.groups.is_empty() || is_of_group()) && (!is_of_place || call.root.is_none())
    }
}

/// The command line of the call: `brainstem learn 'cache ttl' wrong --tier medulla`.
impl fmt::Display for NextCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_line(f, &[])
    }
}

impl NextCall {
    /// The command line of the call, with these global options too. A call that names its own root keeps that.
    pub fn line_with(&self, typed: &[TypedOption]) -> String {
        struct CallLine<'a>(&'a NextCall, &'a [TypedOption]);
        impl fmt::Display for CallLine<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write_line(f, self.1)
            }
        }
        CallLine(self, typed).to_string()
    }

    fn write_line(&self, f: &mut fmt::Formatter<'_>, typed: &[TypedOption]) -> fmt::Result {
        f.write_str("brainstem")?;
        // Before the verb: some verbs have fields of the same names.
        for TypedOption { option, value, .. } in typed.iter().filter(|one| one.is_for(self)) {
            write!(f, " {}", option_with(option, &CallValue::Text(value.clone())))?;
        }
        for word in self.verb.words() {
            write!(f, " {word}")?;
        }
        let places = self.verb.places();
        let by_place: Vec<String> =
            places.iter().filter_map(|field| self.value(field)).flat_map(CallValue::shell_words).collect();
        // A value that begins with a hyphen would read as an option, so such values come behind the options.
        let stands_last = by_place.iter().any(|word| word.trim_start_matches('\'').starts_with('-'));
        if !stands_last {
            by_place.iter().try_for_each(|word| write!(f, " {word}"))?;
        }
        for (name, value) in self.fields.iter().filter(|(name, _)| !places.contains(name)) {
            write!(f, " {}", option_with(&option(name), value))?;
        }
        if let Some(root) = &self.root {
            write!(f, " {ROOT} {}", shell_word(root))?;
        }
        if let Some(path) = &self.mail_root {
            write!(f, " {MAIL_ROOT} {}", shell_word(path))?;
        }
        if stands_last {
            f.write_str(" --")?;
            by_place.iter().try_for_each(|word| write!(f, " {word}"))?;
        }
        Ok(())
    }
}

/// An option with its value, as often as it has values.
pub(super) fn option_with(option: &str, value: &CallValue) -> String {
    let words = value.shell_words();
    let one = |word: &String| match word.trim_start_matches('\'').starts_with('-') {
        true => format!("{option}={word}"),
        false => format!("{option} {word}"),
    };
    if words.is_empty() { option.to_owned() } else { words.iter().map(one).collect::<Vec<_>>().join(" ") }
}

impl CallValue {
    /// The value as the only one of a list.
    pub(super) fn listed(self) -> Self {
        match self {
            value @ (Self::List(_) | Self::Absent) => value,
            value => Self::List(vec![value]),
        }
    }

    fn is_whole(&self) -> bool {
        match self {
            Self::Placeholder(_) => false,
            Self::List(values) => values.iter().all(Self::is_whole),
            Self::Text(_) | Self::Number(_) | Self::Flag | Self::Absent => true,
        }
    }

    fn map_texts(self, change: &impl Fn(&str) -> String) -> Self {
        match self {
            Self::Text(text) => Self::Text(change(&text)),
            Self::List(values) => {
                Self::List(values.into_iter().map(|value| value.map_texts(change)).collect())
            }
            value @ (Self::Number(_) | Self::Flag | Self::Placeholder(_) | Self::Absent) => value,
        }
    }

    /// The value as words of a shell; a flag has none.
    fn shell_words(&self) -> Vec<String> {
        match self {
            Self::Text(text) => vec![shell_word(text)],
            Self::Number(number) => vec![number.to_string()],
            Self::Placeholder(Placeholder(name)) => vec![(*name).to_owned()],
            Self::List(values) => values.iter().flat_map(Self::shell_words).collect(),
            Self::Flag | Self::Absent => Vec::new(),
        }
    }
}

/// A text as one word of a shell, quoted where it has to be.
pub fn shell_word(text: &str) -> String {
    // A tilde means a home at the start of a word, or behind a colon.
    let is_tilde_plain = !text.starts_with('~') && !text.contains(":~");
    let plain =
        |b: u8| b.is_ascii_alphanumeric() || b"/._-+@%:,".contains(&b) || (b == b'~' && is_tilde_plain);
    if !text.is_empty() && text.bytes().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

impl From<&str> for CallValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for CallValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for CallValue {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<&&str> for CallValue {
    fn from(text: &&str) -> Self {
        (*text).into()
    }
}

impl From<Cow<'_, str>> for CallValue {
    fn from(text: Cow<'_, str>) -> Self {
        Self::Text(text.into_owned())
    }
}

impl From<&Path> for CallValue {
    fn from(path: &Path) -> Self {
        Self::Text(path.display().to_string())
    }
}

impl From<&PathBuf> for CallValue {
    fn from(path: &PathBuf) -> Self {
        path.as_path().into()
    }
}

impl From<PathBuf> for CallValue {
    fn from(path: PathBuf) -> Self {
        path.as_path().into()
    }
}

impl From<u64> for CallValue {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<Placeholder> for CallValue {
    fn from(placeholder: Placeholder) -> Self {
        Self::Placeholder(placeholder)
    }
}

/// A true field is given, a false one is left out.
impl From<bool> for CallValue {
    fn from(is_given: bool) -> Self {
        if is_given { Self::Flag } else { Self::Absent }
    }
}

impl<T: Into<Self>> From<Option<T>> for CallValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}
