//! Where a caller stands is found out once in a call: what each verb needs to know about the place, its brain, its settings
//! and its mail, it reads from that one answer.

use crate::failing_reads::prepared;
use crate::world::{CHERRY, HOME, World};
use brainstem_api::live::Live;
use brainstem_api::{Context, Editor, verbs as table};
use brainstem_base::Fault;
use brainstem_base::disk::{FaultyDisk, SimDisk, UnsyncedFate, verbs};
use brainstem_base::next::VerbId;
use brainstem_memory::Session;
use brainstem_post::live::Hub;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const MAKER: &str = "codex:maker";
const PERSON: &str = "human:ana";
/// A folder inside the project, which nothing but the walk from the caller's folder upwards looks at.
const DEEP: &str = "/src/cherry/src/deep";

/// Verbs that look into the caller's own folder for a purpose of their own, beside the routing: how often, how many walks
/// upwards that takes, and why.
const BESIDE: &[(VerbId, usize, usize, &str)] = &[
    (VerbId::Init, 1, 2, "a package between the caller and its repository may have a brain of its own"),
    (VerbId::Eject, 1, 2, "as init"),
    (
        VerbId::Doctor,
        1,
        4,
        "a diagnosis finds the brain by reading alone, because routing rebinds one that moved; and the caller's own checkout, \
         which may be a linked worktree",
    ),
];

/// Verbs that need a ledger, which is an SQLite file and so on no simulated disk. They are refused here, after they looked
/// where their caller is; `post/tests/inbox` and the guide of the inbox run them on real files.
const ON_REAL_FILES: &[VerbId] = &[
    VerbId::InboxRead,
    VerbId::InboxReply,
    VerbId::InboxDone,
    VerbId::InboxDecide,
    VerbId::InboxSend,
    VerbId::Note,
    VerbId::AgentTopics,
];

/// Verbs of the ledger. They are about the home and not about the place of their caller, and SQLite opens their files beside
/// the disk, of which a simulated one has none.
const OF_THE_LEDGER: &[VerbId] = &[
    VerbId::LedgerTopics,
    VerbId::LedgerShow,
    VerbId::LedgerTail,
    VerbId::LedgerVerify,
    VerbId::LedgerHead,
    VerbId::LedgerReceipt,
    VerbId::LedgerCheckReceipt,
    VerbId::LedgerRedact,
    VerbId::LedgerExport,
    VerbId::InboxRebuild,
];

/// How often a call looked into its caller's own folder.
#[derive(Clone, Default)]
struct Looks {
    /// For a brain, as each routing does.
    brain: Arc<AtomicUsize>,
    /// For a repository, as each walk from there upwards does.
    repository: Arc<AtomicUsize>,
}

impl Looks {
    fn take(&self) -> (usize, usize) {
        (self.brain.swap(0, Ordering::SeqCst), self.repository.swap(0, Ordering::SeqCst))
    }
}

/// The world on a disk that counts these looks.
fn counting(world: &World, disk: SimDisk) -> (World, Looks) {
    let looks = Looks::default();
    let counted = looks.clone();
    let disk = FaultyDisk::new(Arc::new(disk), move |step| {
        let own = Path::new(DEEP);
        for (count, name) in [(&counted.brain, ".brainstem"), (&counted.repository, ".git")] {
            if step.verb == verbs::STAT && step.path == own.join(name) {
                count.fetch_add(1, Ordering::SeqCst);
            }
        }
        None
    });
    (world.on(Arc::new(disk)), looks)
}

/// What an editor makes of a page: another text.
struct Rewriting;

impl Editor for Rewriting {
    fn edit(&self, _: &str, page: &str) -> Result<(String, PathBuf), Fault> {
        Ok((page.replace("bound now", "bound since today"), PathBuf::from("/tmp/page")))
    }

    fn discard(&self, _: &Path) {}
}

