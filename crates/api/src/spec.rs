//! How the doors name and describe a verb: its name, its effect, its tool set, its texts.

use brainstem_base::next::VerbId;
use brainstem_base::{Fault, codes};

/// How the doors name and describe a verb.
#[derive(Clone, Copy, Debug)]
pub struct VerbSpec {
    /// Which verb it is; its name over MCP and its words on the command line come from there.
    pub verb: VerbId,
    /// Which doors offer it.
    pub doors: Doors,
    /// The tool set that offers it over MCP.
    pub toolset: Toolset,
    /// What it does to the stores.
    pub effect: Effect,
    /// Whether a second call with the same fields changes nothing more.
    pub idempotent: bool,
    /// A few words for a list of tools.
    pub title: &'static str,
    /// When an agent should call it; the description over MCP.
    pub when_to_use: &'static str,
    /// Fields whose text the command line also takes from a file or from standard input.
    pub long_text: &'static [LongText],
    /// Whole command lines for the help, most useful first.
    pub examples: &'static [&'static str],
}

impl VerbSpec {
    /// Returns what most verbs are: they read, they are daily work of memory, every door offers them, and a second
    /// call changes nothing more. A definition adds its texts, and how its verb differs.
    pub const fn of(verb: VerbId) -> Self {
        Self {
            verb,
            doors: Doors::All,
            toolset: Toolset::Memory,
            effect: Effect::Read,
            idempotent: true,
            title: "",
            when_to_use: "",
            long_text: &[],
            examples: &[],
        }
    }

    /// The method over REST.
    pub fn method(&self) -> Method {
        match self.effect {
            Effect::Read => Method::Get,
            Effect::Write | Effect::Destructive => Method::Post,
        }
    }

    /// The path over REST: the words of its command.
    pub const fn path(&self) -> &'static str {
        self.verb.path()
    }

    /// Returns the paths that clients knew it by before. They still reach it, and no list has them; `{field}` is the
    /// place of a field.
    pub fn former_paths(&self) -> impl Iterator<Item = &'static str> {
        let verb = self.verb;
        FORMER_PATHS.iter().filter(move |(of, _)| *of == verb).map(|(_, path)| *path)
    }

    /// Its name: the words of its command, joined by `_`.
    pub const fn id(&self) -> &'static str {
        self.verb.id()
    }

    /// The words on the command line.
    pub const fn cli(&self) -> &'static [&'static str] {
        self.verb.words()
    }
}

/// The paths that verbs had before those of their words.
const FORMER_PATHS: &[(VerbId, &str)] = &[
    (VerbId::Audit, "/api/audit/{what}"),
    (VerbId::LetterAll, "/api/sweep"),
    (VerbId::LetterBox, "/api/mailbox"),
    (VerbId::LetterDistribute, "/api/distribute"),
    (VerbId::LetterWrite, "/api/letters"),
    (VerbId::MailList, "/api/mail"),
    (VerbId::SessionList, "/api/sessions"),
    (VerbId::SessionRegister, "/api/sessions/register"),
];

/// How a verb comes to its answer, which decides how a door runs it. It follows from the trait that the verb implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It runs once and answers soon: a [`Verb`](crate::Verb).
    Once,
    /// It answers from a cursor on, and its caller may wait: a [`Feed`](crate::Feed).
    Feed,
    /// It is long work with progress: a [`Job`](crate::Job).
    Job,
}

/// Sugar of the command line for a field that holds a long text (IF-4).
///
/// The door adds the option `--<file> FILE`, and takes `-` for standard input: as the field's value
/// and, for a field that is an option, as a word of its own.
///
/// If `file` is the field itself, the option names a file, or `-`: a field that is a text gets the whole of it, one
/// that is a list its lines, each a JSON document.
#[derive(Clone, Copy, Debug)]
pub struct LongText {
    /// The field.
    pub field: &'static str,
    /// The option that names a file, without the dashes: `text-file`.
    pub file: &'static str,
}

/// Which doors offer a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doors {
    /// Every door.
    All,
    /// The command line alone.
    CommandLine {
        /// Why no other door offers it.
        why: &'static str,
    },
}

impl Doors {
    /// Whether it has a path over REST.
    pub fn has_path(self) -> bool {
        self.has_tool()
    }

    /// Whether it is a tool over MCP.
    pub fn has_tool(self) -> bool {
        match self {
            Self::All => true,
            Self::CommandLine { .. } => false,
        }
    }
}

/// What the answer of a verb carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carries {
    /// Words for a reader: every secret in them is masked.
    Words,
    /// Bytes that must come back as they are: an export.
    Bytes,
}

/// What a verb does to the stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Adds; what it replaces is kept in history.
    Write,
    /// Takes something away.
    Destructive,
}

impl Effect {
    /// The word in the reference.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Destructive => "destructive",
        }
    }
}

/// A method of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Reads.
    Get,
    /// Does something.
    Post,
}

impl Method {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// A set of tools that an MCP client is offered together (IF-8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolset {
    /// What an agent needs of memory in its daily work.
    Memory,
    /// What is needed now and then: status, audits, moves, repairs, triage of letters.
    Upkeep,
    /// Messages between sessions, and letters.
    Mail,
    /// The live channel of a daemon.
    Live,
    /// Topics whose history can be verified.
    Ledger,
}

