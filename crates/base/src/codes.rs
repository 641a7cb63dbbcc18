//! The register of error codes: public, permanent, one line each.
//!
//! The reference page, the HTTP status and the exit status come from this table.

use std::fmt;

/// A registered error code such as `claim.would_downgrade`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ErrorCode(&'static CodeRow);

#[derive(PartialEq, Eq, Hash)]
struct CodeRow {
    name: &'static str,
    http_status: u16,
    summary: &'static str,
}

impl ErrorCode {
    /// The code as it is written on the wire.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The HTTP status that fits.
    pub fn http_status(self) -> u16 {
        self.0.http_status
    }

    /// One sentence for the reference.
    pub fn summary(self) -> &'static str {
        self.0.summary
    }
}

impl fmt::Debug for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

macro_rules! codes {
    ($($ident:ident = $name:literal, $status:literal, $summary:literal;)*) => {
        $(#[doc = $summary] pub const $ident: ErrorCode =
            ErrorCode(&CodeRow { name: $name, http_status: $status, summary: $summary });)*
        /// Every registered code, in the order of the reference.
        pub const ALL: &[ErrorCode] = &[$($ident),*];
    };
}

codes! {
    INPUT_UNPARSABLE = "input.unparsable", 400, "The command line or the request could not be parsed.";
    INPUT_CANCELLED = "input.cancelled", 499, "The caller cancelled the request before it was done.";
    INPUT_BAD_VALUE = "input.bad_value", 400, "A field has a value that it does not accept.";
    INPUT_MISSING = "input.missing", 400, "A required field was not given.";
    INPUT_TOO_LARGE = "input.too_large", 413, "A field is larger than its limit.";
    INPUT_NOT_UTF8 = "input.not_utf8", 400, "A text is not valid UTF-8.";
    INPUT_UNREADABLE = "input.unreadable", 400, "A file named in the request cannot be read.";
    INPUT_UNKNOWN_VERB = "input.unknown_verb", 404, "No verb has this name.";
    OUTPUT_UNWRITABLE = "output.unwritable", 500, "The answer could not be written to standard output.";
    OUTPUT_TOO_LARGE = "output.too_large", 413, "The answer would be longer than an answer may be; ask for less at a time.";
    INPUT_METHOD = "input.method", 405, "This path takes another method of HTTP.";
    INPUT_TOO_SLOW = "input.too_slow", 408, "The body of a request took too long to arrive.";
    INPUT_MEDIA = "input.media", 415, "The body of a request is not JSON.";

    ACCESS_TOKEN = "access.token", 401, "The request carries no token of this home, or a wrong one.";
    ACCESS_FOREIGN = "access.foreign", 403, "The request comes from another site, or under a name that is not the daemon's.";

    DAEMON_RUNNING = "daemon.running", 409, "A daemon serves this home already.";
    DAEMON_ADDRESS = "daemon.address", 409, "The daemon cannot listen on this address.";
    DAEMON_FAILED = "daemon.failed", 500, "The daemon did not start, or did not stop.";
    DAEMON_ABSENT = "daemon.absent", 409, "No daemon serves this home.";
    DAEMON_BUSY = "daemon.busy", 503, "Too many calls, sessions or streams at once; nothing was done.";
    DAEMON_TIME_UP = "daemon.time_up", 504, "The call took longer than a call may; the answer says how far it came, or that it goes on.";

    IDENTITY_BAD_AGENT = "identity.bad_agent", 400, "An agent id does not follow the name rule.";

    HOME_UNUSABLE = "home.unusable", 500, "The home folder cannot be found, made or read.";
    HOME_NEWER_SCHEMA = "home.newer_schema", 409, "The home was written by a newer program; this one only reads it.";

    CONFIG_BROKEN = "config.broken", 409, "A file of settings cannot be read; the line is named.";

    MEMORY_BRAINLESS_ROOT = "memory.brainless_root", 409, "The caller's root has no brain, so project memory cannot be written.";
    MEMORY_ROOT_REPLACED = "memory.root_replaced", 409, "Another folder was made where a brain's root was; its memory is kept, and neither shown nor written there.";
    MEMORY_ROOT_GONE = "memory.root_gone", 409, "The root of a brain is gone and this folder looks like its project, or is its worktree; only the caller can say whether it is.";
    MEMORY_SET_ASIDE = "memory.set_aside", 409, "The brain was set aside; its memory is kept, and neither shown nor written until it is taken up again.";
    MEMORY_HAS_BRAIN = "memory.has_brain", 409, "The folder has a brain already, its own or that of the project around it.";
    MEMORY_NOT_A_PROJECT = "memory.not_a_project", 409, "This folder can never be a project's root.";
    MEMORY_ROOT_MISSING = "memory.root_missing", 404, "The folder given as a root does not exist.";
    MEMORY_UNKNOWN_BRAIN = "memory.unknown_brain", 404, "No brain of this home has this root or name.";
    MEMORY_QUOTA = "memory.quota", 429, "This agent has written too often within a minute; nothing was written.";

    MEMORY_NOT_A_REPOSITORY = "memory.not_a_repository", 409, "Memory can travel only with a git repository, and there is none here.";

    BOOT_NOT_FOUND = "boot.not_found", 404, "No boot key has this name.";

    CLAIM_BAD_LABEL = "claim.bad_label", 400, "A label is empty or too long.";
    CLAIM_BAD_CONFIDENCE = "claim.bad_confidence", 400, "A confidence is neither 0..1 nor high, medium or low.";
    CLAIM_BAD_STATE = "claim.bad_state", 400, "A state is not authored, verified or outdated.";
    CLAIM_SLUG_TAKEN = "claim.slug_taken", 409, "Another label already lives under the same file name.";
    CLAIM_WOULD_DOWNGRADE = "claim.would_downgrade", 409, "The live claim is stronger than the one given; nothing was written.";
    CLAIM_NOT_FOUND = "claim.not_found", 404, "No live claim has this label.";
    CLAIM_UNREADABLE = "claim.unreadable", 409, "The claim's file is not a readable claim and was left alone.";
    CLAIM_TOO_LARGE = "claim.too_large", 413, "The claim would be larger than 256 KiB.";
    CLAIM_CHANGED = "claim.changed", 409, "Someone else changed the claim meanwhile; nothing was written.";
    CLAIM_FORGET_UNCONFIRMED = "claim.forget_unconfirmed", 409, "Forgetting deletes for good and was not confirmed; nothing was deleted.";
    CLAIM_CONFLICT_MARKERS = "claim.conflict_markers", 400, "The text carries git conflict markers.";

    DELEGATION_UNKNOWN = "delegation.unknown", 404, "No delegation of this brain has this id.";
    DELEGATION_OTHER_BRAIN = "delegation.other_brain", 409, "The delegation was given out in another brain.";
    DELEGATION_EXPIRED = "delegation.expired", 409, "The delegation ran out before it was debriefed; nothing was written.";
    DELEGATION_CLOSED = "delegation.closed", 409, "The delegation was debriefed before, with another report; nothing was written.";
    DELEGATION_BAD_REPORT = "delegation.bad_report", 400, "The text is not a report in the form of a delegation.";

    MAIL_BAD_NAME = "mail.bad_name", 400, "A mailbox, a session, a tag or a message cannot have this name.";
    MAIL_OTHER_SPELLING = "mail.other_spelling", 409, "The name is in use here in another spelling, and the two differ only by case; nothing was done under it.";
    MAIL_NAME_TAKEN = "mail.name_taken", 409, "A live session of another agent has this name or carries it as a tag, or it is an address of another agent or of a person; nothing was done under it.";
    MAIL_BAD_TYPE = "mail.bad_type", 400, "A message of this type cannot be sent.";
    MAIL_ROOT_REFUSED = "mail.root_refused", 409, "No mail can be kept in this folder: the root of the file system, a person's home, the home of brainstem, a folder of the system, or the top of a repository; nothing was written.";
    MAIL_NO_ROOT = "mail.no_root", 409, "The caller is in no project, or names a mail root that does not exist, so it has no mail.";
    MAIL_NOT_FOUND = "mail.not_found", 404, "That box has no such message.";
    MAIL_AMBIGUOUS = "mail.ambiguous", 409, "Several messages have this name; the answer lists them as box/file.";
    MAIL_UNREADABLE = "mail.unreadable", 409, "The file cannot be read as a message and was left where it is.";
    MAIL_UNFINISHED = "mail.unfinished", 409, "A program is still writing the message; it was left where it is.";
    MAIL_KEY_REUSED = "mail.key_reused", 409, "The key of a send was used before in that box, for another message.";
    MAIL_CLAIMED = "mail.claimed", 409, "Another reader has taken the message; the answer names it and the end of its lease.";
    MAIL_NOT_YOURS = "mail.not_yours", 403, "The box belongs to another session; nothing was moved.";
    MAIL_NOTHING = "mail.nothing", 404, "Your boxes have no message to take.";
    INBOX_UNKNOWN_RECIPIENT = "inbox.unknown_recipient", 404, "No agent or person has this slug; nothing was sent.";
    INBOX_UNKNOWN_ENTITY = "inbox.unknown_entity", 404, "No entity has this id or this topic.";
    INBOX_NOT_FOUND = "inbox.not_found", 404, "No message of the inbox has this id.";
    INBOX_NOT_YOURS = "inbox.not_yours", 403, "The message is in the inbox of another agent; nothing was changed.";
    INBOX_CLAIMED = "inbox.claimed", 409, "Another session of the agent works on the message; the answer names it and the end of its lease.";
    INBOX_KEY_REUSED = "inbox.key_reused", 409, "The key of a send was used before, for another message.";
    INBOX_CONNECTION_REFUSED = "inbox.connection_refused", 409, "The connection with an outsider is in a state that does not take this decision.";
    INBOX_CURSOR_EXPIRED = "inbox.cursor_expired", 410, "The events behind this cursor are not kept any more, or the mirror was made anew.";
    INBOX_CURSOR_AHEAD = "inbox.cursor_ahead", 409, "No event has this position yet.";
    INBOX_LEDGER_CHANGED = "inbox.ledger_changed", 409, "The ledger is not what an earlier reader saw: it was changed, or restored from an older copy; the answer names the first message that differs.";
    INBOX_UNAVAILABLE = "inbox.unavailable", 503, "The ledger or the mirror of the inbox cannot be read or written now.";
    LEDGER_NOT_FOUND = "ledger.not_found", 404, "The ledger has no such topic or message.";
    LEDGER_CHANGED = "ledger.changed", 409, "The ledger is not what it was when a head or a cursor was kept: it was changed, or restored from an older copy.";
    LEDGER_BAD_PROOF = "ledger.bad_proof", 409, "The file is no head or receipt that holds: it was changed, or a key signed it that is not known here.";
    LEDGER_NEWER = "ledger.newer", 409, "A newer version of this program wrote the ledger; it is left as it is.";
    LEDGER_DAMAGED = "ledger.damaged", 500, "The file of the ledger is damaged or is no ledger; it is left as it is.";
    LEDGER_ERASURE_DUE = "ledger.erasure_due", 500, "The redaction was done and is on record, and the file of the ledger could not be written anew, so that unused room of it may still have the content; repeat the call.";
    LEDGER_UNAVAILABLE = "ledger.unavailable", 503, "The ledger cannot be read or written now.";
    LIVE_NOBODY = "live.nobody", 404, "No recipient is online, and there is no box to send it to.";
    LIVE_NO_DAEMON = "live.no_daemon", 409, "No daemon serves a live channel for this call, so no session is online; mail waits in its box.";
    LETTER_BAD_KIND = "letter.bad_kind", 400, "A memory_misdelivery letter has a kind outside the closed set.";
    LETTER_NOT_FOUND = "letter.not_found", 404, "No letter within reach has this id.";
    LETTER_NO_CASE = "letter.no_case", 409, "No case of the battery can be made from this letter; nothing was written.";
    BATTERY_NOT_VOUCHED = "battery.not_vouched", 409, "Only a person can say, with a reason, that a case cannot be seen to fail; nothing was written.";
    BATTERY_TAKEN = "battery.taken", 409, "A case of this name exists already; it was left as it is.";
    PROJECTS_BROKEN = "projects.broken", 409, "The file projects.toml cannot be read; the line is named.";
    MAILBOX_UNKNOWN_BRAIN = "mailbox.unknown_brain", 404, "No registered project has this root, so no box is shown.";

    HOST_FILE_UNFIT = "host.file_unfit", 409, "A file of a host cannot be changed safely; nothing was written.";
    HOST_FILE_OUTSIDE = "host.file_outside", 409, "A file of a host leads out of the project; nothing was written.";
    HOST_VERSION_UNKNOWN = "host.version_unknown", 409, "Nothing in the project shows which version of the host reads its file; nothing was written.";
    HOST_FILE_CHANGED = "host.file_changed", 409, "A file of a host changed while it was being changed; repeat the call.";

    HYGIENE_SECRET = "hygiene.secret", 422, "A field carries a credential; nothing was written.";
    IMPORT_UNSORTED = "import.unsorted", 409, "It is unknown which project a claim belongs to; it was not imported.";
    MIGRATE_NOTHING = "migrate.nothing", 409, "No migration is left to roll back.";
    MIGRATE_CHANGED = "migrate.changed", 409, "Something that a rollback needs is missing; nothing was rolled back.";
    MIGRATE_MISCOUNTED = "migrate.miscounted", 500, "After a migration a claim is missing, is there twice, or could not be read.";
    EDIT_FAILED = "edit.failed", 500, "The editor could not be run or gave no text back.";
    EXPORT_TAKEN = "export.taken", 409, "The target of the export exists already.";

    STORE_READ_ONLY = "store.read_only", 507, "The store cannot be written: read-only or not permitted.";
    STORE_NO_SPACE = "store.no_space", 507, "The disk is full; nothing was changed.";
    STORE_UNCONFIRMED = "store.unconfirmed", 500, "The disk did not confirm the change, so it may be in place or not; look before you repeat the call.";
    STORE_BUSY = "store.busy", 503, "Another process held the store's lock for too long.";
    STORE_MOVED = "store.moved", 409, "The project's memory moved into its repository, or out of it, during the call.";
    STORE_PRIVATE_EXPOSED = "store.private_exposed", 409, "The project or its mail is private, and git can commit what is there.";
    STORE_UNREADABLE = "store.unreadable", 500, "The store cannot be read.";
    STORE_FAILED = "store.failed", 500, "A disk operation failed.";

    INTERNAL_BUG = "internal.bug", 500, "A check inside the program failed; the request was refused.";
}

/// Finds a code by its name.
pub fn find(name: &str) -> Option<ErrorCode> {
    ALL.iter().copied().find(|code| code.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn codes_are_unique_and_well_formed() {
        let names: BTreeSet<_> = ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), ALL.len());
        for code in ALL {
            let (family, rest) = code.name().split_once('.').expect("family.rest");
            for part in [family, rest] {
                assert!(
                    !part.is_empty()
                        && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'),
                    "{code:?}"
                );
            }
            assert!((400..600).contains(&code.http_status()), "{code:?}");
        }
    }
}
