//! What holds for the reader of messages whatever the bytes. The fuzz target uses this file too.

use brainstem_base::Timestamp;
use brainstem_mail::head::MessageHead;
use brainstem_mail::message::Message;

/// Reads bytes that may be a message and checks what must hold of the reading. `false`: they are none.
pub(crate) fn check(bytes: &[u8]) -> bool {
    let head = MessageHead::parse(bytes);
    let Ok(message) = Message::parse(bytes.to_vec()) else { return false };
    assert_eq!(head.as_ref(), Ok(&message.head), "the head alone says the same");
    assert_eq!(message.text().as_bytes(), bytes, "every byte is kept");
    assert!(message.text().ends_with(message.body()));

    let read_at = Timestamp::from_ms(1_769_614_200_000);
    // One that would be too long with the stamp is refused.
    let Ok(stamped) = message.stamped(read_at) else { return true };
    let read = Message::parse(stamped.clone().into_bytes()).expect("a stamped message is still one");
    assert_eq!(read.head.read_at, Some(read_at));
    assert_eq!(read.body(), message.body());
    // A stamp takes the place of one that was odd, and of the warning about it.
    let (before, warnings) = (message.head.read_at, message.head.warnings.clone());
    assert_eq!(
        MessageHead { read_at: before, warnings, ..read.head.clone() },
        message.head,
        "only the stamp differs"
    );
    assert_eq!(read.stamped(read_at), Ok(stamped), "twice is once");
    true
}
