//! Any mix of sends, notes, acknowledgements, redactions, outsiders, short ways, slow processes, repeats and rebuilds gives the same
//! mirror.

use crate::world::{ReadPage, Reader, Rows, World, content, subjects};
use brainstem_base::Clock as _;
use brainstem_inbox::connection::ConnectionStep;
use brainstem_inbox::founding::decide_connection;
use brainstem_inbox::{AgentDefinition, ConnectionDecision, Envelope, InboxPriority, OperatorId, memo};
use brainstem_ledger::{AccountId, Ledger as _, Sequence, TopicId, TopicMessage};
use brainstem_testkit::cases;
use proptest::prelude::{Strategy, any, prop};
use proptest::test_runner::{Config, TestRunner};
use std::collections::VecDeque;

const NAMES: [&str; 4] = ["ana", "ben", "cleo", "dan"];

/// What happens, with numbers that choose among what is there.
#[derive(Clone, Debug)]
enum Step {
    Define,
    Send(u8, u8),
    SendAll(u8),
    Note(u8, u8),
    Event(u8, u8),
    Ack(u8, u8),
    AckAgain(u8),
    Redact(u8),
    Ask(u8, u8),
    Decide(u8, u8),
    Speak(u8, u8),
    CatchUp(u8),
    Fast(u8, u8),
    ReadPage(u8, u8),
    ApplyPage(u8),
    Rebuild(u8),
    Forge(u8, u8),
    Garbage(u8),
}

fn step() -> impl Strategy<Value = Step> {
    (0_u8..20, any::<u8>(), any::<u8>()).prop_map(|(which, a, b)| match which {
        0 => Step::Define,
        1 | 2 => Step::Send(a, b),
        3 => Step::SendAll(a),
        4 => Step::Note(a, b),
        5 => Step::Event(a, b),
        6 => Step::Ack(a, b),
        7 => Step::AckAgain(a),
        8 => Step::Redact(a),
        9 => Step::Ask(a, b),
        10 => Step::Decide(a, b),
        11 => Step::Speak(a, b),
        12 => Step::CatchUp(a),
        13 => Step::Fast(a, b),
        14 => Step::ReadPage(a, b),
        15 | 16 => Step::ApplyPage(a),
        17 => Step::Rebuild(a),
        18 => Step::Forge(a, b),
        _ => Step::Garbage(a),
    })
}

fn pick<T>(of: &[T], at: u8) -> &T {
    &of[usize::from(at) % of.len()]
}

/// A mirror that reads along, and the pages that a second process of it has read and not applied yet.
struct Follower {
    name: &'static str,
    reader: Reader,
    pages: VecDeque<ReadPage>,
}

impl Follower {
    fn new(world: &World, name: &'static str) -> Self {
        Self { name, reader: world.reader(name), pages: VecDeque::new() }
    }

    /// Deletes the file and everything that a process had in hand for it.
    fn rebuild(&mut self, world: &World) {
        std::fs::remove_dir_all(world.folder.path().join(self.name)).unwrap();
        self.reader = world.reader(self.name);
        self.pages.clear();
    }
}

/// Everything that happens on the ledger, and the mirrors beside it.
struct Play {
    world: World,
    task: TopicId,
    agents: Vec<AgentDefinition>,
    /// The messages of agents, each with one of its readers.
    said: Vec<(TopicMessage, usize)>,
    /// What outsiders said, which no sender writes straight into a mirror.
    heard: Vec<TopicMessage>,
    /// The connections that were accepted: outsider, reader, topic.
    connections: Vec<(OperatorId, TopicId)>,
    followers: [Follower; 2],
}

fn outsider(which: u8) -> OperatorId {
    let number = 70 + u64::from(which % 2);
    OperatorId { inbound: TopicId::local(number).unwrap(), account: AccountId::local(number).unwrap() }
}

impl Play {
    fn new() -> Self {
        let mut world = World::new();
        let task = world.entity("T-1");
        let agents = vec![world.agent(NAMES[0]), world.agent(NAMES[1])];
        let followers = ["a", "b"].map(|name| Follower::new(&world, name));
        let (said, heard, connections) = Default::default();
        Self { world, task, agents, said, heard, connections, followers }
    }

    fn follower(&mut self, which: u8) -> (&World, &mut Follower) {
        (&self.world, &mut self.followers[usize::from(which) % 2])
    }

