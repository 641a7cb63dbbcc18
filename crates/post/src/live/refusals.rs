//! What sending and polling refuse alike.

use brainstem_base::advice;
use brainstem_base::next::{VerbId, calls};
use brainstem_base::{Fault, codes};
use brainstem_mail::live::channel::NOTE_LEN_MAX;

/// What waits in memory is short; what is longer is mail.
pub(super) fn check_len(field: &'static str, text: &str) -> Result<(), Fault> {
    if text.len() <= NOTE_LEN_MAX {
        return Ok(());
    }
    Err(Fault::new(codes::INPUT_TOO_LARGE, format!("`{field}` has {} bytes", text.len()))
        .fix(advice!["say it live in at most {NOTE_LEN_MAX} bytes, or as mail, with ", VerbId::MailSend])
        .field(field)
        .rule("MAIL-17"))
}

/// The refusal of what only a daemon can do.
pub(super) fn no_daemon() -> Fault {
    Fault::new(codes::LIVE_NO_DAEMON, "no daemon carries a live channel here, so nobody is online")
        .fix(advice![
            "start one with `",
            calls::up(),
            "`, or use mail: ",
            VerbId::MailSend,
            ", ",
            calls::mail_list()
        ])
        .rule("IF-10")
}