/// A call of each verb: the agent, and its arguments, after what has to be there for it.
fn call_of(verb: VerbId, world: &World, disk: &SimDisk, words: &[String; 2]) -> (&'static str, Value) {
    let [question, letter] = words;
    let get = |agent: &str, verb: &str, fields: Value| world.get(agent, DEEP, verb, fields);
    let label = json!({"label": "Retry loop"});
    match verb {
        VerbId::North => (MAKER, json!({"task": "bound the retry loop"})),
        VerbId::Seek => (MAKER, json!({"query": "retry loop"})),
        VerbId::Memorize => {
            (MAKER, json!({"label": "Green", "text": "Lamps are green.", "evidence": ["a.rs"]}))
        }
        VerbId::Retract => (MAKER, json!({"label": "Retry loop", "reason": "it is gone"})),
        VerbId::Learn => (MAKER, json!({"label": "Retry loop", "verdict": "correct"})),
        VerbId::Promote => {
            (PERSON, json!({"label": "Retry loop", "reason": "it holds everywhere", "because": "doctrine"}))
        }
        VerbId::Audit => (MAKER, json!({"what": "promotions"})),
        VerbId::Show | VerbId::Edit => (MAKER, label),
        VerbId::Rename => (MAKER, json!({"label": "Retry loop", "to": "The retry loop"})),
        VerbId::Forget => (PERSON, json!({"label": "Retry loop", "confirm": true})),
        VerbId::Export => (PERSON, json!({"out": "/tmp/all.jsonl"})),
        VerbId::Import => {
            get(PERSON, "export", json!({"out": "/tmp/all.jsonl"}));
            (PERSON, json!({"path": "/tmp/all.jsonl"}))
        }
        VerbId::MigrateRollback => {
            // A claim of the project lies in the medulla, as it was written before origins were kept.
            let claim = format!(
                "---\nProtocol: L1GHT/1.0\nNode: Flaky\nState: authored\nCreated: 1\nSource-Agent: m1nd:scout\n---\n\n\
                 # Flaky\n\nSee `{DEEP}/a.rs`, line 1.\n"
            );
            disk.write_raw(format!("{HOME}/agent-memory/flaky.light.md"), claim.as_bytes());
            get(PERSON, "migrate_apply", json!({}));
            (PERSON, json!({}))
        }
        VerbId::MigratePlan | VerbId::MigrateApply | VerbId::MailInit => (PERSON, json!({})),
        VerbId::Boot => (MAKER, json!({"action": "set", "key": "branch", "value": "main"})),
        VerbId::Delegate => (MAKER, json!({"task": "bound the third loop"})),
        VerbId::Debrief => {
            let given = get(MAKER, "delegate", json!({"task": "bound the third loop"}));
            (MAKER, json!({"delegation_id": given["delegation_id"], "outcome": "success"}))
        }
        VerbId::MailSend | VerbId::LiveSend => {
            let fields = json!({"to": ["human:ana"], "type": "status", "subject": "s", "body": "It turns."});
            let live = json!({"target": "human:ana", "body": "It turns."});
            (MAKER, if verb == VerbId::MailSend { fields } else { live })
        }
        VerbId::MailRead | VerbId::MailReply | VerbId::MailMarkRead | VerbId::MailArchive => {
            let body = (verb == VerbId::MailReply).then_some("It turns still.");
            (MAKER, json!({"file": question, "body": body}))
        }
        VerbId::MailClaim => {
            let fields = json!({"to": ["codex:maker"], "type": "status", "subject": "s", "body": "Take it."});
            let sent = get(PERSON, "mail_send", fields);
            (MAKER, json!({"file": sent["file"]}))
        }
        VerbId::MailThread => (MAKER, json!({"thread": question})),
        VerbId::MailSearch => (MAKER, json!({"query": "press"})),
        VerbId::MailPrune => (PERSON, json!({"older_than": "1h"})),
        // No message has this id: there is no ledger on a simulated disk.
        VerbId::InboxRead => (MAKER, json!({"id": "3f2a9c1b"})),
        VerbId::InboxReply => (MAKER, json!({"id": "3f2a9c1b", "body": "It turns."})),
        VerbId::InboxDone => (MAKER, json!({"ids": ["3f2a9c1b"]})),
        VerbId::InboxSend => {
            (MAKER, json!({"to_agent": "human", "message_type": "fyi", "subject": "It turns."}))
        }
        VerbId::InboxDecide => (MAKER, json!({"account": "0.0.77", "decision": "block"})),
        VerbId::InboxSearch => (MAKER, json!({"query": "press"})),
        VerbId::Note => (MAKER, json!({"note": "It turns.", "entity_id": "T-1", "entity_type": "task"})),
        VerbId::SessionRegister => (MAKER, json!({"name": "worker-1"})),
        VerbId::LiveStatus => (MAKER, json!({"status": "working"})),
        VerbId::LetterWrite => (MAKER, json!({"class": "bug", "what": "the press stops for good"})),
        VerbId::LetterShow => (MAKER, json!({"id": letter})),
        VerbId::BatteryAdd => {
            let fields = json!({"class": "memory_misdelivery", "kind": "false_absence", "what": "it was not there",
                "snippet": "The retry loop has a bound now."});
            let written = get(MAKER, "letter_write", fields);
            (MAKER, json!({"from_letter": written["id"]}))
        }
        VerbId::Handshake => (MAKER, json!({"expect_root": CHERRY})),
        VerbId::Eject => {
            get(PERSON, "init", json!({}));
            (PERSON, json!({}))
        }
        VerbId::SetAside => (PERSON, json!({"brain": CHERRY, "reason": "it was made by mistake"})),
        VerbId::ConfigGet => (PERSON, json!({"key": "owner"})),
        VerbId::ConfigSet => (PERSON, json!({"key": "writes_per_minute", "value": "70"})),
        VerbId::ConfigUnset => (PERSON, json!({"key": "owner"})),
        VerbId::LedgerTopics
        | VerbId::LedgerShow
        | VerbId::LedgerTail
        | VerbId::LedgerVerify
        | VerbId::LedgerHead
        | VerbId::LedgerReceipt
        | VerbId::LedgerCheckReceipt
        | VerbId::LedgerRedact
        | VerbId::LedgerExport
        | VerbId::InboxRebuild => unreachable!("{verb} routes no caller"),
        VerbId::Status
        | VerbId::Consolidate
        | VerbId::Verify
        | VerbId::List
        | VerbId::Tags
        | VerbId::MailList
        | VerbId::MailSweep
        | VerbId::SessionList
        | VerbId::InboxList
        | VerbId::InboxFetch
        | VerbId::InboxEvents
        | VerbId::InboxRequests
        | VerbId::InboxWatch
        | VerbId::AgentTopics
        | VerbId::LivePoll
        | VerbId::LiveWatch
        | VerbId::LetterList
        | VerbId::LetterDistribute
        | VerbId::LetterAll
        | VerbId::LetterBox
        | VerbId::BatteryRun
        | VerbId::Bootstrap
        | VerbId::Brains
        | VerbId::Init
        | VerbId::Resolve
        | VerbId::Whoami
        | VerbId::Tools
        | VerbId::Doctor
        | VerbId::Index
        | VerbId::ConfigList
        | VerbId::ConfigPath => (MAKER, json!({})),
    }
}

