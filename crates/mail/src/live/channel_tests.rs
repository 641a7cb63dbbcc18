use super::*;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(1_783_209_431_000 + ms)
}

fn name(text: &str) -> MailboxName {
    MailboxName::parse(text).expect("a name")
}

fn who(text: &str) -> Address {
    let (project, session) = text.split_once(':').expect("project:session");
    Address { project: project.into(), name: name(session) }
}

/// `project:session+tag@/folder<parent`, as short as it gets.
fn presence(text: &str) -> Presence {
    let (text, parent) =
        text.split_once('<').map_or((text, None), |(text, parent)| (text, Some(name(parent))));
    let (text, worktree) =
        text.split_once('@').map_or((text, None), |(text, at)| (text, Some(at.to_owned())));
    let mut names = text.split('+');
    let address = who(names.next().expect("an address"));
    let (reader, mailbox) = (vec![address.name.clone()], address.name.clone());
    Presence {
        address,
        reader,
        mailbox,
        tags: names.map(name).collect(),
        inboxes: Vec::new(),
        worktree,
        parent,
    }
}

#[test] // spec: INB-13, INB-1
fn agents_that_share_a_box_get_notices_about_their_own_inboxes_alone() {
    let mut channel = ChannelState::new(at(0));
    for (session, slug) in
        [("p:s1+x.y.z", "x.y.z"), ("p:s2+x.y.z", "x.y.z-089291eb"), ("q:s3+x.y.z", "x.y.z")]
    {
        channel.hear(Presence { inboxes: vec![name(slug)], ..presence(session) }, at(0));
    }
    assert_eq!(channel.inbox_readers(&name("x.y.z"), at(1)), [who("p:s1"), who("q:s3")]);
    assert_eq!(channel.inbox_readers(&name("x.y.z-089291eb"), at(1)), [who("p:s2")]);
    assert_eq!(channel.readers(&"p".into(), &name("x.y.z"), at(1)).len(), 2, "mail is for both");
}

fn office() -> ChannelState {
    let mut channel = ChannelState::new(at(0));
    for text in [
        "p:orch+orchestrator@/src/p",
        "p:w1+worker@/src/wt1/sub<orch",
        "p:w2+worker@/src/wt2<orch",
        "q:w1+worker@/src/q",
    ] {
        channel.hear(presence(text), at(0));
    }
    channel
}

fn note(body: &str) -> LiveNote {
    LiveNote { from: Some("orch".into()), kind: "task".into(), body: body.into(), ..LiveNote::default() }
}

#[test] // spec: MAIL-17
fn a_target_names_whom_it_reaches() {
    let channel = office();
    let reached = |from: &str, target: LiveTarget, scope| -> Vec<String> {
        let found = channel.recipients(&who(from), &target, scope, at(1000));
        found.into_iter().map(|to| format!("{}:{}", to.project.root, to.name)).collect()
    };
    let near = TargetReach::Project;
    assert_eq!(reached("p:orch", LiveTarget::Session(name("w1")), near), ["p:w1"]);
    assert_eq!(reached("p:orch", LiveTarget::Tag(name("worker")), near), ["p:w1", "p:w2"]);
    assert_eq!(
        reached("p:orch", LiveTarget::Tag(name("worker")), TargetReach::Everywhere),
        ["p:w1", "p:w2", "q:w1"]
    );
    assert_eq!(reached("p:w1", LiveTarget::Tag(name("worker")), near), ["p:w2"], "never oneself");
    assert_eq!(reached("p:w1", LiveTarget::Everyone, near), ["p:orch", "p:w2"]);
    assert_eq!(reached("p:w1", LiveTarget::Parent, near), ["p:orch"]);
    assert_eq!(reached("p:orch", LiveTarget::Parent, near), [""; 0], "it has none");
    assert_eq!(reached("p:orch", LiveTarget::Worktree("/src/wt1/".into()), near), ["p:w1"]);
    assert_eq!(reached("p:orch", LiveTarget::Worktree("/src/wt".into()), near), [""; 0]);
    assert_eq!(reached("p:orch", LiveTarget::Session(name("nobody")), near), [""; 0]);
}

