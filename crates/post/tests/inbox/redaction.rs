//! A redaction leaves nothing in the mirror's files either.

use crate::world::{World, caller, person, real_post};
use brainstem_ledger::Sequence;
use brainstem_post::Post;
use brainstem_post::inbox::{InboxPriority, NoteRequest, NotedEntity, RefId, RefType, RowState};
use std::fs;
use std::path::Path;

use InboxPriority::{Normal, Urgent};

const SAID: &str = "zanzibar-plover";
const NOTED: &str = "quixotic-walrus";

/// The files of a folder that have this word in them.
fn files_with(folder: &Path, word: &str) -> Vec<String> {
    let has = |bytes: &[u8]| bytes.windows(word.len()).any(|window| window == word.as_bytes());
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let found = files.filter(|file| has(&fs::read(file.path()).unwrap()));
    found.map(|file| file.file_name().into_string().unwrap()).collect()
}

/// A home with messages of which one, and one note, are to be redacted; returns where those are.
fn filled(world: &World) -> [(brainstem_ledger::TopicId, Sequence); 2] {
    let (codex, ana) = (caller("codex:maker", "one"), person("human:ana"));
    let mut said = None;
    for n in 0..60 {
        let subject =
            if n == 30 { format!("about {SAID}") } else { format!("message {n} {}", "x".repeat(200)) };
        let sent = world.send(&codex, "human", &subject, if n % 2 == 0 { Urgent } else { Normal });
        if n == 30 {
            said = Some((sent.topic, sent.sequence));
        }
    }
    // Finished rows grow, so that pages are split and rows move.
    let rows: Vec<_> = world.list(&ana, RowState::Unread).rows.iter().map(|row| row.row.id).collect();
    for id in rows.iter().step_by(3) {
        world.post.finish_inbox(&ana, &[*id]).unwrap();
    }
    let note = NoteRequest {
        entity: NotedEntity::Named { id: RefId::parse("T-1").unwrap(), kind: RefType::Task },
        event: None,
        note: format!("It is the {NOTED}."),
        notify: vec!["human".to_owned()],
        subject: String::new(),
        priority: None,
        payload: None,
    };
    let noted = world.post.post_note(&codex, &note).unwrap();
    [said.unwrap(), (noted.entity.topic, noted.sequence)]
}

fn redact(post: &Post, places: [(brainstem_ledger::TopicId, Sequence); 2]) {
    for (topic, sequence) in places {
        post.redact_in_ledger(topic, &[sequence], "asked", true).unwrap();
    }
}

#[test] // spec: LED-5
fn nothing_of_a_redacted_message_is_left_in_the_files_of_ledger_and_inbox() {
    let world = World::new();
    let places = filled(&world);
    let ana = person("human:ana");
    let (inbox, ledger) = (world.folder.path().join("home/inbox"), world.folder.path().join("home/ledger"));
    let before = world.list(&ana, RowState::All).rows.len();
    assert!(!files_with(&inbox, SAID).is_empty() && !files_with(&inbox, NOTED).is_empty());
    redact(&world.post, places);
    assert_eq!(world.list(&ana, RowState::All).rows.len(), before - 2);
    for word in [SAID, NOTED] {
        assert_eq!(files_with(&inbox, word), [""; 0], "{word}");
        assert_eq!(files_with(&ledger, word), [""; 0], "{word}");
    }
    assert_eq!(world.list(&ana, RowState::All).rows.len(), before - 2);
}

#[test] // spec: LED-5
fn the_next_read_erases_what_another_process_redacted() {
    let world = World::new();
    let places = filled(&world);
    let ana = person("human:ana");
    world.list(&ana, RowState::All);
    // Another process, whose inbox cannot be brought up at that moment: a file is in the place of the folder.
    let (home, away) = (world.folder.path().join("home"), world.folder.path().join("away"));
    world.post.close_idle_files(std::time::Duration::ZERO);
    fs::rename(home.join("inbox"), &away).unwrap();
    fs::write(home.join("inbox"), b"").unwrap();
    redact(&real_post(world.folder.path()), places);
    fs::remove_file(home.join("inbox")).unwrap();
    fs::rename(&away, home.join("inbox")).unwrap();
    assert!(!files_with(&home.join("inbox"), SAID).is_empty(), "the mirror was not there");
    world.list(&ana, RowState::All);
    for word in [SAID, NOTED] {
        assert_eq!(files_with(&home.join("inbox"), word), [""; 0], "{word}");
    }
}
