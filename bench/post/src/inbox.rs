//! How fast the inbox is: `cargo run --release -- inbox` (INB-7, INB-8, INB-9).
//!
//! From an urgent send to a reader that waits, through the service and, with `--program PATH`, through two processes of a
//! release build. Catching up with `--messages N` messages (100,000), beside the verification of their chain and a bare insert of
//! the same rows into an SQLite table without an index. And a list of 50 unread messages in a mirror of 1,000 and of N: if
//! all of them are unread, and if only 50 are.

use crate::number::number;
use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_base::ids::SystemIds;
use brainstem_base::{AgentId, Clock as _};
use brainstem_inbox::{Acknowledgement, AgentDefinition, Envelope};
use brainstem_ledger::{AccountId, Append, Kept, Ledger as _, Sequence, TopicId};
use brainstem_ledger_sqlite::SqliteLedger;
use brainstem_mail::name::MailboxName;
use brainstem_memory::identity::IdentitySource;
use brainstem_memory::{Caller, CallerPlace, Correspondent, Memory, NoEmbedder, Parts, Principal, RootHints};
use brainstem_post::Post;
use brainstem_post::inbox::{
    INBOX_FOLDER, InboxPriority, InboxQuery, InboxSend, MessageContent, MessageType, RowState,
};
use brainstem_sqlite::rusqlite::{Connection, params};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// How many messages a list shows, and how many are unread among processed ones.
const LISTED: usize = 50;
/// The size that a mirror of any size is held to.
const SMALL: usize = 1_000;
/// Threads that fill a ledger: they share a sync.
const FILLERS: usize = 32;
/// How often a list is asked for.
const LISTS: usize = 101;
const ROUNDS: usize = 3;
const PATIENCE: Duration = Duration::from_secs(60);

struct Options {
    messages: usize,
    sends: usize,
    program: Option<PathBuf>,
    json_file: Option<PathBuf>,
    parent: PathBuf,
}

/// Measures, and prints tables.
pub fn measure(options: &[&str]) {
    let mut asked = Options {
        messages: 100_000,
        sends: 200,
        program: None,
        json_file: None,
        parent: std::env::temp_dir(),
    };
    for pair in options.chunks(2) {
        match pair {
            ["--messages", count] => asked.messages = number(count),
            ["--sends", count] => asked.sends = number(count),
            ["--program", path] => {
                asked.program = Some(fs::canonicalize(path).expect("the program is there"))
            }
            ["--json", file] => asked.json_file = Some(PathBuf::from(file)),
            ["--folder", folder] => asked.parent = PathBuf::from(folder),
            other => panic!("{other:?} is not understood"),
        }
    }
    let visible = visibility(&asked);
    let (caught_up, lists) = mirrors(&asked);
    if let Some(file) = asked.json_file {
        let all = json!({ "visible": visible, "catch_up": caught_up, "lists": lists });
        fs::write(file, serde_json::to_string_pretty(&all).expect("JSON") + "\n")
            .expect("the file can be written");
    }
}

