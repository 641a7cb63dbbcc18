//! The commands of the program by name: every verb, and the commands that are no verbs.
//!
//! Code that names a command, in a hint for example, names it by this type, so that a renamed command is renamed
//! everywhere.

use brainstem_base::next::VerbId;

/// A command of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandName {
    /// A verb.
    Verb(VerbId),
    /// The guided run in a home of its own.
    Tour,
    /// The MCP server on standard input and output.
    Mcp,
    /// Start the daemon.
    Up,
    /// Stop the daemon.
    Down,
    /// Make a link for a browser.
    Page,
    /// Have the system start the daemon at login.
    ServiceInstall,
    /// Take that back.
    ServiceRemove,
    /// Answer a hook of a host.
    Hook,
    /// Print a completion script.
    Completions,
    /// Merge one claim for git.
    MergeDriver,
}

impl CommandName {
    /// The commands that are no verbs.
    const NO_VERBS: &[Self] = &[
        Self::Tour,
        Self::Mcp,
        Self::Up,
        Self::Down,
        Self::Page,
        Self::ServiceInstall,
        Self::ServiceRemove,
        Self::Hook,
        Self::Completions,
        Self::MergeDriver,
    ];

    /// Returns the words behind the name of the program.
    pub const fn words(self) -> &'static [&'static str] {
        match self {
            Self::Verb(verb) => verb.words(),
            Self::Tour => &["tour"],
            Self::Mcp => &["mcp"],
            Self::Up => &["up"],
            Self::Down => &["down"],
            Self::Page => &["page"],
            Self::ServiceInstall => &["service", "install"],
            Self::ServiceRemove => &["service", "remove"],
            Self::Hook => &["hook"],
            Self::Completions => &["completions"],
            Self::MergeDriver => &["merge-driver"],
        }
    }

    /// Returns the first of its words.
    pub const fn first_word(self) -> &'static str {
        self.words()[0]
    }

    /// Returns the last of its words.
    pub(crate) const fn last_word(self) -> &'static str {
        let words = self.words();
        words[words.len() - 1]
    }

    /// Whether a caller that typed these words called this command, by its name or by one that it had before.
    pub fn is_called_by(self, words: &[&str]) -> bool {
        let is_former = |word| matches!(self, Self::Verb(verb) if verb.former().contains(&word));
        self.words() == words || matches!(words, [word] if is_former(*word))
    }

    /// Returns the command of these words that is no verb. `None` if there is none.
    pub(crate) fn no_verb(words: &[&str]) -> Option<Self> {
        Self::NO_VERBS.iter().copied().find(|command| command.words() == words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-6
    fn a_command_is_called_by_its_words_and_by_its_former_name() {
        let letter_box = CommandName::Verb(VerbId::LetterBox);
        assert!(letter_box.is_called_by(&["letter", "box"]));
        assert!(letter_box.is_called_by(&["mailbox"]));
        assert!(!letter_box.is_called_by(&["letter", "list"]));
        assert!(CommandName::ServiceRemove.is_called_by(&["service", "remove"]));
        assert_eq!(CommandName::no_verb(&["up"]), Some(CommandName::Up));
        assert_eq!(CommandName::no_verb(&["seek"]), None);
    }
}
