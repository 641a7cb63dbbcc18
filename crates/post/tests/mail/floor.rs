//! What is refused before it reaches the disk.

use crate::world::{CHERRY, MAIL, World, caller, code, key, message, named, refusal, replying, sending};
use brainstem_base::disk::Disk as _;
use brainstem_memory::{Caller, Trouble};
use brainstem_post::mail::{
    MailListRequest, MailSharing, MessageFilter, MessageKind, ReadRequest, SearchRequest, SendKey,
    SendRequest, TakeRequest, words,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn ana() -> Caller {
    caller("human:ana", "", CHERRY)
}

fn to(to: &str) -> SendRequest {
    SendRequest { body: "hello".into(), ..sending(to, MessageKind::Task) }
}

/// A credential that is none: its shape is enough.
fn secret() -> String {
    format!("AKIA{}", "Z7QK3M5N2P4R6T8W")
}

/// Sends that carry a secret, each in another field.
fn with_secrets() -> Vec<SendRequest> {
    vec![
        SendRequest { body: secret(), ..to("w1") },
        SendRequest { subject: secret(), ..to("w1") },
        SendRequest { tags: vec![secret()], ..to("w1") },
        SendRequest { thread_id: Some(secret()), ..to("w1") },
        SendRequest { key: key(&secret()), ..to("w1") },
    ]
}

#[test] // spec: MAIL-1a, MEM-14
fn no_message_with_a_secret_is_sent_though_its_box_is_private() {
    let world = World::new();
    let sent = world.send(&ana(), "w1", "hello");
    let before = world.disk.dump();
    for request in with_secrets() {
        assert_eq!(code(world.post.send(&ana(), &request)), "hygiene.secret");
    }
    assert_eq!(code(world.post.mail_words().recipients(&[secret()])), "hygiene.secret");
    let reply = replying(sent.file.as_str(), &secret());
    assert_eq!(code(world.post.reply(&caller("codex:maker", "w1", CHERRY), &reply)), "hygiene.secret");
    assert_eq!(messages(&world.disk.dump()), messages(&before), "nothing was written");
    let merge = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n";
    assert_eq!(
        code(world.post.send(&ana(), &SendRequest { body: merge.into(), ..to("w1") })),
        "ok",
        "an unfinished merge is no secret, and may be spoken of"
    );
}

#[test] // spec: MEM-14, MAIL-4
fn no_session_and_no_tag_is_named_by_a_secret() {
    let world = World::new();
    let named =
        |name: Option<&str>, tags: &[String]| code(world.post.register_session(&ana(), name, Some(tags)));
    assert_eq!(named(Some(&secret()), &[]), "hygiene.secret");
    assert_eq!(named(Some("w1"), &[secret()]), "hygiene.secret");
    assert!(!world.disk.dump().keys().any(|path| path.display().to_string().contains(&secret())));
    assert_eq!(named(Some("w1"), &["orchestrator".into()]), "ok");
}

// A search that finds a secret tells it letter by letter, and a cut secret is not known as one.
#[test] // spec: MEM-14a, MAIL-15
fn a_search_neither_finds_nor_shows_a_secret_that_lies_in_a_message() {
    let world = World::new();
    let w1 = caller("codex:maker", "w1", CHERRY);
    let sent = world.send(&ana(), "w1", "hello");
    let text = String::from_utf8(world.disk.dump()[&sent.path].clone()).unwrap();
    let line = format!("needle {} {}", "x ".repeat(94), secret());
    world.disk.write_raw(&sent.path, text.replace("hello", &line).as_bytes());
    let search = |query: &str| {
        let request = SearchRequest { query: query.into(), limit: 9, ..SearchRequest::default() };
        world.post.search_mail(&w1, &request).unwrap().hits
    };
    let hits = search("needle");
    assert_eq!(hits.len(), 1);
    assert!(!hits[0].snippet.contains(&secret()[..4]), "{}", hits[0].snippet);
    assert_eq!(search(&secret()[..6]).len(), 0, "a guess is not confirmed");
}

#[test] // spec: MEM-14a, MAIL-14, MAIL-15
fn no_question_confirms_a_guess_at_a_secret_in_a_message() {
    let world = World::new();
    let w1 = caller("codex:maker", "w1", CHERRY);
    let sent = world.send(&ana(), "w1", "hello");
    let text = String::from_utf8(world.disk.dump()[&sent.path].clone()).unwrap();
    let file = format!("20260704T120000Z_{}_task.md", secret());
    let head = format!("tags: [{0}]\nthread_id: {0}\nfrom: {0}\n", secret());
    let lines =
        text.lines().filter(|line| !["tags:", "thread_id:", "from:"].iter().any(|key| line.starts_with(key)));
    let text = format!("---\n{head}{}\n", lines.skip(1).collect::<Vec<_>>().join("\n"));
    world.disk.unlink(&sent.path).unwrap();
    world.disk.write_raw(sent.path.with_file_name(&file), text.as_bytes());
    world.clock.advance(10_000);
    let wrong = format!("AKIA{}", "Z7QK3M5N2P4R6T8V");
    // Parts of the name: right and wrong ones are answered alike.
    let part = |part: &str| {
        let file = world.post.mail_words().message(part);
        let read = file.and_then(|file| {
            world.post.read_mail(&w1, &ReadRequest { file: Some(file), ..ReadRequest::default() })
        });
        (code(world.post.thread(&w1, part)), code(read))
    };
    for guess in [&secret()[..6], &wrong[wrong.len() - 3..], &secret()[10..]] {
        assert_eq!(part(guess), ("mail.not_found", "mail.not_found"), "{guess}");
    }
    for guess in [&secret(), &wrong, &file] {
        assert_eq!(part(guess), ("hygiene.secret", "hygiene.secret"), "{guess}");
    }
    let filters = |text: &str| -> [MailListRequest; 4] {
        let (some, none) = (|| Some(text.to_owned()), MessageFilter::default);
        [
            MessageFilter { tag: some(), ..none() },
            MessageFilter { thread: some(), ..none() },
            MessageFilter { from: some(), ..none() },
            MessageFilter { kind: some(), ..none() },
        ]
        .map(|filter| MailListRequest { filter, ..MailListRequest::default() })
    };
    for request in filters(&secret()).iter().chain(&filters(&wrong)) {
        assert_eq!(code(world.post.list_mail(&w1, request)), "hygiene.secret", "{request:?}");
    }
    // What readers see of its name finds it, and so does a call that names none.
    assert_eq!(part("20260704T120000Z"), ("ok", "ok"));
    let next = world.post.read_mail(&w1, &ReadRequest::default()).unwrap();
    assert_eq!(next.row.file, file);
    world.post.archive(&w1, &named(&"20260704T120000Z")).unwrap();
}

#[test] // spec: MEM-14a, MAIL-2
fn a_box_that_is_named_by_a_secret_is_refused_whether_it_is_there_or_not() {
    let world = World::new();
    let w1 = caller("codex:maker", "w1", CHERRY);
    let sent = world.send(&ana(), "w1", "hello");
    let text = world.disk.dump()[&sent.path].clone();
    let there = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
    let wrong = format!("{}b", &there[..there.len() - 1]);
    let file = "20260704T120000Z_eve_task.md";
    let path = Path::new(MAIL).join(&there).join(file);
    world.disk.make_dir(path.parent().unwrap()).unwrap();
    world.disk.write_raw(&path, &text);
    world.clock.advance(10_000);
    for spelled in [str::to_owned, str::to_uppercase, str::to_lowercase] {
        for name in [&there, &wrong] {
            let (mailbox, words) = (spelled(name), world.post.mail_words());
            let message = format!("{mailbox}/{file}");
            let answers = [
                // Every call that names a box or a message names it by these.
                code(words.mailbox(Some(&mailbox))),
                code(words.message(&message)),
                code(words.answered(Some(&message))),
                code(words.recipients(std::slice::from_ref(&mailbox))),
                code(world.post.thread(&w1, &message)),
                code(world.post.register_session(&w1, Some(&mailbox), Some(&[]))),
            ];
            assert_eq!(answers, ["hygiene.secret"; 6], "{mailbox:?}");
        }
    }
}

/// The files of a mail root, without the marks of who was seen.
fn messages(files: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<(&PathBuf, &Vec<u8>)> {
    files.iter().filter(|(path, _)| path.starts_with(MAIL)).collect()
}

#[test] // spec: MAIL-1a
fn mail_that_may_be_committed_carries_no_secret() {
    let world = World::new();
    let sent = world.send(&ana(), "w1", "hello");
    let text = String::from_utf8(world.disk.dump()[&sent.path].clone()).unwrap();
    world.disk.write_raw(&sent.path, text.replace("hello", &secret()).as_bytes());
    assert_eq!(
        code(world.post.init_mail(&ana(), MailSharing::Committed)),
        "hygiene.secret",
        "what lies there is looked through first"
    );
    assert!(world.disk.dump()[Path::new("/src/cherry/.mail/.gitignore")] == b"*\n");
    world.disk.write_raw(
        &sent.path,
        b"---\nfrom: human.ana\nto: w1\ntype: task\ntimestamp: 2026-07-05T00:00:00Z\n---\nnothing\n",
    );
    assert!(world.post.init_mail(&ana(), MailSharing::Committed).unwrap().committed);
    let mail = || {
        let files = world.disk.dump().into_iter();
        files.filter(|(path, _)| path.starts_with(MAIL)).collect::<Vec<_>>()
    };
    let before = mail();
    for request in with_secrets() {
        assert_eq!(code(world.post.send(&ana(), &request)), "hygiene.secret");
    }
    assert_eq!(mail(), before, "nothing was written");
    assert_eq!(code(world.post.send(&ana(), &to("w1"))), "ok");
    // Where the ignore file is missing, git may see the mail until the next message.
    let world = World::new();
    world.disk.write_raw(format!("{MAIL}/w1/note.txt"), b"");
    assert_eq!(code(world.post.send(&ana(), &SendRequest { body: secret(), ..to("w1") })), "hygiene.secret");
}

#[test] // spec: MAIL-1a, MEM-14
fn git_may_commit_no_file_of_the_mail_that_carries_a_secret_or_is_named_by_one() {
    let world = World::new();
    let w1 = caller("codex:maker", "w1", CHERRY);
    world.send_with(&ana(), SendRequest { body: "hello".into(), key: key("once"), ..to("w1") });
    world.send(&ana(), "w1", "taken");
    world.post.take(&w1, &TakeRequest::default()).unwrap();
    let ignore = Path::new("/src/cherry/.mail/.gitignore");
    let message = b"---\nfrom: o\nto: w1\ntype: task\ntimestamp: 2026-07-05T00:00:00Z\n---\nx\n";
    let secret_text = format!("the key is {}\n", secret());
    let secret_name = format!("{MAIL}/{}/20260705T000000Z_o_task.md", secret());
    let by_name =
        [secret_name.as_str(), &secret_name.to_lowercase()].map(|path| (path.to_owned(), &message[..]));
    let by_text = [
        "note.txt",
        "w1/drafts/20260705T000000Z_o_task.md",
        "w1/.draft",
        ".hidden/x",
        ".forced.jsonl",
        "old box/20260705T000000Z_o_task.md",
        "w1/.claimed/odd",
        "w1/archive/deep/er/x.md",
    ];
    let by_text = by_text.map(|path| (format!("{MAIL}/{path}"), secret_text.as_bytes()));
    let closed = [(format!("{MAIL}/w1/photo"), &b"\xff\xfe"[..])];
    for (path, bytes) in by_name.into_iter().chain(by_text).chain(closed) {
        world.disk.write_raw(&path, bytes);
        let fault = refusal(world.post.init_mail(&ana(), MailSharing::Committed));
        let expected = if path.ends_with("photo") { "mail.unreadable" } else { "hygiene.secret" };
        assert_eq!(fault.code.name(), expected, "{path}");
        assert!(!fault.message.contains(&secret()), "{}", fault.message);
        assert_eq!(world.disk.dump()[ignore], b"*\n", "{path}");
        world.disk.unlink(Path::new(&path)).unwrap();
        let folder = Path::new(&path).parent().unwrap();
        if folder != Path::new(MAIL) {
            let _ = world.disk.remove_dir(folder);
        }
    }
    world.disk.make_link("/elsewhere", format!("{MAIL}/w1/link"));
    assert_eq!(code(world.post.init_mail(&ana(), MailSharing::Committed)), "mail.unreadable");
    world.disk.unlink(Path::new(&format!("{MAIL}/w1/link"))).unwrap();
    // What git never takes is not looked through.
    world.disk.write_raw(format!("{MAIL}/w1/.git/config"), secret_text.as_bytes());
    assert!(world.post.init_mail(&ana(), MailSharing::Committed).unwrap().committed);
}

#[test] // spec: MAIL-2, MAIL-6
fn what_cannot_be_sent_leaves_nothing_behind() {
    let world = World::new();
    let before = world.disk.dump();
    world.post.list_mail(&ana(), &MailListRequest { limit: 1, ..MailListRequest::default() }).unwrap();
    let words = world.post.mail_words();
    for bad in ["../../etc", "/etc/passwd", "a\0b", "read", "CON", ""] {
        assert_eq!(code(words.recipients(&[bad.to_owned()])), "mail.bad_name", "{bad:?}");
    }
    assert_eq!(code(words.recipients(&["codex:ma/ker".to_owned()])), "identity.bad_agent");
    assert_eq!(code(words::kind("announcement")), "mail.bad_type");
    assert_eq!(code(words::priority(Some("now"))), "input.bad_value");
    assert_eq!(code(words.expires(Some("soon"))), "input.bad_value");
    assert_eq!(code(words.answered(Some("../x.md"))), "mail.bad_name");
    assert_eq!(code(SendKey::parse(" ".to_owned())), "input.bad_value");
    let cases = [
        (SendRequest { subject: "a\nb".into(), ..to("w1") }, "input.bad_value"),
        (SendRequest { reply_to: Some(message("w1/x y.md")), ..to("w1") }, "mail.bad_name"),
        (SendRequest { body: String::new(), ..to("w1") }, "input.missing"),
        (SendRequest { body: "x".repeat(1024 * 1024), ..to("w1") }, "input.too_large"),
    ];
    for (request, expected) in cases {
        let shown = format!("{:.80}", format!("{request:?}"));
        assert_eq!(code(world.post.send(&ana(), &request)), expected, "{shown}");
    }
    assert_eq!(world.disk.dump(), before);
    assert_eq!(code(world.post.send(&ana(), &to("Worker"))), "ok");
    assert_eq!(code(world.post.send(&ana(), &to("worker"))), "mail.other_spelling", "only the case differs");
}

#[test] // spec: MAIL-8
fn a_full_or_read_only_disk_is_told_and_loses_nothing() {
    let world = World::new();
    world.post.send(&ana(), &to("w1")).unwrap();
    let before = world.disk.dump();
    world.disk.set_space_left(Some(10));
    assert_eq!(code(world.post.send(&ana(), &to("w1"))), "store.no_space");
    world.disk.set_space_left(None);
    world.disk.set_read_only(true);
    assert_eq!(code(world.post.send(&ana(), &to("w1"))), "store.read_only");
    assert_eq!(
        code(world.post.list_mail(&ana(), &MailListRequest::default())),
        "ok",
        "looking needs no writing"
    );
    assert_eq!(world.disk.dump(), before);
}

#[test] // spec: MAIL-9, MAIL-10
fn a_message_is_marked_read_on_a_full_disk_and_says_what_it_lacks() {
    let world = World::new();
    let w1 = caller("codex:maker", "w1", CHERRY);
    let sent = world.send(&ana(), "w1", "hello");
    world.list(&w1, MailListRequest::default());
    world.disk.set_space_left(Some(10));
    let done = world.post.mark_read(&w1, &named(&sent.file)).unwrap();
    assert_eq!(
        (done.folder.as_str(), done.unstamped.is_some()),
        ("read", true),
        "it moved, and the answer says so"
    );
    world.disk.set_space_left(None);
    let again = world.post.mark_read(&w1, &named(&sent.file)).unwrap();
    assert_eq!((again.unchanged, again.unstamped), (true, None), "the repeat stamps it");
    assert!(String::from_utf8_lossy(&world.disk.dump()[&again.path]).contains("read_at: "));
}

#[test] // spec: MAIL-9
fn what_is_listed_as_unreadable_is_not_absent() {
    let world = World::new();
    let w1 = caller("codex:maker", "w1", CHERRY);
    world.send(&ana(), "w1", "hello");
    let odd = "20260128T153000Z_ana_task.md";
    world.disk.make_link("/elsewhere", format!("{MAIL}/w1/{odd}"));
    assert_eq!(world.list(&w1, MailListRequest::default()).unreadable.len(), 1);
    assert_eq!(code(world.post.mark_read(&w1, &named(&odd))), "mail.unreadable");
    assert_eq!(code(world.post.archive(&w1, &named(&odd))), "mail.unreadable");
}

#[test] // spec: MAIL-4
fn a_register_that_cannot_be_listed_is_not_called_empty() {
    let world = World::new();
    let w1 = caller("codex:maker", "w1", CHERRY);
    assert_eq!(code(world.post.register_session(&w1, Some("w1"), Some(&[]))), "ok");
    let files = world.disk.dump().into_keys();
    let file = files.into_iter().find(|path| path.ends_with("w1.json")).unwrap();
    let folder = file.parent().unwrap();
    world.disk.rename(folder, &folder.with_file_name("away")).unwrap();
    world.disk.write_raw(folder, b"");
    assert_eq!(code(world.post.sessions(&w1, 9)), "store.failed");
}

#[test] // spec: MAIL-14, MEM-14
fn a_reply_takes_no_secret_over_and_is_sent() {
    let world = World::new();
    let name = "20260128T153000Z_bob_question.md";
    let text = format!(
        "---\nfrom: bob\nto: w1\ntype: question\ntimestamp: 2026-01-28T15:30:00Z\ntags: [{0}, fine]\nthread_id: {0}\nsubject: use {0} there\n---\n\nok?\n",
        secret()
    );
    world.disk.write_raw(format!("{MAIL}/w1/{name}"), text.as_bytes());
    let reply = replying(name, "yes");
    let sent = world.post.reply(&caller("codex:maker", "w1", CHERRY), &reply).unwrap();
    let told = String::from_utf8(world.disk.dump()[&sent.path].clone()).unwrap();
    assert!(told.contains("Re: use") && told.contains("fine") && !told.contains(&secret()), "{told}");
    assert!(told.contains(&format!("in_reply_to: \"{name}\"")), "{told}");
}

#[test] // spec: MAIL-9, MAIL-10
fn a_file_that_is_listed_as_unreadable_for_its_name_is_not_absent() {
    let world = World::new();
    let w1 = caller("codex:maker", "w1", CHERRY);
    for odd in ["notes.md", "20261399T999999Z_bob_task.md", "a b.md"] {
        world.disk.write_raw(format!("{MAIL}/w1/{odd}"), b"hello\n");
        let listed = world.list(&w1, MailListRequest::default());
        let listed = listed.unreadable.iter().find(|bad| bad.file == odd).unwrap().why.clone();
        let refused = [
            refusal(world.post.mark_read(&w1, &named(&odd))),
            refusal(
                world
                    .post
                    .read_mail(&w1, &ReadRequest { file: Some(message(odd)), ..ReadRequest::default() }),
            ),
        ];
        for refused in refused {
            assert_eq!(refused.code.name(), "mail.unreadable", "{refused}");
            assert!(refused.message.contains(&listed), "{refused}");
        }
    }
    assert_eq!(code(world.post.mark_read(&w1, &named(&"gone"))), "mail.not_found");
}

#[test] // spec: MAIL-1a
fn private_mail_stays_private_when_its_gitignore_is_gone() {
    let world = World::new();
    world.send(&ana(), "w1", "private words");
    let ignore = Path::new("/src/cherry/.mail/.gitignore");
    let exposed = || {
        let found = world.post.mail_health(&ana()).into_iter();
        found.filter(|found| found.trouble == Trouble::MailExposed).count()
    };
    assert_eq!(exposed(), 0);
    world.disk.unlink(ignore).unwrap();
    assert_eq!(exposed(), 0, "this clone excludes it");
    world.disk.write_raw("/src/cherry/.git/info/exclude", b"");
    assert_eq!(exposed(), 1);
    let ready = world.post.init_mail(&ana(), MailSharing::AsItIs).unwrap();
    assert!(!ready.committed && world.disk.dump()[ignore] == b"*\n");
    assert_eq!(exposed(), 0);
    world.disk.unlink(ignore).unwrap();
    world.send(&ana(), "w1", "more private words");
    assert_eq!(world.disk.dump()[ignore], b"*\n");
    // What `--commit-mail` said is kept in the same way.
    world.post.init_mail(&ana(), MailSharing::Committed).unwrap();
    world.disk.unlink(ignore).unwrap();
    assert_eq!(exposed(), 0);
    assert!(world.post.init_mail(&ana(), MailSharing::AsItIs).unwrap().committed);
    assert!(world.disk.dump()[ignore].starts_with(b".tmp/"));
    world.post.init_mail(&ana(), MailSharing::Private).unwrap();
    world.disk.unlink(ignore).unwrap();
    assert!(!world.post.init_mail(&ana(), MailSharing::AsItIs).unwrap().committed);
}

#[test] // spec: MAIL-1a
fn a_repository_does_not_say_that_mail_may_be_committed() {
    let world = World::new();
    let (ignore, exclude) = ("/src/cherry/.mail/.gitignore", "/src/cherry/.git/info/exclude");
    let scaffold = b".tmp/\n.tmp-*\n.claimed/\n.seen/\n.keys/\n.names/\n";
    let exposed = || {
        let found = world.post.mail_health(&ana()).into_iter();
        found.filter(|found| found.trouble == Trouble::MailExposed).count()
    };
    let excluded =
        || String::from_utf8(world.disk.dump().remove(Path::new(exclude)).unwrap_or_default()).unwrap();
    world.disk.write_raw(exclude, b"*.swp");
    for rules in [&scaffold[..], b"!*\n", b"foo\n"] {
        world.disk.write_raw(ignore, rules);
        world.disk.write_raw(exclude, b"*.swp");
        assert_eq!(exposed(), 1, "{rules:?}");
        let first = world.send(&ana(), "w1", "between us");
        assert!(first.kept_out && first.note().unwrap().contains("--commit-mail"), "{:?}", first.note());
        let ours = "*.swp\n# brainstem: the mail of this clone is private\n/.mail/\n";
        assert_eq!(excluded(), ours);
        assert!(!world.send(&ana(), "w1", "again").kept_out, "it is said once");
        assert_eq!((excluded().as_str(), exposed()), (ours, 0));
        assert!(!world.post.init_mail(&ana(), MailSharing::AsItIs).unwrap().committed);
        assert_eq!(world.disk.dump()[Path::new(ignore)], rules, "the repository's file stays as it is");
    }
    // A rule above the folder takes it in again, so nothing is sent.
    // Git skips a byte order mark.
    for rules in [&b"*.log\n!.mail/\n"[..], b"\xef\xbb\xbf!.mail/\n"] {
        world.disk.write_raw("/src/cherry/.gitignore", rules);
        let refused = refusal(
            world.post.send(&ana(), &SendRequest { body: "x".into(), ..sending("w1", MessageKind::Task) }),
        );
        assert_eq!(refused.code.name(), "store.private_exposed", "{refused}");
        assert_eq!(exposed(), 1);
    }
    world.post.init_mail(&ana(), MailSharing::Private).unwrap();
    world.send(&ana(), "w1", "private again");
    world.disk.unlink(Path::new("/src/cherry/.gitignore")).unwrap();
    // The word of a person here shares it.
    world.post.init_mail(&ana(), MailSharing::Committed).unwrap();
    assert_eq!((excluded().as_str(), exposed()), ("*.swp\n", 0));
    assert!(!world.send(&ana(), "w1", "for everybody").kept_out);
    assert!(world.post.init_mail(&ana(), MailSharing::AsItIs).unwrap().committed);
}