#[test] // spec: MAIL-17
fn who_was_not_heard_of_is_not_reached() {
    let mut channel = office();
    channel.hear(presence("p:w2+worker"), at(ONLINE_MS - 1));
    let reached =
        channel.recipients(&who("p:orch"), &LiveTarget::Everyone, TargetReach::Project, at(ONLINE_MS));
    assert_eq!(reached, [who("p:w2")]);
    assert_eq!(channel.forget_gone(at(ONLINE_MS)).len(), 3);
    assert_eq!(channel.online_sessions(at(ONLINE_MS)).len(), 1);
    let parent = &channel.online_sessions(at(ONLINE_MS))[0].presence.parent;
    assert_eq!(parent, &Some(name("orch")), "what it does not say again, it keeps");
}

#[test] // spec: MAIL-17
fn a_message_waits_until_it_is_acknowledged() {
    let mut channel = office();
    let first = channel.push(&who("p:w1"), note("one"), at(1)).expect("it is online");
    channel.push(&who("p:w1"), note("two"), at(2));
    let polled = channel.poll(&who("p:w1"), 0, 1);
    assert_eq!((polled.messages.len(), polled.cursor), (1, first));
    assert_eq!(channel.poll(&who("p:w1"), 0, 10).messages.len(), 2, "a lost answer loses nothing");
    assert_eq!(channel.poll(&who("p:w1"), first, 10).messages[0].note.body, "two");
    let got = channel.acknowledge(&who("p:w1"), first);
    assert_eq!((got.len(), got[0].note.body.as_str()), (1, "one"));
    assert_eq!(channel.poll(&who("p:w1"), 0, 10).messages.len(), 1);
    assert_eq!(channel.push(&who("p:nobody"), note("x"), at(3)), None);
    let later = ChannelState::new(at(10)).id_next;
    assert!(later > first + 1, "a cursor of before a restart passes over nothing");
}

#[test] // spec: MAIL-17
fn a_number_that_was_not_handed_out_acknowledges_nothing() {
    let mut channel = office();
    let ids: Vec<u64> = ["one", "two", "three"]
        .iter()
        .filter_map(|body| channel.push(&who("p:w1"), note(body), at(1)))
        .collect();
    let others = channel.push(&who("p:w2"), note("x"), at(1)).expect("it is online");
    // Nothing was shown yet: neither a number of the queue nor one of the future counts.
    for number in [ids[0], ids[2], others, u64::MAX] {
        assert_eq!(channel.got(&who("p:w1"), number), [], "{number}");
        assert_eq!(channel.acknowledge(&who("p:w1"), number), [], "{number}");
    }
    assert_eq!(
        channel.poll(&who("p:w1"), others, 2).messages.len(),
        2,
        "past a number it never had is past none"
    );
    assert_eq!(channel.handed(&who("p:w1")), ids[1]);
    assert_eq!(channel.acknowledge(&who("p:w1"), ids[2]), [], "the third was not shown");
    assert_eq!(channel.acknowledge(&who("p:w1"), ids[1]).len(), 2);
    assert_eq!(channel.poll(&who("p:w1"), ids[1], 10).messages[0].note.body, "three");
}

#[test] // spec: MAIL-17
fn a_full_queue_gives_way_and_says_so() {
    let mut channel = office();
    for n in 0..QUEUE_MAX + 3 {
        channel.push(&who("p:w1"), note(&n.to_string()), at(1));
    }
    let polled = channel.poll(&who("p:w1"), 0, QUEUE_MAX * 2);
    assert_eq!((polled.messages.len(), polled.missed), (QUEUE_MAX, 3));
    assert_eq!(channel.poll(&who("p:w1"), 0, 1).missed, 0, "it is said once");
}