impl Toolset {
    /// Every set.
    pub const ALL: &[Self] = &[Self::Memory, Self::Upkeep, Self::Mail, Self::Live, Self::Ledger];
    /// The sets offered when none is asked for.
    pub const DEFAULT: &[Self] = &[Self::Memory, Self::Mail];

    /// The name in `--toolsets`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Upkeep => "upkeep",
            Self::Mail => "mail",
            Self::Live => "live",
            Self::Ledger => "ledger",
        }
    }

    /// What it holds, for the reference.
    pub fn about(self) -> &'static str {
        match self {
            Self::Memory => "what an agent needs of memory in its daily work",
            Self::Upkeep => "what is needed now and then: status, audits, moves, repairs, triage of letters",
            Self::Mail => "messages between sessions, as files, and letters",
            Self::Live => "the live channel, for sessions that are online at a daemon",
            Self::Ledger => "topics whose history can be verified, heads and receipts",
        }
    }

    /// The names that `--toolsets` takes.
    pub fn names() -> String {
        let sets = Self::ALL.iter().map(|set| set.as_str());
        sets.chain(["default", "all"]).collect::<Vec<_>>().join(", ")
    }

    /// Parses names; one text may have several, with commas between them. No names mean the default.
    pub fn parse_list<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Vec<Self>, Fault> {
        let (sets, unknown) = Self::sort_out(texts);
        match unknown.first() {
            None => Ok(sets),
            Some(name) => Err(Fault::new(codes::INPUT_BAD_VALUE, format!("there is no tool set {name:?}"))
                .fix(format!("use one or more of: {}", Self::names()))
                .field("toolsets")
                .rule("IF-8")),
        }
    }

    /// The sets among these names, and the names that are none. A settings file may have been written by a
    /// newer program, so there an unknown name is no reason to serve nothing.
    pub fn sort_out<'a>(texts: impl IntoIterator<Item = &'a str>) -> (Vec<Self>, Vec<&'a str>) {
        let (mut sets, mut unknown) = (Vec::new(), Vec::new());
        for name in texts.into_iter().flat_map(|text| text.split(',')).map(str::trim) {
            let of_name: Vec<Self> = match name {
                "all" => Self::ALL.to_vec(),
                "default" => Self::DEFAULT.to_vec(),
                name => Self::ALL.iter().copied().filter(|set| set.as_str() == name).collect(),
            };
            if of_name.is_empty() {
                unknown.push(name);
            }
            sets.extend(of_name);
        }
        if sets.is_empty() {
            sets.extend(Self::DEFAULT);
        }
        // Their own order, each once.
        let sets = Self::ALL.iter().copied().filter(|set| sets.contains(set)).collect();
        (sets, unknown)
    }
}

/// The tool sets that a connection is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offered([bool; Toolset::ALL.len()]);

impl Offered {
    /// Every set.
    pub const ALL: Self = Self([true; Toolset::ALL.len()]);

    /// No set.
    pub const NONE: Self = Self([false; Toolset::ALL.len()]);

    /// These sets.
    pub fn of(sets: &[Toolset]) -> Self {
        Self(std::array::from_fn(|at| sets.contains(&Toolset::ALL[at])))
    }

    /// Whether a verb can be called: as one of its sets, or because every connection has it.
    pub fn has_verb(self, spec: &VerbSpec) -> bool {
        spec.doors.has_tool() && (spec.verb == VerbId::Tools || self.has(spec.toolset))
    }

    /// These sets and those.
    pub fn and(self, sets: &[Toolset]) -> Self {
        let more = Self::of(sets);
        Self(std::array::from_fn(|at| self.0[at] || more.0[at]))
    }

    /// Whether a set is among them.
    pub fn has(self, set: Toolset) -> bool {
        Toolset::ALL.iter().zip(self.0).any(|(one, is_offered)| *one == set && is_offered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-8
    fn an_unknown_tool_set_is_refused_and_none_means_the_default() {
        assert_eq!(Toolset::parse_list([]), Ok(Toolset::DEFAULT.to_vec()));
        assert_eq!(Toolset::parse_list(["memory, memory"]), Ok(vec![Toolset::Memory]));
        let both = Ok(vec![Toolset::Memory, Toolset::Upkeep, Toolset::Mail]);
        assert_eq!(Toolset::parse_list(["upkeep", "default"]), both);
        assert_eq!(Toolset::parse_list(["all"]), Ok(Toolset::ALL.to_vec()));
        let fault = Toolset::parse_list(["memory,male"]).expect_err("no such set");
        assert_eq!((fault.code, fault.field.as_deref()), (codes::INPUT_BAD_VALUE, Some("toolsets")));
        assert!(
            fault.fix.is_some_and(|fix| fix.contains("memory, upkeep, mail, live, ledger, default, all"))
        );
        assert_eq!(Toolset::sort_out(["later,upkeep"]), (vec![Toolset::Upkeep], vec!["later"]));
        assert_eq!(Toolset::sort_out(["later"]), (Toolset::DEFAULT.to_vec(), vec!["later"]));
    }
}
