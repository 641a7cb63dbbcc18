//! Holding a message that was taken out of a box, until it is done or the lease runs out.
//!
//! The name of the file says all of it, `<file>~<owner>~<until ms>~<n>~<agent>`, so one rename takes a message and
//! no kill leaves a doubtful state. The agent is left out where the owner has its name; earlier programs wrote none.

use crate::file_name::FileName;
use crate::limits::LEASE_MS_RANGE;
use crate::name::MailboxName;
use brainstem_base::Timestamp;

/// The longest name of a file.
const FILE_NAME_LEN_MAX: usize = 255;

/// A reader that takes a message: the name that it holds the message by, and its agent. Another agent may have the name of a
/// session that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseOwner {
    /// The name.
    pub name: MailboxName,
    /// The agent, if it is known.
    pub agent: Option<MailboxName>,
}

impl From<&MailboxName> for LeaseOwner {
    fn from(name: &MailboxName) -> Self {
        Self { name: name.clone(), agent: None }
    }
}

/// The holder of a message, and the end of its lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The message.
    pub file: FileName,
    /// The holder.
    pub owner: MailboxName,
    /// When it ends.
    pub until: Timestamp,
    /// How often it came back to its box before.
    pub returned: u32,
    /// The agent of the holder. `None` if the holder has its name, or an earlier program took the message.
    pub agent: Option<MailboxName>,
}

impl Lease {
    /// The name of the held file.
    pub fn name(&self) -> String {
        let name = format!("{}~{}~{}~{}", self.file, self.owner, self.until.ms(), self.returned);
        match self.agent.as_ref().filter(|agent| **agent != self.owner) {
            // A name that no file can have would hold nothing.
            Some(agent) if name.len() + 1 + agent.as_str().len() <= FILE_NAME_LEN_MAX => {
                format!("{name}~{agent}")
            }
            Some(_) | None => name,
        }
    }

    /// Reads the name of a held file.
    pub fn parse(name: &str) -> Option<Self> {
        Self::parse_without_agent(name).or_else(|| {
            let (name, agent) = name.rsplit_once('~')?;
            let agent = Some(MailboxName::parse(agent).ok()?);
            Some(Self { agent, ..Self::parse_without_agent(name)? })
        })
    }

    fn parse_without_agent(name: &str) -> Option<Self> {
        let mut parts = name.rsplitn(4, '~');
        let returned = parts.next()?;
        let until = parts.next()?;
        let owner = parts.next()?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !is_number(returned) || !is_number(until) {
            return None;
        }
        Some(Self {
            file: FileName::parse(parts.next()?).ok()?,
            owner: MailboxName::parse(owner).ok()?,
            until: Timestamp::from_ms(until.parse().ok()?),
            returned: returned.parse().ok()?,
            agent: None,
        })
    }

    /// Whether this agent may be the holder's. If no agent is on record on either side, the name alone says which session holds it.
    pub fn is_of_agent(&self, agent: Option<&MailboxName>) -> bool {
        match (&self.agent, agent) {
            (Some(holder), Some(agent)) => holder == agent,
            (None, _) | (_, None) => true,
        }
    }

    /// Whether it has ended. A lease longer than the longest one comes from a wrong clock, and counts as ended.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.until <= now || self.until.ms_since(now) > *LEASE_MS_RANGE.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MAIL-11
    fn the_name_of_a_held_file_says_who_holds_it_until_when() {
        let file = FileName::parse("20260128T153000Z_orch~0002_task.md").unwrap();
        let owner = MailboxName::parse("worker-1").unwrap();
        let lease =
            Lease { file, owner, until: Timestamp::from_ms(1_783_209_431_408), returned: 3, agent: None };
        assert_eq!(lease.name(), "20260128T153000Z_orch~0002_task.md~worker-1~1783209431408~3");
        assert_eq!(Lease::parse(&lease.name()), Some(lease.clone()));
        let agent = MailboxName::parse("codex.maker").ok();
        let of_agent = Lease { agent, ..lease.clone() };
        assert_eq!(
            of_agent.name(),
            "20260128T153000Z_orch~0002_task.md~worker-1~1783209431408~3~codex.maker"
        );
        assert_eq!(Lease::parse(&of_agent.name()), Some(of_agent.clone()));
        let of_numbers = Lease {
            owner: MailboxName::parse("7").unwrap(),
            agent: MailboxName::parse("9").ok(),
            ..of_agent
        };
        assert_eq!(Lease::parse(&of_numbers.name()), Some(of_numbers));
        assert!(lease.is_over(lease.until) && !lease.is_over(Timestamp::from_ms(lease.until.ms() - 1)));
    }

    #[test] // spec: MAIL-11
    fn a_clock_that_was_wrong_holds_nothing_for_years() {
        let file = FileName::parse("20260128T153000Z_orch_task.md").unwrap();
        let day = *LEASE_MS_RANGE.end();
        let lease = |until| Lease {
            file: file.clone(),
            owner: MailboxName::parse("w").unwrap(),
            until: Timestamp::from_ms(until),
            returned: 0,
            agent: None,
        };
        let now = Timestamp::from_ms(1_783_209_431_408);
        assert!(!lease(now.ms() + day).is_over(now), "the longest lease");
        assert!(lease(now.ms() + day + 1).is_over(now) && lease(i64::MAX).is_over(now));
    }

    #[test] // spec: MAIL-11
    fn other_names_hold_nothing() {
        for bad in [
            "",
            "x",
            "20260128T153000Z_a_task.md",
            "20260128T153000Z_a_task.md~w~1",
            "x.md~w~1~1",
            "20260128T153000Z_a_task.md~../w~1~1",
            "20260128T153000Z_a_task.md~w~-1~1",
            "20260128T153000Z_a_task.md~w~1~x",
            "20260128T153000Z_a_task.md~w~+1~1",
        ] {
            assert_eq!(Lease::parse(bad), None, "{bad:?}");
        }
    }
}