    fn take(&mut self, step: &Step) {
        let (world, agents) = (&mut self.world, &mut self.agents);
        let some = |at: u8| (!self.said.is_empty()).then(|| pick(&self.said, at).clone());
        match *step {
            Step::Define => {
                if let Some(name) = NAMES.get(agents.len()) {
                    agents.push(world.agent(name));
                }
            }
            Step::Send(from, to) => {
                let at = usize::from(to) % agents.len();
                let text = format!("m{}", self.said.len());
                self.said.push((world.send(pick(agents, from), &agents[at], &text), at));
            }
            Step::SendAll(from) => self.said.push((world.send_all(pick(agents, from), "all"), 0)),
            // The last name may not be defined yet.
            Step::Note(from, to) => {
                let at = usize::from(to) % NAMES.len();
                let message = world.note(self.task, pick(agents, from), "task.note", &[NAMES[at]]);
                self.said.push((message, at.min(agents.len() - 1)));
            }
            Step::Event(from, to) => {
                let at = usize::from(to) % agents.len();
                let names = [NAMES[at], NAMES[0]];
                self.said.push((world.note(self.task, pick(agents, from), "task.blocked", &names), at));
            }
            Step::Ack(at, session) => {
                if let Some((message, reader)) = some(at) {
                    let session = format!("s{}", session % 3);
                    world.ack(&agents[reader], message.topic, message.sequence, &session);
                }
            }
            // An acknowledgement that comes by the short way, before one with a smaller time was read.
            Step::AckAgain(at) => {
                if let Some((message, reader)) = some(at) {
                    let ack = world.ack(&agents[reader], message.topic, message.sequence, "late");
                    let (world, follower) = self.follower(at);
                    follower.reader.write_fast(world, &ack);
                }
            }
            Step::Redact(at) => {
                let all: Vec<&TopicMessage> =
                    self.said.iter().map(|(said, _)| said).chain(&self.heard).collect();
                if !all.is_empty() {
                    let &message = pick(&all, at);
                    world.redact(message);
                }
            }
            Step::Ask(to, who) => {
                let (to, who) = (pick(agents, to), outsider(who));
                let said =
                    Envelope::message(who, &content("hello?", InboxPriority::Urgent), world.clock.now());
                let request = format!(r#"{{"p":"hcs-10","op":"connection_request","operator_id":"{who}"}}"#);
                self.heard.push(world.append(to.inbound, who.account, said).1);
                self.heard.push(world.append(to.inbound, who.account, request.into_bytes()).1);
            }
            Step::Decide(to, how) => {
                let (to, who) = (pick(agents, to).clone(), outsider(how >> 4));
                let accepted = (how % 4 == 0).then(|| {
                    let asked = Sequence::new(u64::from(how) + 1).unwrap();
                    let topic = world.ledger.create_topic(&memo::connection(to.inbound, asked)).unwrap().id;
                    self.connections.push((who, topic));
                    (topic, asked)
                });
                let steps = [
                    ConnectionStep::Accept,
                    ConnectionStep::Deny,
                    ConnectionStep::Block,
                    ConnectionStep::Close,
                ];
                let step = *pick(&steps, how);
                let decision =
                    ConnectionDecision { agent: to.slug, account: who.account, step, topic: accepted };
                decide_connection(&*world.ledger, world.home(), &decision).unwrap();
            }
            Step::Speak(which, how) => {
                if let Some((who, topic)) =
                    (!self.connections.is_empty()).then(|| *pick(&self.connections, which))
                {
                    match how % 4 {
                        0 => drop(world.append(topic, who.account, Envelope::close_connection(who))),
                        _ => {
                            let content = content("on the line", InboxPriority::Normal);
                            let said = Envelope::message(who, &content, world.clock.now());
                            self.heard.push(world.append(topic, who.account, said).1);
                        }
                    }
                }
            }
            Step::CatchUp(which) => {
                let (world, follower) = self.follower(which);
                follower.reader.catch_up(world).unwrap();
            }
            Step::Fast(which, at) => {
                if let Some((message, _)) = some(at) {
                    let (world, follower) = self.follower(which);
                    follower.reader.write_fast(world, &message);
                }
            }
            Step::ReadPage(which, at) => {
                let topics: Vec<TopicId> =
                    agents.iter().flat_map(|agent| [agent.inbound, agent.acks]).chain([self.task]).collect();
                let topic = *pick(&topics, at);
                let (world, follower) = self.follower(which);
                follower.pages.extend(follower.reader.read_page(world, topic));
            }
            Step::ApplyPage(which) => {
                let (_, follower) = self.follower(which);
                if let Some(page) = follower.pages.pop_front() {
                    follower.reader.apply_page(&page);
                }
            }
            Step::Rebuild(which) => {
                let (world, follower) = self.follower(which);
                follower.rebuild(world);
            }
            Step::Forge(from, to) => {
                let (from, to) = (pick(agents, from), pick(agents, to.wrapping_add(1)));
                let forged = world.send(from, to, "honest");
                let account = pick(agents, to.account.num() as u8).account;
                world.append(to.inbound, account, forged.bytes);
            }
            Step::Garbage(to) => {
                let to = pick(agents, to);
                world.append(to.inbound, to.account, b"\xff{not json".to_vec());
                world.append(self.task, to.account, b"{}".to_vec());
                world.append(to.acks, to.account, b"[]".to_vec());
            }
        }
    }
}

/// Plays the steps and returns two mirrors that read along in their own ways, and one that reads everything at the end.
fn play(steps: &[Step]) -> [Rows; 3] {
    let mut play = Play::new();
    for step in steps {
        play.take(step);
    }
    let Play { world, task, followers, .. } = play;
    let [mut a, mut b] = followers.map(|Follower { reader, pages, .. }| {
        pages.iter().for_each(|page| reader.apply_page(page));
        reader
    });
    let mut late = world.reader("late");
    [&mut a, &mut b, &mut late].map(|reader| {
        reader.catch_up(&world).unwrap();
        assert_eq!(reader.catch_up(&world), Ok(0), "there is nothing left");
        reader.all(&NAMES, &[task])
    })
}

#[test] // spec: INB-7b, INB-8, INB-8b, INB-9, INB-4a, INB-6, LED-1a, LED-5
fn any_order_of_reading_gives_the_same_mirror() {
    let config = Config { cases: cases(24), failure_persistence: None, ..Config::default() };
    let held = TestRunner::new(config).run(&prop::collection::vec(step(), 1..80), |steps| {
        let [a, b, late] = play(&steps);
        assert_eq!(a, late);
        assert_eq!(b, late);
        Ok(())
    });
    held.unwrap();
}

#[test] // spec: INB-7, INB-8
fn a_mirror_that_is_deleted_is_made_anew_to_the_same_rows() {
    let mut world = World::new();
    let task = world.entity("T-1");
    let (ana, ben) = (world.agent("ana"), world.agent("ben"));
    let first = world.send(&ana, &ben, "first");
    world.send(&ana, &ben, "second");
    world.note(task, &ben, "task.note", &["ana"]);
    world.note(task, &ben, "task.blocked", &["ana"]);
    world.ack(&ben, first.topic, first.sequence, "s1");
    let mut reader = world.reader("x");
    reader.catch_up(&world).unwrap();
    let before = reader.all(&NAMES, &[task]);
    assert_eq!(before.rows.len(), 4);
    drop(reader);
    std::fs::remove_dir_all(world.folder.path().join("x")).unwrap();
    let mut reader = world.reader("x");
    reader.catch_up(&world).unwrap();
    assert_eq!(reader.all(&NAMES, &[task]), before);
    let unread = reader.unread(&["ben"]);
    assert_eq!(subjects(&unread), ["second"]);
    let system: Vec<_> = reader.rows(&["ana"]).into_iter().map(|row| row.row.from).collect();
    assert_eq!(system, ["system", "ben"], "an event is from the system, a note from its author");
}

#[test] // spec: INB-4, INB-10, LED-1a
fn everybody_who_is_defined_before_gets_a_copy_of_its_own() {
    let mut world = World::new();
    let (ana, ben) = (world.agent("ana"), world.agent("ben"));
    let all = world.send_all(&ana, "hello");
    world.agent("cleo");
    let mut reader = world.reader("x");
    reader.catch_up(&world).unwrap();
    assert_eq!(reader.rows(&NAMES).len(), 2, "cleo was defined later");
    world.ack(&ben, all.topic, all.sequence, "s");
    reader.catch_up(&world).unwrap();
    assert_eq!((reader.unread(&["ana"]).len(), reader.unread(&["ben"]).len()), (1, 0));
}

#[test] // spec: LED-5, INB-8
fn a_slow_process_brings_nothing_back_that_was_redacted_meanwhile() {
    let mut world = World::new();
    let (ana, ben) = (world.agent("ana"), world.agent("ben"));
    let said = world.send(&ana, &ben, "a slip");
    let (mut slow, mut quick) = (world.reader("x"), world.reader("x"));
    let page = slow.read_page(&world, ben.inbound).unwrap();
    world.redact(&said);
    quick.catch_up(&world).unwrap();
    slow.apply_page(&page);
    assert_eq!(subjects(&quick.rows(&["ben"])), [""; 0], "by a page that was read before");
    slow.write_fast(&world, &said);
    assert_eq!(subjects(&quick.rows(&["ben"])), [""; 0], "by the short way of its sender");
    assert_eq!(quick.counts(&["ben"]), (0, 0));
}

#[test] // spec: LED-5
fn redacted_words_are_gone_from_the_files_of_the_mirror() {
    let mut world = World::new();
    let (ana, ben) = (world.agent("ana"), world.agent("ben"));
    let words = "the-words-of-a-slip";
    let said = world.send(&ana, &ben, words);
    world.send(&ana, &ben, "stays");
    let mut reader = world.reader("x");
    reader.catch_up(&world).unwrap();
    let holding = || {
        let files = std::fs::read_dir(world.folder.path().join("x")).unwrap().flatten();
        let holds = |file: &std::fs::DirEntry| {
            let bytes = std::fs::read(file.path()).unwrap();
            bytes.windows(words.len()).any(|window| window == words.as_bytes())
        };
        files.filter(holds).count()
    };
    assert_ne!(holding(), 0);
    world.redact(&said);
    reader.catch_up(&world).unwrap();
    assert_eq!(holding(), 0, "neither in the file nor in its log");
}
