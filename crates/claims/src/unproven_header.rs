//! What a header says that its file alone does not prove: that a person wrote the version, or that it was verified. Any
//! committer of a repository can write such lines.

use crate::light::keys;
use crate::{Claim, State};
use brainstem_base::hash;

/// The starts of the names of people: an id, and the address of its mailbox.
const PERSONS: [&str; 2] = ["human:", "human."];
/// Names that no agent has: a person without a name, and this program itself.
const NO_AGENTS: [&str; 2] = ["human", "system"];

impl Claim {
    /// Whether its header says that a person wrote or recorded it, or that it was verified.
    pub fn claims_authority(&self) -> bool {
        self.person().is_some() || self.state == Some(State::Verified)
    }

    /// The person that wrote or recorded it, as its header says.
    pub fn person(&self) -> Option<&str> {
        [&self.source_agent, &self.recorded_by]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .find(|who| is_person(who))
    }

    /// The sha256 of the version without its state and the stamps that make no version: the same for a live version and
    /// its copy in history.
    pub fn content_hash(&self) -> String {
        let mut file = self.unstamped();
        file.remove(keys::STATE);
        hash::sha256_hex(file.render().as_bytes(), 64)
    }
}

/// Whether a name belongs to a person or to this program itself, or could be read so. A letter of another script can
/// look like any other letter (`huмan:ana`), and a reader overlooks a blank (`human :ana`); no id has either.
pub fn is_person(agent: &str) -> bool {
    let name: String = agent.to_lowercase().split_whitespace().collect();
    !name.is_ascii()
        || PERSONS.iter().any(|start| name.starts_with(start))
        || NO_AGENTS.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LightFile;
    use crate::draft::tests::{author, draft};
    use brainstem_base::Timestamp;

    fn claim(change: impl Fn(&mut LightFile)) -> Claim {
        let mut file = draft("Cache", "sixty days").file(&author(), Timestamp::from_ms(5), None);
        change(&mut file);
        Claim::from(file)
    }

    #[test] // spec: MEM-10a
    fn a_persons_name_and_the_word_verified_have_weight() {
        assert!(!claim(|_| ()).claims_authority(), "an agent's own word");
        for person in [
            "human:ana",
            "Human:ana",
            " human:ana b",
            "human.ana",
            "human :ana",
            "hu man: ana",
            "Human.ana",
            "human",
            "system",
            "hu\u{43c}an:ana",
            "human\u{ff1a}ana",
        ] {
            assert!(claim(|file| file.set(keys::SOURCE_AGENT, person)).claims_authority(), "{person}");
            assert!(claim(|file| file.set(keys::RECORDED_BY, person)).claims_authority(), "{person}");
        }
        for agent in ["humane:x", "human-ana", "codex:maker", "system:x", "systemd"] {
            assert!(!claim(|file| file.set(keys::SOURCE_AGENT, agent)).claims_authority(), "{agent}");
        }
        assert!(claim(|file| file.set(keys::STATE, "verified")).claims_authority());
    }

    #[test] // spec: MEM-10a
    fn a_version_in_history_has_the_hash_of_the_live_one() {
        let live = claim(|_| ());
        assert_eq!(Claim::from(live.outdated()).content_hash(), live.content_hash());
        assert_eq!(
            claim(|file| file.set(keys::PROMOTED_TO, "medulla@cache@9")).content_hash(),
            live.content_hash()
        );
        assert_ne!(
            claim(|file| file.set(keys::SOURCE_AGENT, "human:ana")).content_hash(),
            live.content_hash()
        );
    }
}