/// From an urgent send to a waiting reader.
fn visibility(asked: &Options) -> Vec<Value> {
    println!("| urgent send to a waiting reader | sends | p50 | p99 | longest | target |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    let mut rows = Vec::new();
    let mut row = |name: &str, mut took: Vec<Duration>| {
        took.sort();
        let at = |share: f64| took[((took.len() - 1) as f64 * share).round() as usize].as_secs_f64() * 1e3;
        let (middle, late, longest) = (at(0.5), at(0.99), at(1.0));
        println!("| {name} | {} | {middle:.2} ms | {late:.2} ms | {longest:.2} ms | 50 ms |", took.len());
        rows.push(
            json!({ "way": name, "sends": took.len(), "p50_ms": middle, "p99_ms": late, "longest_ms": longest,
            "target_ms": 50 }),
        );
    };
    let (whole, after) = through_the_service(asked);
    row("the service, from the start of the send", whole);
    row("the service, from its answer", after);
    if let Some(program) = &asked.program {
        let (whole, after) = through_processes(program, asked);
        row("two processes, from the start of the sender", whole);
        row("two processes, from its end", after);
    }
    println!();
    rows
}

/// From the start of a send, and from its answer.
type Delays = (Vec<Duration>, Vec<Duration>);

fn through_the_service(asked: &Options) -> Delays {
    let folder = tempfile::tempdir_in(&asked.parent).expect("a temporary folder");
    let (post, ana) = (post(folder.path()), ana());
    post.make_agent_topics(&codex(), &[]).expect("topics");
    let (seen, seen_at) = channel();
    let place = folder.path().to_owned();
    let reader = std::thread::spawn(move || wait_and_tell(&place, &seen));
    let delays = send_each(asked.sends, &seen_at, |subject| {
        post.send_inbox(&ana, &sending(subject, InboxPriority::Urgent)).expect("sent");
    });
    // The reader ends with the last word.
    post.send_inbox(&ana, &sending("end", InboxPriority::Urgent)).expect("sent");
    reader.join().expect("the reader lives");
    delays
}

/// Waits in the feed, as `inbox watch` does, and tells when which subject was there.
fn wait_and_tell(folder: &Path, seen: &Sender<(Instant, String)>) {
    let (post, codex) = (post(folder), codex());
    let mut after = Some(post.inbox_events(&codex, None, 1).expect("a feed").tail);
    seen.send((Instant::now(), "begun".to_owned())).expect("it is awaited");
    loop {
        let page = post.wait_inbox_events(&codex, after, PATIENCE).expect("a page");
        after = Some(page.next_cursor);
        for event in page.events {
            let subject = post.inbox_message(&codex, event.row).expect("a message").row.content.subject;
            if subject == "end" {
                return;
            }
            seen.send((Instant::now(), subject)).expect("it is awaited");
        }
    }
}

fn through_processes(program: &Path, asked: &Options) -> Delays {
    let folder = tempfile::tempdir_in(&asked.parent).expect("a temporary folder");
    let command = |words: &[&str]| {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", folder.path()).env("USER", "ana").env("BRAINSTEM_BACKGROUND", "off");
        command.args(words).current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null());
        command
    };
    let send = |subject: &str| {
        let to = ["inbox", "send", "--to", "codex", "--type", "fyi", "--priority", "1", "--subject", subject];
        assert!(command(&to).status().expect("the program runs").success());
    };
    send("first");
    let mut watching = command(&["--as", "codex:maker", "--json", "inbox", "watch"]);
    let mut watcher = Watcher(watching.stdout(Stdio::piped()).spawn().expect("it runs"));
    let lines = BufReader::new(watcher.0.stdout.take().expect("piped")).lines();
    let (seen, seen_at) = channel();
    let reader = std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            let now = Instant::now();
            let shown: Value = serde_json::from_str(&line).expect("one document a line");
            let subject = shown["subject"].as_str().unwrap_or_default().to_owned();
            if seen.send((now, subject)).is_err() {
                return;
            }
        }
    });
    // It shows what arrives from its first look on, and does not say when that was.
    let since = Instant::now();
    while seen_at.recv_timeout(Duration::from_millis(300)).is_err() {
        assert!(since.elapsed() < PATIENCE, "nobody watches");
        send("are you there");
    }
    let delays = send_each(asked.sends, &seen_at, send);
    drop(watcher);
    reader.join().expect("the reader lives");
    delays
}

struct Watcher(Child);

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends one message at a time, each when the one before was seen and its reader waits again.
fn send_each(sends: usize, seen: &Receiver<(Instant, String)>, send: impl Fn(&str)) -> Delays {
    let mut delays: Delays = (Vec::new(), Vec::new());
    for n in 0..sends {
        // Uneven, so that no message meets the reader's looks at always the same point.
        std::thread::sleep(Duration::from_micros(30_000 + (n as u64 * 7_919) % 23_000));
        let subject = format!("urgent {n}");
        let start = Instant::now();
        send(&subject);
        let answered = Instant::now();
        let at = loop {
            let (at, which) = seen.recv_timeout(PATIENCE).expect("it is seen");
            if which == subject {
                break at;
            }
        };
        delays.0.push(at - start);
        // A reader can be faster than the answer.
        delays.1.push(at.saturating_duration_since(answered));
    }
    delays
}

