//! One look into a file or a folder fails: once, or whenever that name is looked at from then on. Whatever reads answers as
//! it does on a whole disk, or names what it could not read, or refuses.

use crate::world::{CHERRY, HOME, World};
use brainstem_api::{hook, resources};
use brainstem_base::disk::{Disk as _, DiskFault, FaultyDisk, FileKind, SimDisk, UnsyncedFate, verbs};
use brainstem_hosts::Payload;
use brainstem_hosts::payload::HookEvent;
use brainstem_testkit::cases;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const MAKER: &str = "codex:maker";
const PERSON: &str = "human:ana";

/// The ways to look into a file or a folder.
const LOOKS: [&str; 4] = [verbs::READ, verbs::LIST, verbs::STAT, verbs::MAP];
/// How often one name fails at different moments of one answer, at most.
const MOMENTS_MAX: usize = 2;

/// A look that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fails {
    /// The one of this number.
    Once(usize),
    /// Every one at this name.
    Always(PathBuf),
}

/// A disk on which a look fails, once `is_begun`: what a process looks at before its first call is not part of an answer.
fn failing(before: &SimDisk, fails: &Fails, is_begun: &Arc<AtomicBool>) -> Arc<FaultyDisk> {
    let (fails, is_begun, looks) = (fails.clone(), is_begun.clone(), AtomicUsize::new(0));
    Arc::new(FaultyDisk::new(Arc::new(before.reboot(UnsyncedFate::Kept)), move |step| {
        let is_look = LOOKS.contains(&step.verb) && is_begun.load(Ordering::SeqCst);
        let is_hit = is_look
            && match &fails {
                Fails::Once(number) => looks.fetch_add(1, Ordering::SeqCst) == *number,
                Fails::Always(path) => step.path == *path,
            };
        is_hit.then_some(DiskFault::Other)
    }))
}

/// Every name that an answer looks at, at its first moments and at its last one, and then for good.
fn each_failure(world: &World, before: &SimDisk, ask: &Ask) -> Vec<Fails> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = seen.clone();
    let disk = FaultyDisk::new(Arc::new(before.reboot(UnsyncedFate::Kept)), move |step| {
        if LOOKS.contains(&step.verb) {
            noted.lock().unwrap().push((step.verb, step.path.clone()));
        }
        None
    });
    let world = world.on(Arc::new(disk));
    seen.lock().unwrap().clear();
    ask(&world).unwrap();
    let mut moments: BTreeMap<(&str, PathBuf), Vec<usize>> = BTreeMap::new();
    for (number, look) in seen.lock().unwrap().drain(..).enumerate() {
        moments.entry(look).or_default().push(number);
    }
    let always: BTreeSet<PathBuf> = moments.keys().map(|(_, path)| path.clone()).collect();
    let once = moments.values().flat_map(|numbers| {
        let last = numbers.last().filter(|_| numbers.len() > MOMENTS_MAX);
        numbers.iter().take(MOMENTS_MAX).chain(last).copied()
    });
    once.map(Fails::Once).chain(always.into_iter().map(Fails::Always)).collect()
}

/// What an answer shows, and what it says that it could not read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answer {
    shown: String,
    told: BTreeSet<String>,
}

type Ask = Box<dyn Fn(&World) -> Result<Answer, String>>;

/// The fields in which an answer says what could not be read.
const TOLD: [&str; 6] = ["gaps", "honest_gaps", "unreachable", "stuck", "notes", "findings"];

fn take_told(value: &mut Value, told: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for name in TOLD {
                if let Some(Value::Array(items)) = fields.remove(name) {
                    told.extend(items.iter().map(ToString::to_string));
                }
            }
            // Every call is counted, the second one of a test too.
            fields.remove("calls");
            fields.values_mut().for_each(|value| take_told(value, told));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| take_told(value, told)),
        _ => {}
    }
}