#[test] // spec: MAIL-17
fn what_waits_takes_a_bounded_amount_of_memory() {
    let mut channel = office();
    let long = "x".repeat(NOTE_LEN_MAX);
    for _ in 0..100 {
        channel.push(&who("p:w1"), note(&long), at(1));
    }
    let polled = channel.poll(&who("p:w1"), 0, QUEUE_MAX);
    let len: usize = polled.messages.iter().map(|message| message.note.body.len()).sum();
    assert!(len <= QUEUE_LEN_MAX && polled.missed == 100 - polled.messages.len() as u64, "{len}");
    channel.acknowledge(&who("p:w1"), polled.cursor);
    assert!(!channel.has_news(&who("p:w1"), 0));
    for n in 0..2 * ONLINE_MAX {
        channel.hear(presence(&format!("p:s{n}")), at(10 + n as i64));
    }
    assert_eq!(channel.online_sessions(at(2000)).len(), ONLINE_MAX);
    assert!(!channel.take_greeting(&who("p:w1")), "it gave way");
}

#[test] // spec: MAIL-18
fn who_comes_is_greeted_once_and_again_after_an_absence() {
    let mut channel = office();
    assert!(channel.take_greeting(&who("p:w1")));
    channel.hear(presence("p:w1+worker"), at(1000));
    assert!(!channel.take_greeting(&who("p:w1")));
    channel.hear(presence("p:w1+worker"), at(1000 + ONLINE_MS));
    assert!(channel.take_greeting(&who("p:w1")));
}

#[test] // spec: MAIL-18
fn what_waits_about_a_file_is_not_sent_again() {
    let mut channel = office();
    let about = || LiveNote { about: Some((name("w1"), "f.md".into())), ..note("mail") };
    assert!(channel.push(&who("p:w1"), about(), at(1)).is_some());
    assert_eq!(channel.push(&who("p:w1"), about(), at(2)), None);
    let cursor = channel.poll(&who("p:w1"), 0, 10).cursor;
    channel.acknowledge(&who("p:w1"), cursor);
    assert!(channel.push(&who("p:w1"), about(), at(3)).is_some());
}

#[test] // spec: MAIL-17
fn a_status_is_one_of_six() {
    assert_eq!(
        SessionStatus::ALL.iter().map(|status| SessionStatus::find(status.as_str())).collect::<Vec<_>>(),
        SessionStatus::ALL.iter().copied().map(Some).collect::<Vec<_>>()
    );
    assert_eq!(SessionStatus::find("busy"), None);
    let mut channel = office();
    channel.report(&who("p:w1"), SessionStatus::Blocked, "no key");
    let told = channel.online_sessions(at(1)).into_iter().find(|one| one.presence.address == who("p:w1"));
    assert_eq!(told.map(|one| (one.status, one.note)), Some((SessionStatus::Blocked, "no key".into())));
}

#[test] // spec: MAIL-17
fn who_is_forgotten_learns_that_something_was_missed_and_no_loop_elsewhere_takes_it_away() {
    let mut channel = office();
    channel.push(&who("q:w1"), note("only live"), at(1)).expect("it waits");
    let copy = LiveNote { about: Some((name("w2"), "a.md".into())), ..note("mail too") };
    channel.push(&who("p:w2"), copy, at(1)).expect("it waits");
    for n in 0..2 * ONLINE_MAX {
        channel.hear(presence(&format!("p:loop{n}")), at(2000));
    }
    assert_eq!(channel.poll(&who("q:w1"), 0, 10).messages.len(), 1, "another project's loop took nothing");
    channel.push(&who("q:w1"), note("and again"), at(3)).expect("it waits");
    channel.forget_gone(at(2000 + ONLINE_MS));
    for (who_comes, missed) in [("q:w1", 1), ("p:w2", 0)] {
        channel.hear(presence(who_comes), at(2001 + ONLINE_MS));
        assert_eq!(channel.poll(&who(who_comes), 0, 10).missed, missed, "{who_comes}");
    }
    assert_eq!(channel.poll(&who("q:w1"), 0, 10).missed, 0, "told once");
}