/// Catching up and listing, with few and with many messages.
fn mirrors(asked: &Options) -> (Vec<Value>, Vec<Value>) {
    let (mut caught_up, mut lists) = (Vec::new(), Vec::new());
    let mut sizes = vec![SMALL.min(asked.messages), asked.messages];
    sizes.dedup();
    for count in sizes {
        let folder = tempfile::tempdir_in(&asked.parent).expect("a temporary folder");
        let home = FilledHome::make(folder.path(), count);
        caught_up.push(home.catch_up("messages", RowState::Unread));
        lists.push((count, "all unread", home.list()));
        home.acknowledge(count - LISTED.min(count));
        caught_up.push(home.catch_up("messages and acknowledgements", RowState::All));
        lists.push((count, "50 unread", home.list()));
    }
    println!(
        "| catching up | messages | time | verification alone | bare insert of the rows | of both | target |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut shown = Vec::new();
    for CaughtUp { what, folded, took, verified, bare } in caught_up {
        let (ratio, target) = (took / (verified + bare), 5.0);
        println!(
            "| {what} | {folded} | {took:.2} s | {verified:.2} s | {bare:.2} s | {ratio:.2} × | {target} s for 100000 |"
        );
        shown.push(json!({ "what": what, "messages": folded, "seconds": took, "verification_s": verified,
            "bare_insert_s": bare, "of_both": ratio }));
    }
    println!(
        "\n| a list of {LISTED} | in a mirror of | the service | the mirror alone |\n| --- | ---: | ---: | ---: |"
    );
    let listed: Vec<Value> = lists
        .into_iter()
        .map(|(count, what, [service, alone])| {
            println!("| {what} | {count} | {service:.2} ms | {alone:.3} ms |");
            json!({ "unread": what, "rows": count, "service_ms": service, "mirror_ms": alone })
        })
        .collect();
    (shown, listed)
}

struct CaughtUp {
    what: &'static str,
    folded: usize,
    took: f64,
    verified: f64,
    bare: f64,
}

/// A home whose ledger has messages to one reader, and no mirror yet.
struct FilledHome<'a> {
    folder: &'a Path,
    post: Post,
    ledger: Arc<SqliteLedger>,
    reader: AgentDefinition,
    first: Sequence,
}

impl<'a> FilledHome<'a> {
    fn make(folder: &'a Path, count: usize) -> Self {
        let (post, ana) = (post(folder), ana());
        post.make_agent_topics(&codex(), &[]).expect("topics");
        let sent = post.send_inbox(&ana, &sending("first", InboxPriority::Normal)).expect("sent");
        let [sender, reader] = [&ana, &codex()]
            .map(|caller| post.inbox_definition(caller).expect("readable").expect("it has topics"));
        let ledger = post.ledger();
        let fill = |n: usize| {
            let content = sending(&format!("message {n}"), InboxPriority::ALL[n % 5]).content;
            Envelope::message(sender.operator(), &content, SystemClock.now())
        };
        append_all(&ledger, reader.inbound, sender.account, 1..count, fill);
        Self { folder, post, ledger, reader, first: sent.sequence }
    }

    /// Puts acknowledgements of the first so many messages on the ledger.
    fn acknowledge(&self, count: usize) {
        let ack = |n: usize| {
            let sequence = Sequence::new(self.first.number() + n as u64).expect("not zero");
            Acknowledgement { topic: self.reader.inbound, sequence, session: "bench".to_owned() }.to_bytes()
        };
        append_all(&self.ledger, self.reader.acks, self.reader.account, 0..count, ack);
    }

    /// How long the first look at a home without a mirror takes, the middle of some rounds.
    fn catch_up(&self, what: &'static str, state: RowState) -> CaughtUp {
        let mut times: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let _ = fs::remove_dir_all(self.mirror());
                let since = Instant::now();
                let found = self.post.list_inbox(&codex(), &query(state)).expect("a list");
                assert!(!found.rows.is_empty());
                since.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let since = Instant::now();
        let found = self.ledger.verify(&Kept::default(), &[]).expect("readable");
        let verified = since.elapsed().as_secs_f64();
        assert!(found.holds());
        let folded = usize::try_from(found.messages).expect("not so many");
        CaughtUp { what, folded, took: times[ROUNDS / 2], verified, bare: self.bare_insert() }
    }