fn verb(agent: &'static str, name: &'static str, fields: Value) -> (String, Ask) {
    let told = format!("{name} {fields}");
    let ask = move |world: &World| {
        let mut value = world.ask(agent, CHERRY, name, fields.clone()).map_err(|fault| fault.message)?;
        let mut told = BTreeSet::new();
        take_told(&mut value, &mut told);
        // That doctor comes first is said because of a gap.
        if let Some(next) = value.get_mut("next").and_then(Value::as_array_mut) {
            next.retain(|next| next != "brainstem doctor");
        }
        if name == "doctor" {
            value["healthy"] = Value::Null;
        }
        Ok(Answer { shown: format!("{value:#}"), told })
    };
    (told, Box::new(ask))
}

/// A page, of which the lines with gaps are what it says that it could not read.
fn page(text: &str) -> Answer {
    let is_gap = |line: &&str| line.starts_with("Gap") || line.starts_with("Unreadable");
    let told = text.lines().filter(is_gap).map(str::to_owned).collect();
    let shown: Vec<&str> = text.lines().filter(|line| !is_gap(line) && !line.is_empty()).collect();
    Answer { shown: shown.join("\n"), told }
}

fn resource(uri: &'static str) -> (String, Ask) {
    let read = move |world: &World| {
        let text =
            resources::read(uri, &world.context(MAKER, CHERRY, None)).map_err(|fault| fault.message)?;
        Ok(page(&text))
    };
    (uri.to_owned(), Box::new(read))
}

/// Every way to read memory.
fn memory_asks() -> Vec<(String, Ask)> {
    let listed = |world: &World| {
        let page =
            resources::list(None, &world.context(MAKER, CHERRY, None)).map_err(|fault| fault.message)?;
        let told = page.gaps.iter().map(|gap| gap.detail.clone()).collect();
        Ok(Answer { shown: format!("{:?} {}", page.items, page.left_out), told })
    };
    let started = |world: &World| {
        let cx = world.context(MAKER, CHERRY, None);
        let said =
            hook::text(HookEvent::SessionStart, &Payload::default(), &cx).map_err(|fault| fault.message)?;
        Ok(page(&said.unwrap_or_default()))
    };
    vec![
        verb(MAKER, "status", json!({})),
        verb(MAKER, "north", json!({"task": "bound the retry loop"})),
        verb(MAKER, "north", json!({})),
        verb(MAKER, "seek", json!({"query": "retry loop"})),
        verb(MAKER, "seek", json!({"query": "retry loop", "tier": "all-brains"})),
        verb(MAKER, "seek", json!({"batch": [{"query": "retry loop"}]})),
        verb(MAKER, "cross_verify", json!({})),
        verb(MAKER, "show", json!({"label": "Retry loop"})),
        verb(MAKER, "show", json!({"label": "Loops"})),
        verb(MAKER, "list", json!({})),
        verb(MAKER, "tags", json!({})),
        verb(MAKER, "audit", json!({"what": "promotions", "all_brains": true})),
        verb(MAKER, "audit", json!({"what": "delegations"})),
        verb(MAKER, "consolidate", json!({})),
        verb(PERSON, "migrate_plan", json!({})),
        verb(MAKER, "boot_memory", json!({"action": "list"})),
        verb(MAKER, "boot_memory", json!({"action": "get", "key": "test"})),
        verb(MAKER, "brains", json!({})),
        verb(MAKER, "resolve", json!({})),
        verb(MAKER, "whoami", json!({})),
        verb(MAKER, "whoami", json!({"all_roots": true})),
        verb(PERSON, "config_list", json!({})),
        verb(PERSON, "config_get", json!({"key": "owner"})),
        verb(PERSON, "config_path", json!({})),
        verb(MAKER, "doctor", json!({})),
        resource("brainstem://beat"),
        resource("brainstem://claims/retry-loop"),
        ("resources".to_owned(), Box::new(listed)),
        ("session-start".to_owned(), Box::new(started)),
    ]
}

