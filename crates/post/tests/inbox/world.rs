//! A home in a folder, and callers.

use brainstem_base::clock::{ManualClock, SystemClock};
use brainstem_base::disk::RealDisk;
use brainstem_base::ids::SystemIds;
use brainstem_base::{AgentId, Clock, Fault};
use brainstem_mail::name::MailboxName;
use brainstem_memory::identity::IdentitySource;
use brainstem_memory::{Caller, CallerPlace, Correspondent, Memory, NoEmbedder, Parts, Principal, RootHints};
use brainstem_post::Post;
use brainstem_post::inbox::{
    InboxListing, InboxPriority, InboxQuery, InboxSend, InboxSent, MessageContent, MessageType, MirrorRow,
    RowState,
};
use brainstem_post::mail::SessionReach;
use std::path::Path;
use std::sync::Arc;

pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) post: Post,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::at(1_783_209_431_408));
        let post = post(folder.path(), clock.clone());
        Self { folder, clock, post }
    }

    pub(crate) fn send(&self, from: &Caller, to: &str, subject: &str, priority: InboxPriority) -> InboxSent {
        self.clock.advance(1_000);
        self.post.send_inbox(from, &sending(to, subject, priority)).unwrap()
    }

    pub(crate) fn list(&self, of: &Caller, state: RowState) -> InboxListing {
        let query = InboxQuery { state, text: None, ref_id: None, limit: 100 };
        self.post.list_inbox(of, &query).unwrap()
    }

    pub(crate) fn unread(&self, of: &Caller) -> Vec<String> {
        subjects(&self.list(of, RowState::Unread).rows)
    }

    /// Deletes the mirror. The next look makes it anew.
    pub(crate) fn drop_mirror(&self) {
        std::fs::remove_dir_all(self.folder.path().join("home/inbox")).unwrap();
    }
}

/// The post of a process at this folder.
pub(crate) fn post(folder: &Path, clock: Arc<dyn Clock>) -> Post {
    Post::new(&Memory::new(Parts {
        disk: Arc::new(RealDisk),
        clock,
        ids: Arc::new(SystemIds),
        home: folder.join("home"),
        user_home: None,
        meanings: Arc::new(NoEmbedder),
    }))
}

pub(crate) fn real_post(folder: &Path) -> Post {
    post(folder, Arc::new(SystemClock))
}

pub(crate) fn sending(to: &str, subject: &str, priority: InboxPriority) -> InboxSend {
    let content = MessageContent {
        kind: MessageType::parse("question").unwrap(),
        subject: subject.to_owned(),
        payload: Some(serde_json::json!({"text": subject})),
        context: None,
        reference: None,
        priority,
    };
    InboxSend { to: to.to_owned(), content, key: None }
}

pub(crate) fn subjects(rows: &[MirrorRow]) -> Vec<String> {
    rows.iter().map(|row| row.row.content.subject.clone()).collect()
}

pub(crate) fn refusal<T>(result: Result<T, impl Into<Fault>>) -> (&'static str, Option<String>) {
    let fault: Fault = result.err().expect("it is refused").into();
    (fault.code.name(), fault.field)
}

/// A caller in a session.
pub(crate) fn caller(agent: &str, session: &str) -> Caller {
    caller_from(agent, session, IdentitySource::Argument)
}

/// The person at the terminal, by its login alone.
pub(crate) fn person(agent: &str) -> Caller {
    caller_from(agent, "", IdentitySource::Login)
}

fn caller_from(agent: &str, session: &str, source: IdentitySource) -> Caller {
    let agent = AgentId::parse(agent).unwrap();
    let session = (!session.is_empty()).then(|| MailboxName::parse(session).unwrap());
    let principal = Principal {
        kind: agent.kind(),
        source,
        display_name: None,
        self_declared: true,
        unread: Vec::new(),
        mail: Correspondent { session, ..Correspondent::default() },
        agent,
    };
    Caller::new(principal, CallerPlace::lasting(RootHints::default()))
}

/// The id of a caller's session, as it is on record.
pub(crate) fn session_id(world: &World, of: &Caller) -> String {
    let name = of.principal.mail.session.as_ref().expect("a caller with a session").to_string();
    let records = world.post.sessions_of(of, SessionReach::Everywhere).into_iter();
    let record = records.map(|row| row.record).find(|record| record.name == name);
    record.and_then(|record| record.id).expect("a session on record").to_string()
}