    /// The same rows into a table of the same columns without an index, as one transaction for each thousand.
    fn bare_insert(&self) -> f64 {
        let mirror = Connection::open(self.mirror().join("inbox.sqlite")).expect("opened");
        let read = |row: &brainstem_sqlite::rusqlite::Row<'_>| {
            (0..12)
                .map(|at| row.get::<_, brainstem_sqlite::rusqlite::types::Value>(at))
                .collect::<Result<Vec<_>, _>>()
        };
        let columns = "id, to_agent, from_agent, message_type, subject, payload, priority, processed, processed_at, \
                       created_at, topic_id, sequence_number";
        let mut statement = mirror.prepare(&format!("SELECT {columns} FROM inbox")).expect("a statement");
        let rows: Vec<_> =
            statement.query_map((), read).expect("rows").map(|row| row.expect("a row")).collect();
        let mut bare = Connection::open(self.folder.join("bare.sqlite")).expect("opened");
        bare.pragma_update(None, "journal_mode", "WAL").expect("set");
        bare.pragma_update(None, "synchronous", "NORMAL").expect("set");
        bare.execute_batch(&format!("DROP TABLE IF EXISTS inbox; CREATE TABLE inbox ({columns})"))
            .expect("a table");
        let since = Instant::now();
        for part in rows.chunks(1_000) {
            let transaction = bare.transaction().expect("begun");
            {
                let sql = "INSERT INTO inbox VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
                let mut insert = transaction.prepare_cached(sql).expect("a statement");
                for row in part {
                    let [a, b, c, d, e, f, g, h, i, j, k, l] = &row[..] else { panic!("twelve columns") };
                    insert.execute(params![a, b, c, d, e, f, g, h, i, j, k, l]).expect("inserted");
                }
            }
            transaction.commit().expect("committed");
        }
        since.elapsed().as_secs_f64()
    }

    /// How long a list of unread messages takes, in ms: through the service, and asking the open mirror for the rows alone.
    fn list(&self) -> [f64; 2] {
        let middle = |act: &dyn Fn() -> usize| {
            let mut times: Vec<f64> = (0..LISTS)
                .map(|_| {
                    let since = Instant::now();
                    assert_eq!(act(), LISTED);
                    since.elapsed().as_secs_f64() * 1e3
                })
                .collect();
            times.sort_by(f64::total_cmp);
            times[LISTS / 2]
        };
        let service =
            middle(&|| self.post.list_inbox(&codex(), &query(RowState::Unread)).expect("a list").rows.len());
        let mirror = Connection::open(self.mirror().join("inbox.sqlite")).expect("opened");
        let slug = self.reader.slug.as_str();
        let alone = middle(&|| {
            let sql = "SELECT id, subject, payload FROM inbox WHERE to_agent = ?1 AND processed = 0
                       ORDER BY priority, created_at LIMIT ?2";
            let mut statement = mirror.prepare_cached(sql).expect("a statement");
            let rows =
                statement.query_map((slug, LISTED as i64), |row| row.get::<_, String>(0)).expect("rows");
            rows.count()
        });
        [service, alone]
    }

    fn mirror(&self) -> PathBuf {
        self.folder.join("home").join(INBOX_FOLDER)
    }
}

/// Appends messages by many threads, which share transactions. Which is first among them is left to chance.
fn append_all(
    ledger: &SqliteLedger,
    topic: TopicId,
    submitter: AccountId,
    which: std::ops::Range<usize>,
    bytes: impl Fn(usize) -> Vec<u8> + Sync,
) {
    let (bytes, which) = (&bytes, &which);
    std::thread::scope(|scope| {
        for filler in 0..FILLERS {
            scope.spawn(move || {
                for n in which.clone().filter(|n| n % FILLERS == filler) {
                    let append = Append { topic, submitter, key: None, bytes: bytes(n) };
                    ledger.append(&append).expect("appended");
                }
            });
        }
    });
}

fn query(state: RowState) -> InboxQuery {
    InboxQuery { state, text: None, ref_id: None, limit: LISTED }
}

fn sending(subject: &str, priority: InboxPriority) -> InboxSend {
    let text = "Bound the retry loop, and say what you found. ".repeat(3);
    let content = MessageContent {
        kind: MessageType::parse("question").expect("a type"),
        subject: subject.to_owned(),
        payload: Some(json!({ "text": text })),
        context: None,
        reference: None,
        priority,
    };
    InboxSend { to: "codex".to_owned(), content, key: None }
}

fn post(folder: &Path) -> Post {
    Post::new(&Memory::new(Parts {
        disk: Arc::new(RealDisk),
        clock: Arc::new(SystemClock),
        ids: Arc::new(SystemIds),
        home: folder.join("home"),
        user_home: None,
        meanings: Arc::new(NoEmbedder),
    }))
}

fn codex() -> Caller {
    caller("codex:maker", IdentitySource::Argument)
}

fn ana() -> Caller {
    caller("human:ana", IdentitySource::Login)
}

fn caller(agent: &str, source: IdentitySource) -> Caller {
    let agent = AgentId::parse(agent).expect("an id");
    let session = Some(MailboxName::parse("bench").expect("a name"));
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
