//! The person at the terminal of a home, by all the names that one person has: the settings' names, the login, and the words
//! `human` and `owner`.
//!
//! On one machine the person at the terminal is one person. Mail to any of these names reaches that person, and a new name in
//! the settings hides nothing that waits for an earlier one.

use crate::config::Config;
use crate::identity::{IdentitySource, Principal};
use brainstem_base::AgentId;
use brainstem_base::agent::AgentKind;
use brainstem_inbox::slug::{OWNER, OWNER_ALIASES};
use brainstem_mail::name::MailboxName;

/// How the box of a person begins: `human:ana` has `human.ana`.
const OF_PERSON: &str = "human.";

/// Words that senders use for a person and that are no name: an answer names the person beside them.
const WORDS_FOR_A_PERSON: [&str; 8] =
    ["user", "me", "person", "people", "humans", "operator", "maintainer", "you"];

/// The names of the person at the terminal of a home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalPerson {
    /// The ids, the one that counts first; none if neither the settings nor the login name a person.
    ids: Vec<AgentId>,
    /// The settings name the owner of the home.
    has_owner: bool,
}

impl TerminalPerson {
    /// Returns the person of the home in which a caller's settings are. A caller over HTTP has no login.
    pub fn of(config: &Config, login: Option<&AgentId>) -> Self {
        let owner = config.owner();
        let has_owner = owner.is_some();
        let named = config.agent().filter(|agent| agent.kind() == AgentKind::Human);
        let mut ids: Vec<AgentId> = Vec::new();
        for id in owner.into_iter().chain(named).chain(login.cloned()).chain(config.other_names()) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        Self { ids, has_owner }
    }

    /// Whether a caller is this person. A caller that names itself by a flag or a variable is, if the name is one of the person's.
    pub fn is_caller(&self, principal: &Principal) -> bool {
        principal.kind == AgentKind::Human
            && match principal.source {
                IdentitySource::Login | IdentitySource::Config => true,
                IdentitySource::Environment if !self.has_owner => true,
                IdentitySource::Environment
                | IdentitySource::Argument
                | IdentitySource::Flag
                | IdentitySource::Host
                | IdentitySource::Client
                | IdentitySource::Nobody => self.ids.contains(&principal.agent),
            }
    }

    /// The box in which mail for the person arrives.
    pub fn mailbox(&self) -> MailboxName {
        self.ids.first().map_or_else(owner_word, MailboxName::of_agent)
    }

    /// Every box that is the person's, the one in which mail arrives first.
    pub fn boxes(&self) -> Vec<MailboxName> {
        let words = OWNER_ALIASES.iter().filter_map(|word| MailboxName::parse(word).ok());
        let mut boxes = vec![self.mailbox()];
        for name in self.ids.iter().map(MailboxName::of_agent).chain(words) {
            if !boxes.contains(&name) {
                boxes.push(name);
            }
        }
        boxes
    }

    /// The person's names without `human.`, such as a login: boxes of these names are the person's if no session, tag or agent
    /// has the name.
    pub fn bare_names(&self) -> Vec<MailboxName> {
        let bare = self.ids.iter().filter_map(AgentId::role);
        bare.filter_map(|name| MailboxName::parse(name).ok()).collect()
    }

    /// Whether a name is a box of the person.
    pub fn has_box(&self, name: &MailboxName) -> bool {
        self.boxes().contains(name)
    }

    /// Whether a name may be a sender's word for the person: a word for people in general, or a slip in one of the names.
    pub fn is_word_for(&self, name: &MailboxName, is_slip: &dyn Fn(&str) -> bool) -> bool {
        let own = self.boxes().into_iter().chain(self.bare_names());
        WORDS_FOR_A_PERSON.contains(&name.as_str().to_ascii_lowercase().as_str())
            || own.into_iter().any(|own| is_slip(own.as_str()))
    }
}

/// Whether a name is a word that means the owner of a home: no session and no tag gets it.
pub fn is_owner_word(name: &MailboxName) -> bool {
    OWNER_ALIASES.iter().any(|word| name.as_str().eq_ignore_ascii_case(word))
}

/// Whether a name has the form of a person's box: every other name is no box of a person, and costs no look at the settings.
pub fn may_be_persons(name: &MailboxName) -> bool {
    let start = name.as_str().get(..OF_PERSON.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(OF_PERSON)) || is_owner_word(name)
}

fn owner_word() -> MailboxName {
    MailboxName::parse(OWNER).expect("a plain word")
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::disk::SimDisk;
    use std::path::Path;

    fn id(text: &str) -> AgentId {
        AgentId::parse(text).expect("an id")
    }

    fn boxes(person: &TerminalPerson) -> Vec<String> {
        person.boxes().iter().map(ToString::to_string).collect()
    }

    #[test] // spec: MAIL-3b, IF-25
    fn the_names_of_one_person_are_boxes_of_one_person() {
        let none = Config::load(&SimDisk::new(), Path::new("/home"), None);
        let unnamed = TerminalPerson::of(&none, None);
        assert_eq!(boxes(&unnamed), ["human", "owner"]);
        let by_login = TerminalPerson::of(&none, Some(&id("human:root")));
        assert_eq!(boxes(&by_login), ["human.root", "human", "owner"]);
        assert_eq!(by_login.bare_names(), [MailboxName::parse("root").unwrap()]);
    }
}
