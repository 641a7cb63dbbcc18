//! What a reader hears of a message that expired before it was read, and of one that is not in a box.

use crate::world::{CHERRY, World, caller, message, refusal, sending};
use brainstem_memory::Caller;
use brainstem_post::mail::{MessageKind, ReadRequest, SendRequest};

const HOUR_MS: i64 = 60 * 60 * 1_000;

fn w1() -> Caller {
    caller("codex:maker", "w1", CHERRY)
}

fn read(file: Option<&str>) -> ReadRequest {
    ReadRequest { file: file.map(message), ..ReadRequest::default() }
}

#[test] // spec: MAIL-13
fn a_message_that_expired_says_so_and_is_counted_where_nothing_is_unread() {
    let world = World::new();
    let expires = world.post.mail_words().expires(Some("2h")).unwrap();
    let short = SendRequest { subject: "short".into(), expires, ..sending("w1", MessageKind::Task) };
    let file = world.send_with(&w1(), short).file.to_string();
    assert!(!world.post.read_mail(&w1(), &read(Some(&file))).unwrap().row.expired);
    let none = |world: &World| refusal(world.post.read_mail(&w1(), &read(None))).message;
    world.clock.advance(3 * HOUR_MS);
    assert!(world.post.read_mail(&w1(), &read(Some(&file))).unwrap().row.expired);
    assert!(none(&world).contains("1 message there has expired"), "{}", none(&world));
    let rows = world.post.thread(&w1(), &file).unwrap().messages;
    assert!(rows[0].row.expired, "in a conversation too");
    world.post.mark_read(&w1(), &crate::world::named(&file)).unwrap();
    assert!(!world.post.read_mail(&w1(), &read(Some(&file))).unwrap().row.expired, "it was read");
}

#[test] // spec: MAIL-10
fn a_message_that_is_not_in_a_named_box_is_answered_with_the_list_of_that_box() {
    let world = World::new();
    world.send(&w1(), "w2", "hello");
    let refused = refusal(world.post.read_mail(&w1(), &read(Some("w2/nothing"))));
    assert_eq!(refused.code.name(), "mail.not_found");
    assert!(refused.fix.unwrap().to_string().contains("brainstem mail list --box w2"));
}