/// Every way to read mail and letters.
fn post_asks(question: &str, letter: &str) -> Vec<(String, Ask)> {
    vec![
        verb(MAKER, "mail_list", json!({})),
        verb(MAKER, "mail_list", json!({"all": true})),
        verb(MAKER, "mail_list", json!({"folder": "read"})),
        verb(MAKER, "mail_list", json!({"all": true, "needs_response": true})),
        verb(MAKER, "mail_read", json!({"file": question})),
        verb(MAKER, "mail_read", json!({})),
        verb(MAKER, "mail_thread", json!({"thread": question})),
        verb(MAKER, "mail_search", json!({"query": "press"})),
        verb(MAKER, "mail_search", json!({"query": "press", "all": true})),
        verb(MAKER, "mail_sweep", json!({})),
        verb(MAKER, "session_list", json!({})),
        verb(MAKER, "letter_list", json!({})),
        verb(MAKER, "letter_list", json!({"brain": "medulla"})),
        verb(MAKER, "letter_show", json!({"id": letter})),
        verb(MAKER, "mailbox", json!({})),
        verb(MAKER, "inbox_sweep", json!({})),
        resource("brainstem://mail/codex.maker"),
    ]
}

/// Two projects with claims of several versions, one of them shared, mail with a reply, and letters.
pub(crate) fn prepared(is_in_repository: bool) -> (World, SimDisk, [String; 2]) {
    let world = World::new();
    world.disk.write_raw(format!("{CHERRY}/.git/config"), b"[core]\n\tbare = false\n");
    let world = world.with_memory();
    let get = |agent: &str, verb: &str, fields: Value| world.get(agent, CHERRY, verb, fields);
    if is_in_repository {
        get(PERSON, "init", json!({}));
    }
    get(MAKER, "memorize", json!({"label": "Retry loop", "text": "The retry loop has a bound now."}));
    get(PERSON, "promote", json!({"label": "Colours", "reason": "all have buttons", "because": "doctrine"}));
    get(MAKER, "delegate", json!({"task": "bound the other loop"}));
    get(MAKER, "boot_memory", json!({"action": "set", "key": "test", "value": "cargo test"}));
    get(PERSON, "config_set", json!({"key": "owner", "value": "human:ana"}));
    let ask = json!({"to": ["codex:maker"], "type": "question", "subject": "the press", "body": "Does the press turn?",
        "needs_response": true});
    let sent = get(PERSON, "mail_send", ask);
    let question = sent["file"].as_str().unwrap().to_owned();
    world.clock.advance(60_000);
    get(MAKER, "mail_reply", json!({"file": question, "body": "The press turns."}));
    let more = json!({"to": ["everyone"], "type": "status", "subject": "all", "body": "The press is on."});
    get(PERSON, "mail_send", more);
    world.clock.advance(60_000);
    let more =
        json!({"to": ["codex:maker"], "type": "status", "subject": "done", "body": "The press is old."});
    let read = get(PERSON, "mail_send", more);
    get(MAKER, "mail_mark_read", json!({"file": read["file"]}));
    let more = json!({"to": ["codex:maker"], "type": "status", "subject": "soon over", "body": "The press waits.",
        "expires": "1h"});
    get(PERSON, "mail_send", more);
    let letter =
        get(MAKER, "letter_write", json!({"class": "bug", "what": "the press stops", "repo": CHERRY}));
    get(MAKER, "distribute", json!({}));
    get(MAKER, "letter_write", json!({"class": "bug", "what": "the press stops again", "repo": CHERRY}));
    world.clock.advance(3 * 60 * 60 * 1000);
    let disk = world.disk.reboot(UnsyncedFate::Kept);
    (world, disk, [question, letter["id"].as_str().unwrap().to_owned()])
}

