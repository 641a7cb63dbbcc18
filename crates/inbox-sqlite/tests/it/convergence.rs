//! Any mix of sends, notes, acknowledgements, short ways, repeats and rebuilds gives the same mirror.

use crate::world::{Reader, Rows, World, subjects};
use brainstem_inbox::AgentDefinition;
use brainstem_ledger::{TopicId, TopicMessage};
use proptest::prelude::{Strategy, any, prop};
use proptest::test_runner::{Config, TestRunner};

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
    CatchUp(u8),
    Fast(u8, u8),
    Forge(u8, u8),
    Garbage(u8),
}

fn step() -> impl Strategy<Value = Step> {
    (0_u8..12, any::<u8>(), any::<u8>()).prop_map(|(which, a, b)| match which {
        0 => Step::Define,
        1 | 2 => Step::Send(a, b),
        3 => Step::SendAll(a),
        4 => Step::Note(a, b),
        5 => Step::Event(a, b),
        6 => Step::Ack(a, b),
        7 => Step::AckAgain(a),
        8 => Step::CatchUp(a),
        9 => Step::Fast(a, b),
        10 => Step::Forge(a, b),
        _ => Step::Garbage(a),
    })
}

fn pick<T>(of: &[T], at: u8) -> &T {
    &of[usize::from(at) % of.len()]
}

/// Plays the steps and returns two mirrors that read along in their own ways, and one that reads everything at the end.
fn play(steps: &[Step]) -> [Rows; 3] {
    let mut world = World::new();
    let task: TopicId = world.entity("T-1");
    let mut agents: Vec<AgentDefinition> = vec![world.agent(NAMES[0]), world.agent(NAMES[1])];
    let mut readers: [Reader; 2] = [world.reader("a"), world.reader("b")];
    let mut said: Vec<(TopicMessage, usize)> = Vec::new();
    for step in steps {
        match step {
            Step::Define => {
                if let Some(name) = NAMES.get(agents.len()) {
                    agents.push(world.agent(name));
                }
            }
            Step::Send(from, to) => {
                let at = usize::from(*to) % agents.len();
                said.push((world.send(pick(&agents, *from), &agents[at], &format!("m{}", said.len())), at));
            }
            Step::SendAll(from) => said.push((world.send_all(pick(&agents, *from), "all"), 0)),
            // The last name may not be defined yet.
            Step::Note(from, to) => {
                let at = usize::from(*to) % NAMES.len();
                let message = world.note(task, pick(&agents, *from), "task.note", &[NAMES[at]]);
                said.push((message, at.min(agents.len() - 1)));
            }
            Step::Event(from, to) => {
                let at = usize::from(*to) % agents.len();
                said.push((
                    world.note(task, pick(&agents, *from), "task.blocked", &[NAMES[at], NAMES[0]]),
                    at,
                ));
            }
            Step::Ack(at, session) => {
                if let Some((message, reader)) = (!said.is_empty()).then(|| pick(&said, *at)) {
                    let session = format!("s{}", session % 3);
                    world.ack(&agents[*reader], message.topic, message.sequence, &session);
                }
            }
            // An acknowledgement that comes by the short way, before one with a smaller time was read.
            Step::AckAgain(at) => {
                if let Some((message, reader)) = (!said.is_empty()).then(|| pick(&said, *at)) {
                    let ack = world.ack(&agents[*reader], message.topic, message.sequence, "late");
                    readers[usize::from(*at) % 2].write_fast(&world, &ack);
                }
            }
            Step::CatchUp(which) => drop(readers[usize::from(*which) % 2].catch_up(&world).unwrap()),
            Step::Fast(which, at) => {
                if let Some((message, _)) = (!said.is_empty()).then(|| pick(&said, *at)) {
                    readers[usize::from(*which) % 2].write_fast(&world, message);
                }
            }
            Step::Forge(from, to) => {
                let (from, to) = (pick(&agents, *from), pick(&agents, to.wrapping_add(1)));
                let forged = world.send(from, to, "honest");
                let account = pick(&agents, to.account.num() as u8).account;
                world.append(to.inbound, account, forged.bytes);
            }
            Step::Garbage(to) => {
                let to = pick(&agents, *to);
                world.append(to.inbound, to.account, b"\xff{not json".to_vec());
                world.append(task, to.account, b"{}".to_vec());
                world.append(to.acks, to.account, b"[]".to_vec());
            }
        }
    }
    let mut late = world.reader("late");
    let [a, b] = &mut readers;
    [a, b, &mut late].map(|reader| {
        reader.catch_up(&world).unwrap();
        assert_eq!(reader.catch_up(&world), Ok(0), "there is nothing left");
        reader.all(&NAMES, &[task])
    })
}

#[test] // spec: INB-7b, INB-8, INB-8b, INB-9, INB-4a, LED-1a
fn any_order_of_reading_gives_the_same_mirror() {
    let mut runner = TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    let held = runner.run(&prop::collection::vec(step(), 1..60), |steps| {
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