fn context(world: &World, agent: &str, session: Option<Arc<Session>>) -> Context {
    let mut cx = world.context(agent, DEEP, session);
    let hub = Hub::new(cx.memory.now());
    cx.offers.live = Some(Live::Here(Arc::new(hub)));
    cx.offers.editor = Some(Arc::new(Rewriting));
    cx
}

/// The looks of one call of a verb.
fn looks_of(
    world: &World,
    disk: SimDisk,
    verb: VerbId,
    (agent, fields): (&str, Value),
    session: Option<Arc<Session>>,
) -> (usize, usize) {
    let (world, looks) = counting(world, disk);
    let cx = context(&world, agent, session);
    let entry = table::entry_of(verb);
    let Value::Object(mut fields) = fields else { panic!("an object") };
    fields.retain(|_, value| !value.is_null());
    looks.take();
    let answer = entry.call(fields, &cx);
    entry.count(&cx);
    if let Err(fault) = answer
        && !ON_REAL_FILES.contains(&verb)
    {
        panic!("{verb} is refused, so that it proves nothing: {fault:?}");
    }
    looks.take()
}

#[test] // spec: MEM-17
fn every_call_routes_its_caller_once() {
    let (world, before, words) = prepared(false);
    before.make_dirs(DEEP);
    before.make_dirs("/tmp");
    before.write_raw(format!("{DEEP}/a.rs"), b"fn a() {}\n");
    let (counted, looks) = counting(&world, before.clone());
    let cx = context(&counted, MAKER, None);
    looks.take();
    cx.memory.route(&cx.reader().unwrap());
    let routing = looks.take();
    assert!(routing.0 > 0 && routing.1 > 0, "a routing looks into the caller's own folder: {routing:?}");
    let mut wrong = Vec::new();
    for verb in VerbId::ALL.iter().filter(|verb| !OF_THE_LEDGER.contains(verb)) {
        let beside = BESIDE.iter().find(|(beside, ..)| beside == verb);
        let (beside, walks) = beside.map_or((0, 0), |(_, times, walks, _)| (*times, *walks));
        for is_in_session in [false, true] {
            let session = is_in_session.then(Arc::<Session>::default);
            let disk = before.reboot(UnsyncedFate::Kept);
            let call = call_of(*verb, &world.on(Arc::new(disk.clone())), &disk, &words);
            let (brain, repository) = looks_of(&world, disk, *verb, call, session);
            // A session that this very call bound to the project's root stands there, and not in the folder.
            let is_moved = is_in_session && *verb == VerbId::Bootstrap;
            if brain != routing.0 * (1 + beside) && !(is_moved && brain == 0) {
                wrong.push(format!("{verb}: {brain} looks for a brain, and a routing takes {}", routing.0));
            }
            // Beside the routing: the repository around, for settings and mail, and the worktree, for its gap.
            if repository > routing.1 + 2 + walks {
                wrong.push(format!("{verb}: {repository} walks upwards, and a routing takes {}", routing.1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