/// Asks everything while each look fails.
fn sweep(world: &World, before: &SimDisk, asks: Vec<(String, Ask)>) {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (at, (name, ask)) in asks.into_iter().enumerate() {
        let whole = ask(&world.on(Arc::new(before.reboot(UnsyncedFate::Kept))));
        let whole = whole.unwrap_or_else(|why| panic!("{name}: {why}"));
        let failures = each_failure(world, before, &ask);
        // A part of them in every check, spread over all; other moments for each verb.
        let step = failures.len().div_ceil(cases(CHECKED) as usize);
        for fails in failures.into_iter().skip(at % step).step_by(step) {
            let is_begun = Arc::new(AtomicBool::new(false));
            let disk = failing(before, &fails, &is_begun);
            let world = world.on(disk.clone());
            is_begun.store(true, Ordering::SeqCst);
            let answer = ask(&world);
            assert!(disk.failures() > 0, "{name} looks the same each time: {fails:?}");
            count += 1;
            let told = format!("{name}: {fails:?}");
            match answer {
                Ok(answer) => {
                    let is_named = answer.told.difference(&whole.told).next().is_some();
                    if !is_named && answer != whole {
                        wrong.push(format!("{told}: {}", difference(&whole, &answer)));
                    }
                }
                Err(why) if why.is_empty() => wrong.push(format!("{told}: refused without a word")),
                Err(_) => {}
            }
            // No failed look is kept as what the file holds.
            if let Fails::Once(number) = fails
                && number % AGAIN_EACH == 0
                && !name.starts_with("mail_sweep")
            {
                match ask(&world) {
                    Ok(again) if again == whole => {}
                    Ok(again) => wrong.push(format!("{told}, then whole: {}", difference(&whole, &again))),
                    Err(why) => wrong.push(format!("{told}, then whole: {why}")),
                }
            }
        }
    }
    assert!(count > 200, "only {count} looks failed");
    assert!(wrong.is_empty(), "{} wrong of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

/// How many failures of each way to read are tried in a check.
const CHECKED: u32 = 24;
/// Of so many failures one is followed by the same question on a disk that is whole again.
const AGAIN_EACH: usize = 4;

fn difference(whole: &Answer, answer: &Answer) -> String {
    let only = |a: &Answer, b: &Answer| -> Vec<String> {
        let lines: Vec<&str> = b.shown.lines().collect();
        let shown = a.shown.lines().filter(|line| !lines.contains(line)).take(4).map(str::to_owned);
        shown.chain(a.told.difference(&b.told).cloned()).collect()
    };
    format!("missing {:?}, instead {:?}", only(whole, answer), only(answer, whole))
}

#[test] // spec: MEM-23
fn whatever_reads_memory_shows_all_of_it_or_names_what_the_disk_did_not_give() {
    let (world, before, _) = prepared(false);
    sweep(&world, &before, memory_asks());
}

#[test] // spec: MEM-23, MEM-2
fn and_so_it_does_where_memory_lies_in_a_repository() {
    let (world, before, _) = prepared(true);
    sweep(&world, &before, memory_asks());
}

#[test] // spec: MAIL-15, LTR-12
fn whatever_reads_mail_and_letters_shows_all_of_it_or_names_what_the_disk_did_not_give() {
    let (world, before, [question, letter]) = prepared(false);
    assert!(before.stat(format!("{HOME}/field-reports.jsonl").as_ref()).is_ok());
    sweep(&world, &before, post_asks(&question, &letter));
}

#[test] // spec: MEM-23
fn a_history_that_cannot_be_listed_is_a_gap_and_not_a_mark_that_is_missing() {
    let world = World::new().with_memory();
    let row = world.get(MAKER, CHERRY, "show", json!({"label": "Retry loop"}));
    let live = PathBuf::from(row["claim"]["path"].as_str().unwrap());
    let old = world.disk.read(&live, u64::MAX).unwrap();
    world.get(MAKER, CHERRY, "retract", json!({"label": "Retry loop", "reason": "it has a bound now"}));
    // Somebody puts the old version back, as git does.
    world.disk.write_raw(&live, &old);
    let before = world.disk.reboot(UnsyncedFate::Kept);
    let asks = [
        ("list", json!({})),
        ("seek", json!({"query": "retry loop"})),
        ("north", json!({"task": "retry loop"})),
    ];
    for (verb, fields) in asks {
        let whole =
            world.on(Arc::new(before.reboot(UnsyncedFate::Kept))).get(MAKER, CHERRY, verb, fields.clone());
        let mark = "\"resurrected\":true";
        assert!(whole.to_string().contains(mark), "{verb}: {whole:#}");
        let closed = FaultyDisk::new(Arc::new(before.reboot(UnsyncedFate::Kept)), |step| {
            let is_inside =
                step.path.iter().any(|part| part == ".history") && !step.path.ends_with(".history");
            let is_closed = step.path.ends_with(".history") && step.verb == verbs::LIST;
            let is_look = [verbs::READ, verbs::LIST, verbs::STAT].contains(&step.verb);
            (is_closed || is_inside && is_look).then_some(DiskFault::ReadOnly)
        });
        let answer = world.on(Arc::new(closed)).get(MAKER, CHERRY, verb, fields);
        let gaps = gap_texts(&answer);
        assert!(gaps.iter().any(|gap| gap.contains("/.history`")), "{verb}: {gaps:?}");
        assert!(gaps.len() < 5, "{verb}: one for each folder, and not one for each name in it: {gaps:?}");
    }
}

fn gap_texts(answer: &Value) -> Vec<String> {
    let mut told = BTreeSet::new();
    take_told(&mut answer.clone(), &mut told);
    told.into_iter().collect()
}

/// Removes a folder and all that lies in it.
fn remove(disk: &SimDisk, dir: &Path) {
    for entry in disk.list(dir).unwrap() {
        let path = dir.join(&entry.name);
        if entry.kind == FileKind::Dir { remove(disk, &path) } else { disk.unlink(&path).unwrap() }
    }
    disk.remove_dir(dir).unwrap();
}

#[test] // spec: MEM-23
fn a_medulla_whose_folder_is_gone_is_never_an_empty_one() {
    let (world, before, _) = prepared(false);
    remove(&before, format!("{HOME}/agent-memory").as_ref());
    let world = world.on(Arc::new(before));
    for verb in ["consolidate", "migrate_plan"] {
        let refused = world.ask(PERSON, CHERRY, verb, json!({})).unwrap_err();
        assert!(refused.message.contains("agent-memory"), "{verb}: {}", refused.message);
    }
    let shown = world.get(MAKER, CHERRY, "show", json!({"label": "Colours"}));
    assert!(gap_texts(&shown).iter().any(|gap| gap.contains("medulla_unreadable")), "{shown:#}");
    assert!(
        world
            .ask(MAKER, CHERRY, "show", json!({"label": "Loops"}))
            .is_err_and(|why| why.message.contains("agent-memory"))
    );
}

#[test] // spec: MEM-23
fn a_log_of_the_medulla_that_is_no_file_is_a_gap() {
    let (world, before, _) = prepared(false);
    let log = format!("{HOME}/acts.jsonl");
    before.unlink(log.as_ref()).unwrap();
    before.make_dir(log.as_ref()).unwrap();
    let shown = world.on(Arc::new(before)).get(MAKER, CHERRY, "show", json!({"label": "Colours"}));
    assert!(gap_texts(&shown).iter().any(|gap| gap.contains("acts")), "{shown:#}");
}

#[test] // spec: MAIL-13, MAIL-15
fn a_sweep_names_a_message_that_it_could_not_read() {
    let (world, before, _) = prepared(false);
    let unreadable = FaultyDisk::new(Arc::new(before), |step| {
        let is_message = step.path.to_string_lossy().ends_with(".md");
        (is_message && step.verb == verbs::READ).then_some(DiskFault::ReadOnly)
    });
    let swept = world.on(Arc::new(unreadable)).get(MAKER, CHERRY, "mail_sweep", json!({}));
    assert!(
        gap_texts(&swept).iter().any(|gap| gap.contains("codex.maker") && gap.contains(".md")),
        "{swept:#}"
    );
}

#[test] // spec: MEM-17, MEM-23
fn a_status_at_a_root_that_is_not_there_says_so() {
    let (world, _, _) = prepared(false);
    let mut cx = world.context(MAKER, CHERRY, None);
    cx.roots.explicit = Some("/src/nowhere".into());
    let status = brainstem_api::verbs::find("status").unwrap().call(Default::default(), &cx).unwrap();
    let gaps = gap_texts(&status.json().unwrap());
    assert!(gaps.iter().any(|gap| gap.contains("root_missing") && gap.contains("/src/nowhere")), "{gaps:?}");
}

#[test] // spec: MAIL-9, MAIL-15
fn a_file_in_a_box_that_is_no_message_is_counted_whatever_its_name_ends_with() {
    let (world, before, _) = prepared(false);
    let count = |disk: &SimDisk| {
        let world = world.on(Arc::new(disk.reboot(UnsyncedFate::Kept)));
        world.get(MAKER, CHERRY, "status", json!({}))["mail"]["unreadable"].as_u64().unwrap_or(0)
    };
    assert_eq!(count(&before), 0);
    before.write_raw(format!("{CHERRY}/.mail/codex.maker/letter.txt"), b"hello");
    assert_eq!(count(&before), 1);
}

/// Asks for the thread of a question that somebody moves at one look, at each of them in turn.
fn thread_while_moved(world: &World, before: &SimDisk, question: &str, [from, to]: [&Path; 2]) {
    for number in 0.. {
        let disk = before.reboot(UnsyncedFate::Kept);
        let (moving, [from, to]) = (disk.clone(), [from, to].map(Path::to_owned));
        let (looks, is_moved) = (AtomicUsize::new(0), Arc::new(AtomicBool::new(false)));
        let moved = is_moved.clone();
        let watched = FaultyDisk::new(Arc::new(disk), move |step| {
            if LOOKS.contains(&step.verb) && looks.fetch_add(1, Ordering::SeqCst) == number {
                moving.rename_new(&from, &to).unwrap();
                moved.store(true, Ordering::SeqCst);
            }
            None
        });
        let answer =
            world.on(Arc::new(watched)).get(MAKER, CHERRY, "mail_thread", json!({"thread": question}));
        let bodies = answer["messages"].as_array().unwrap().iter();
        let bodies: Vec<&str> = bodies.map(|message| message["body"].as_str().unwrap()).collect();
        let bodies: Vec<&str> = bodies.iter().map(|body| body.trim()).collect();
        assert_eq!(bodies, ["Does the press turn?", "The press turns."], "look {number}: {answer:#}");
        if !is_moved.load(Ordering::SeqCst) {
            return;
        }
    }
}

#[test] // spec: MAIL-14
fn a_message_that_moves_while_a_thread_is_read_is_in_it_once() {
    let (world, before, [question, _]) = prepared(false);
    let mailbox = Path::new(CHERRY).join(".mail/codex.maker");
    let unread = mailbox.join(&question);
    thread_while_moved(&world, &before, &question, [&unread, &mailbox.join("read").join(&question)]);
    let held = mailbox.join(".claimed");
    let lease = world.on(Arc::new(before.clone()));
    lease.get(MAKER, CHERRY, "mail_claim", json!({"file": question, "box": "codex.maker"}));
    let mut entries = before.list(&held).unwrap().into_iter().filter(|entry| {
        entry.name.to_string_lossy().starts_with(&question)
            && !entry.name.to_string_lossy().ends_with("~returned")
    });
    let held = held.join(entries.next().unwrap().name);
    thread_while_moved(&world, &before, &question, [&held, &unread]);
}
