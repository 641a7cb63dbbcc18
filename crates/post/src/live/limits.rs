//! What the texts of the live channel may be.

use super::error::LiveError;
use brainstem_mail::live::channel::NOTE_LEN_MAX;

/// What waits in memory is short; what is longer is mail.
pub(super) fn check_len(field: &'static str, text: &str) -> Result<(), LiveError> {
    if text.len() <= NOTE_LEN_MAX { Ok(()) } else { Err(LiveError::TooLong { field, len: text.len() }) }
}

/// A reader is shown it on the line of the sender, so that a second line could pass for the program's own words.
pub(super) fn check_one_line(field: &'static str, text: &str) -> Result<(), LiveError> {
    if text.chars().any(char::is_control) { Err(LiveError::NotOneLine { field }) } else { Ok(()) }
}
