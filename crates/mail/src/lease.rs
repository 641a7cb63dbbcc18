//! Holding a message that was taken out of a box, until it is done or the lease runs out.
//!
//! The name of the file says all of it, `<file>~<owner>~<until ms>~<n>`, so one rename takes a message and
//! no kill leaves a doubtful state.

use crate::file_name::FileName;
use crate::limits::LEASE_MS_RANGE;
use crate::name::MailboxName;
use brainstem_base::Timestamp;

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
}

impl Lease {
    /// The name of the held file.
    pub fn name(&self) -> String {
        format!("{}~{}~{}~{}", self.file, self.owner, self.until.ms(), self.returned)
    }

    /// Reads the name of a held file.
    pub fn parse(name: &str) -> Option<Self> {
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
        })
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
        let lease = Lease { file, owner, until: Timestamp::from_ms(1_783_209_431_408), returned: 3 };
        assert_eq!(lease.name(), "20260128T153000Z_orch~0002_task.md~worker-1~1783209431408~3");
        assert_eq!(Lease::parse(&lease.name()), Some(lease.clone()));
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
