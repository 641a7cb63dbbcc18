//! Two repositories, one with a worktree, and callers with sessions and tags.

use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk, SimDisk};
use brainstem_base::ids::CountingIds;
use brainstem_base::{AgentId, Fault};
use brainstem_mail::name::MailboxName;
use brainstem_memory::identity::IdentitySource;
use brainstem_memory::{
    Caller, CallerPlace, Correspondent, Floor, Memory, NoEmbedder, Parts, Principal, RootHints,
};
use brainstem_post::Post;
use brainstem_post::live::{LiveRequest, NamedTarget};
use brainstem_post::mail::{
    FinishRequest, MailListRequest, MailListing, MessageFilter, MessageKind, MessageRef, NamedBox,
    OthersBoxes, Recipients, ReplyRequest, SendKey, SendRequest, SentMessage, TakeRequest,
};
use std::path::Path;
use std::sync::Arc;

pub(crate) const CHERRY: &str = "/src/cherry";
pub(crate) const MAIL: &str = "/src/cherry/.mail";
/// A worktree of cherry that lies elsewhere.
pub(crate) const WORKTREE: &str = "/src/wt-feature";

pub(crate) struct World {
    pub(crate) disk: SimDisk,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) memory: Memory,
    pub(crate) post: Post,
}

impl World {
    pub(crate) fn new() -> Self {
        let disk = SimDisk::new();
        for root in [CHERRY, "/src/plum"] {
            disk.write_raw(format!("{root}/.git/HEAD"), b"ref: refs/heads/main\n");
        }
        disk.write_raw(format!("{WORKTREE}/.git"), b"gitdir: /src/cherry/.git/worktrees/wt-feature\n");
        disk.write_raw("/src/cherry/.git/worktrees/wt-feature/commondir", b"../..\n");
        disk.write_raw(
            "/src/cherry/.git/worktrees/wt-feature/gitdir",
            format!("{WORKTREE}/.git\n").as_bytes(),
        );
        disk.make_dirs("/home/ana");
        let clock = Arc::new(ManualClock::at(1_783_209_431_408));
        let memory = memory(Arc::new(disk.clone()), &clock, 1);
        Self { disk, clock, post: Post::new(&memory), memory }
    }

    /// What another process has that looks at the same files through this disk.
    pub(crate) fn post_on(&self, disk: Arc<dyn Disk>) -> Post {
        Post::new(&memory(disk, &self.clock, 1 << 32))
    }

    pub(crate) fn send(&self, who: &Caller, to: &str, subject: &str) -> SentMessage {
        self.send_with(who, SendRequest { subject: subject.into(), ..sending(to, MessageKind::Task) })
    }

    pub(crate) fn send_with(&self, who: &Caller, request: SendRequest) -> SentMessage {
        // A moment passes between two messages.
        self.clock.advance(1_000);
        self.post.send(who, &request).unwrap().remove(0)
    }

    pub(crate) fn list(&self, who: &Caller, request: MailListRequest) -> MailListing {
        self.post.list_mail(who, &MailListRequest { limit: 100, ..request }).unwrap()
    }

    /// The subjects of what waits for somebody.
    pub(crate) fn waiting(&self, who: &Caller) -> Vec<String> {
        subjects(&self.list(who, MailListRequest::default()))
    }

    pub(crate) fn reply(&self, who: &Caller, file: &str, body: &str) -> SentMessage {
        self.clock.advance(1_000);
        self.post.reply(who, &replying(file, body)).unwrap()
    }
}

fn memory(disk: Arc<dyn Disk>, clock: &Arc<ManualClock>, ids: u64) -> Memory {
    Memory::new(Parts {
        disk,
        clock: clock.clone(),
        ids: Arc::new(CountingIds::from(ids)),
        home: "/home/ana/.brainstem".into(),
        user_home: Some("/home/ana".into()),
        meanings: Arc::new(NoEmbedder),
    })
}

pub(crate) fn subjects(listed: &MailListing) -> Vec<String> {
    listed.rows.iter().map(|row| row.head.subject.clone()).collect()
}

pub(crate) fn named(file: &impl ToString) -> FinishRequest {
    FinishRequest { file: message(file.to_string()), mailbox: None, others: OthersBoxes::LeftAlone }
}

pub(crate) fn of_box(mailbox: &str) -> TakeRequest {
    TakeRequest { mailbox: Some(boxed(mailbox)), ..TakeRequest::default() }
}

pub(crate) fn code<T>(result: Result<T, impl Into<Fault>>) -> &'static str {
    result.map_or_else(|error| error.into().code.name(), |_| "ok")
}

/// The refusal of a call that is refused.
pub(crate) fn refusal<T>(result: Result<T, impl Into<Fault>>) -> Fault {
    result.err().expect("it is refused").into()
}

/// A floor that knows the kinds of secrets that every home knows.
pub(crate) fn floor() -> Floor {
    World::new().memory.floor()
}

pub(crate) fn boxed(name: &str) -> NamedBox {
    NamedBox::parse(&floor(), "box", name).unwrap()
}

pub(crate) fn message(file: impl AsRef<str>) -> MessageRef {
    MessageRef::parse(&floor(), "file", file.as_ref()).unwrap()
}

pub(crate) fn recipients(to: &str) -> Recipients {
    Recipients::parse(&floor(), &[to.to_owned()]).unwrap()
}

/// A message without words.
pub(crate) fn sending(to: &str, kind: MessageKind) -> SendRequest {
    SendRequest::new(recipients(to), kind)
}

pub(crate) fn replying(file: impl AsRef<str>, body: &str) -> ReplyRequest {
    ReplyRequest::new(message(file), body.to_owned())
}

pub(crate) fn live_to(target: &str, body: &str) -> LiveRequest {
    LiveRequest::new(NamedTarget::parse(target).unwrap(), body.to_owned())
}

pub(crate) fn key(text: &str) -> Option<SendKey> {
    Some(SendKey::parse(text.to_owned()).unwrap())
}

/// What waits for a reply.
pub(crate) fn asking() -> MessageFilter {
    MessageFilter { needs_response: true, ..MessageFilter::default() }
}

/// Somebody who stands in a folder, perhaps in a named session (`name+tag+tag`).
pub(crate) fn caller(agent: &str, session: &str, cwd: &str) -> Caller {
    let agent = AgentId::parse(agent).unwrap();
    let mut names =
        session.split('+').filter(|name| !name.is_empty()).map(|name| MailboxName::parse(name).unwrap());
    let principal = Principal {
        kind: agent.kind(),
        source: IdentitySource::Argument,
        display_name: None,
        self_declared: true,
        unread: Vec::new(),
        mail: Correspondent { session: names.next(), tags: names.collect(), ..Correspondent::default() },
        agent,
    };
    let hints = RootHints { cwd: Some(Path::new(cwd).to_owned()), ..RootHints::default() };
    Caller::new(principal, CallerPlace::lasting(hints))
}
