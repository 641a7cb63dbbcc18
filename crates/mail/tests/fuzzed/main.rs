//! Damaged messages: no panic, no lost byte.

mod properties;

#[test] // spec: MAIL-7a, MAIL-9
fn a_damaged_message_is_none_or_keeps_its_bytes() {
    let read = brainstem_testkit::try_damaged("mail_head", 3_000, properties::check);
    assert!(read > 100, "{read} of the damaged messages can still be read");
}
