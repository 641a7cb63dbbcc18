//! Limits of texts in the live channel.

use super::error::LiveError;
use brainstem_mail::live::channel::NOTE_LEN_MAX;

/// Refuses a text that is too long to wait in memory; it can be sent as mail.
pub(super) fn check_len(field: &'static str, text: &str) -> Result<(), LiveError> {
    if text.len() <= NOTE_LEN_MAX { Ok(()) } else { Err(LiveError::TooLong { field, len: text.len() }) }
}

/// Refuses a text of several lines. A reader sees it on the sender's line, so a second line could pass for this program's own
/// words.
pub(super) fn check_one_line(field: &'static str, text: &str) -> Result<(), LiveError> {
    if text.chars().any(char::is_control) { Err(LiveError::NotOneLine { field }) } else { Ok(()) }
}
