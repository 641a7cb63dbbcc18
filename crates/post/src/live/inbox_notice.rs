//! The notice that a message came into an inbox.

use brainstem_inbox::RowId;
use brainstem_mail::live::LiveNote;

/// The kind of such a notice. What it says is the id of the row.
pub(super) const INBOX_NOTICE: &str = "inbox";

/// The row that a notice about a message of an inbox is of.
pub(super) fn row_of(note: &LiveNote) -> Option<RowId> {
    (note.kind == INBOX_NOTICE).then(|| note.body.parse().ok()).flatten()
}
