//! The doctor's findings about the mirror of the inbox. Looking changes nothing.

use crate::Post;
use crate::inbox_files::{INBOX_FOLDER, LEDGER_FOLDER};
use brainstem_base::next::{VerbId, calls};
use brainstem_base::{Advice, advice};
use brainstem_inbox::founding::SeenEnds;
use brainstem_inbox::{InboxDirectory, Quarantined};
use brainstem_inbox_sqlite::{LookDepth, MirrorLook, SqliteError, SqliteFault};
use brainstem_ledger::{Head, Ledger, LedgerError, Sequence, TopicId};
use brainstem_memory::{Finding, Trouble};

/// How many messages that were set aside are named.
const NAMED_MAX: usize = 3;

impl Post {
    /// Checks that the mirror is there, can be read and is up to the ledger, and names what was set aside. A ledger that cannot be
    /// read is the finding of another check.
    pub fn inbox_health(&self) -> Vec<Finding> {
        if self.disk().stat(&self.folder_of(LEDGER_FOLDER)).is_err() {
            return Vec::new();
        }
        let ledger = self.ledger_apart();
        let mut directory = InboxDirectory::default();
        let is_read = directory.refresh(&ledger, &SeenEnds::new()).is_ok();
        if !is_read || directory.home().is_none() {
            return Vec::new();
        }
        let place = self.folder_of(INBOX_FOLDER).join("inbox.sqlite");
        let found =
            |trouble, detail: String, fix: Advice| Finding { trouble, place: place.clone(), detail, fix };
        let look = match self.look_at_mirror(LookDepth::Pages, NAMED_MAX) {
            Ok(Some(look)) => look,
            Ok(None) => {
                let detail = "the inbox has no mirror: the next look at an inbox makes it from the ledger";
                let fix =
                    advice!["leave it to the next look, or make it now with `", calls::inbox_rebuild(), "`"];
                return vec![found(Trouble::InboxMirrorMissing, detail.to_owned(), fix)];
            }
            Err(error) => {
                let (trouble, fix) = unread(&error);
                return vec![found(trouble, error.to_string(), fix)];
            }
        };
        let mut findings = Vec::new();
        match messages_behind(&ledger, &directory, &look) {
            Ok(0) | Err(_) => {}
            Ok(count) => {
                let detail = format!("messages that the mirror has not taken in yet: {count}");
                let fix =
                    advice!["leave it to the next look at an inbox, such as `", calls::inbox_list(), "`"];
                findings.push(found(Trouble::InboxMirrorBehind, detail, fix));
            }
        }
        if let Some(reader) = &look.miscounted {
            let detail = format!("the counts of unread messages of `{reader}` are not those of its rows");
            let fix = advice!["make the inbox anew from the ledger with `", calls::inbox_rebuild(), "`"];
            findings.push(found(Trouble::InboxMirrorCounts, detail, fix));
        }
        if look.quarantined_count > 0 {
            let named: Vec<String> = look.quarantined.iter().map(in_words).collect();
            let detail = format!(
                "messages that were set aside: {}, the newest {}",
                look.quarantined_count,
                named.join("; ")
            );
            let fix = advice![
                "look at them on their topics with ",
                VerbId::LedgerShow,
                ", and have their senders send again what was meant"
            ];
            findings.push(found(Trouble::InboxQuarantine, detail, fix));
        }
        findings
    }
}

/// What a mirror that cannot be read is, and what to do about it.
fn unread(error: &SqliteError) -> (Trouble, Advice) {
    let anew = || advice!["make it anew from the ledger with `", calls::inbox_rebuild(), "`"];
    match error.fault {
        SqliteFault::Newer { .. } => {
            let fix = advice![
                "use the newer version of this program; or make the mirror anew for this one with `",
                calls::inbox_rebuild(),
                "`"
            ];
            (Trouble::InboxMirrorNewer, fix)
        }
        SqliteFault::Foreign | SqliteFault::Damaged(_) => (Trouble::InboxMirrorUnreadable, anew()),
        SqliteFault::Missing
        | SqliteFault::Busy
        | SqliteFault::Full
        | SqliteFault::ReadOnly
        | SqliteFault::Unopenable
        | SqliteFault::Link
        | SqliteFault::Other(_) => {
            let fix = "make the folder `inbox` of the home a real folder that you can write";
            (Trouble::InboxMirrorUnreadable, fix.into())
        }
    }
}

/// How many messages of the topics that the mirror follows are not in it yet.
fn messages_behind(
    ledger: &dyn Ledger,
    directory: &InboxDirectory,
    look: &MirrorLook,
) -> Result<u64, LedgerError> {
    let control = directory.control_heads().map(|head| head.topic);
    let topics: Vec<TopicId> = directory.followed().map(|(topic, _)| topic).chain(control).collect();
    let number = |sequence: Option<Sequence>| sequence.map_or(0, |sequence| sequence.number());
    let mut count = 0;
    for topic in topics {
        let seen = look.cursors.iter().find(|cursor| cursor.topic == topic).map(|cursor| cursor.sequence);
        let Head { sequence, .. } = ledger.head(topic)?;
        count += number(sequence).saturating_sub(number(seen));
    }
    Ok(count)
}

fn in_words(aside: &Quarantined) -> String {
    let Quarantined { topic, sequence, reason, detail, .. } = aside;
    format!("topic {topic}, message {sequence} ({}: {detail})", reason.as_str())
}
