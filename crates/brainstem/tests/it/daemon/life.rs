//! From the first `up` to the last `down`.

use super::{Daemon, claim, until};
use crate::program::finish;
use brainstem_base::disk::{Disk as _, RealDisk};
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

#[test] // spec: IF-1, IF-2, IF-14, IF-27, MEM-43
fn one_daemon_serves_a_home_until_it_is_told_to_stop() {
    let daemon = Daemon::start();
    assert!(daemon.is_healthy(), "--detach returns when it answers");
    let mode = |name: &str| {
        std::fs::metadata(daemon.files().join(name)).expect("there").permissions().mode() & 0o777
    };
    assert_eq!((mode("token"), mode("daemon.json")), (0o600, 0o600));
    let top = daemon.home.user_home().to_owned();
    for words in [&[][..], &["doctor"]] {
        let told = daemon.done(&top, words);
        assert_eq!(told["daemon"]["pid"], daemon.pid, "{told}");
        assert_eq!(told["daemon"]["address"], daemon.address);
    }
    let shown = daemon.run(&top, &[]);
    assert!(shown.stdout.contains(&format!("http://{}", daemon.address)), "{shown:?}");

    for detach in [&["--detach"][..], &[]] {
        let second = daemon.run(&top, &[&["--json", "up", "--bind", "127.0.0.1:0"], detach].concat());
        assert_eq!(second.status, Some(1), "{second:?}");
        assert_eq!(second.json()["error"]["code"], "daemon.running");
        assert!(second.json()["error"]["fix"].as_str().is_some_and(|fix| fix.contains("down")));
    }
    assert!(daemon.is_healthy(), "the first one does not mind");

    assert_eq!(daemon.done(&top, &["down"]), json!({ "stopped": true, "pid": daemon.pid }));
    assert_eq!(daemon.done(&top, &["down"]), json!({ "stopped": false, "pid": null }));
    assert!(!daemon.files().join("daemon.json").exists());
    assert_eq!(daemon.done(&top, &[])["daemon"], Value::Null);
    let log = std::fs::read_to_string(daemon.files().join("daemon.log")).expect("a log");
    assert!(log.contains("serving on") && log.trim_end().ends_with("stopped"), "{log}");

    let page = daemon.run(&top, &["--json", "page"]);
    assert_eq!((page.status, &page.json()["error"]["code"]), (Some(1), &json!("daemon.absent")));
}

#[test] // spec: IF-14
fn a_daemon_writes_its_record_anew_when_it_is_lost_or_forged() {
    let daemon = Daemon::start();
    let top = daemon.home.user_home().to_owned();
    let record = daemon.files().join("daemon.json");
    let kept: Value = serde_json::from_slice(&std::fs::read(&record).expect("a record")).expect("JSON");
    let mut forged = kept.clone();
    (forged["pid"], forged["instance"]) = (json!(1), json!("x"));
    for broken in [None, Some("no record".to_owned()), Some(forged.to_string())] {
        match broken {
            None => std::fs::remove_file(&record).expect("ours"),
            Some(text) => std::fs::write(&record, text).expect("ours"),
        }
        until("it is as it was", || {
            std::fs::read(&record)
                .is_ok_and(|bytes| serde_json::from_slice(&bytes).ok() == Some(kept.clone()))
        });
        assert_eq!(daemon.done(&top, &[])["daemon"]["pid"], daemon.pid);
    }
    std::fs::remove_file(&record).expect("ours");
    assert_eq!(
        daemon.done(&top, &["down"]),
        json!({ "stopped": true, "pid": daemon.pid }),
        "it is waited for"
    );
}

/// A process that has nothing to do with any daemon.
struct Stranger(Child);

impl Stranger {
    fn start(home: &TestHome) -> Self {
        Self(home.command(Path::new("sleep")).arg("600").spawn().expect("a process"))
    }

    fn lives(&mut self) -> bool {
        self.0.try_wait().expect("ours").is_none()
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test] // spec: IF-14
fn down_stops_the_daemon_and_never_a_stranger() {
    let daemon = Daemon::start();
    let top = daemon.home.user_home().to_owned();
    let mut stranger = Stranger::start(&daemon.home);
    let files = daemon.files();
    let written = std::fs::read(files.join("daemon.json")).expect("a record");
    let mut forged: Value = serde_json::from_slice(&written).expect("JSON");
    let instance = forged["instance"].as_str().expect("a word").to_owned();
    forged["pid"] = stranger.0.id().into();
    std::fs::write(files.join("daemon.json"), forged.to_string()).expect("ours");
    daemon.done(&top, &["down"]);
    assert!(stranger.lives() && !is_listening(&daemon), "the daemon stopped, and nobody else");

    // Somebody holds the lock, and the record leads to somebody else who says yes to everything.
    let _lock = RealDisk.lock(&files.join("lock"), Duration::ZERO).expect("free");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    forged["address"] = listener.local_addr().expect("an address").to_string().into();
    std::fs::write(files.join("daemon.json"), forged.to_string()).expect("ours");
    let heard = Arc::new(Mutex::new(String::new()));
    let hears = heard.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut said = [0; 4096];
            let len = stream.read(&mut said).unwrap_or(0);
            hears.lock().expect("whole").push_str(&String::from_utf8_lossy(&said[..len]));
            let _ =
                stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"pid\":1,\"proof\":\"x\"}");
        }
    });
    let began = Instant::now();
    let refused = daemon.run(&top, &["--json", "down"]);
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (Some(1), &json!("daemon.failed")));
    assert!(refused.json()["error"]["fix"].as_str().is_some_and(|fix| fix.contains("ps -p")), "{refused:?}");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert!(stranger.lives(), "nobody was signalled");
    let heard = heard.lock().expect("whole").clone();
    assert!(heard.contains("/daemon/stop"), "{heard}");
    assert!(!heard.contains(&daemon.token) && !heard.contains(&instance), "and no secret was said: {heard}");
    std::fs::remove_file(files.join("daemon.json")).expect("ours");
}

fn is_listening(daemon: &Daemon) -> bool {
    TcpStream::connect(&daemon.address).is_ok()
}

#[test] // spec: IF-14
fn a_lock_file_that_is_removed_makes_no_second_daemon() {
    let daemon = Daemon::start();
    let top = daemon.home.user_home().to_owned();
    let files = daemon.files();
    for _ in 0..3 {
        std::fs::remove_file(files.join("lock")).expect("there");
        let second = daemon.run(&top, &["--json", "up", "--detach", "--bind", "127.0.0.1:0"]);
        assert_eq!((second.status, &second.json()["error"]["code"]), (Some(1), &json!("daemon.running")));
        until("the first holds the lock again", || files.join("lock").exists());
        until("and is seen", || daemon.done(&top, &[])["daemon"]["pid"] == daemon.pid);
        assert!(daemon.is_healthy());
    }
    // Who takes all of its files away has ended it: two are one too many.
    for name in ["lock", "daemon.json"] {
        std::fs::remove_file(files.join(name)).expect("there");
    }
    let second = daemon.run(&top, &["--json", "up", "--detach", "--bind", "127.0.0.1:0"]);
    if second.status == Some(0) {
        until("the first has ended", || !is_listening(&daemon));
        let told = daemon.done(&top, &[]);
        assert_eq!(told["daemon"]["pid"], second.json()["pid"], "the record is the second's: {told}");
    } else {
        // The first was quicker, and took its place again.
        assert_eq!(second.json()["error"]["code"], "daemon.running", "{second:?}");
    }
}

#[test] // spec: IF-14
fn a_daemon_whose_home_is_moved_ends_and_makes_no_other() {
    let daemon = Daemon::start().with_two_brains();
    let top = daemon.home.user_home().to_owned();
    let moved = top.join("moved");
    std::fs::rename(daemon.home.path(), &moved).expect("moved");
    until("it ends", || !is_listening(&daemon));
    let seen = || daemon.done(&top, &["--home", moved.to_str().expect("text")]);
    until("the lock is free", || seen()["daemon"].is_null());
    assert!(!daemon.home.path().exists(), "nothing was made in its place");
    let log = std::fs::read_to_string(moved.join("daemon/daemon.log")).expect("a log");
    assert!(log.contains("serving on"), "{log}");
}

#[test] // spec: IF-14, MEM-43
fn a_killed_daemon_is_noticed_and_the_next_one_starts() {
    let daemon = Daemon::start().with_two_brains();
    let top = daemon.home.user_home().to_owned();
    let killed = finish(daemon.home.command(Path::new("kill")).args(["-9", &daemon.pid.to_string()]), b"");
    assert_eq!(killed.status, Some(0), "{killed:?}");
    until("the lock is free", || daemon.done(&top, &[])["daemon"].is_null());
    let doctor = daemon.done(&top, &["doctor"]);
    let names: Vec<&Value> =
        doctor["findings"].as_array().expect("findings").iter().map(|one| &one["name"]).collect();
    assert!(names.contains(&&json!("daemon_died")), "{doctor}");
    assert_eq!(daemon.done(&top, &["down"]), json!({ "stopped": false, "pid": null }));
    let doctor = daemon.done(&top, &["doctor"]);
    assert!(!doctor.to_string().contains("daemon_died"), "it was taken note of: {doctor}");
    let again = daemon.done(&top, &["up", "--detach", "--bind", "127.0.0.1:0"]);
    assert_ne!(again["pid"], daemon.pid);
    let token = std::fs::read_to_string(daemon.files().join("token")).expect("a token");
    assert_eq!(token.trim(), daemon.token, "clients keep working");
}

#[test] // spec: IF-11
fn a_link_is_told_to_a_terminal_alone_and_a_new_token_shuts_out_whoever_has_the_old() {
    let mut daemon = Daemon::start();
    let top = daemon.home.user_home().to_owned();
    let cookie = daemon.cookie();
    let again = daemon.run(&top, &["up", "--detach", "--bind", "127.0.0.1:0", "--new-token"]);
    assert_eq!(again.status, Some(0), "{again:?}");
    assert!(
        !again.stdout.contains("code=") && again.stdout.contains("`brainstem page`"),
        "no terminal: {again:?}"
    );
    assert!(again.stdout.contains("new: clients that have the old one are refused"), "{again:?}");
    let token = std::fs::read_to_string(daemon.files().join("token")).expect("a token").trim().to_owned();
    assert_ne!(token, daemon.token);
    let status = daemon.done(&top, &[]);
    assert_ne!(status["daemon"]["pid"], daemon.pid, "the one before was stopped");
    let address = status["daemon"]["address"].as_str().expect("an address").to_owned();
    let port = address.rsplit(':').next().expect("a port").to_owned();
    let old = format!("Bearer {}", daemon.token);
    let own = cookie.replace(daemon.address.rsplit(':').next().expect("a port"), &port);
    (daemon.address, daemon.token) = (address, token);
    let host = ("Host", daemon.address.as_str());
    for outside in [("Authorization", old.as_str()), ("Cookie", &own)] {
        let refused = daemon.send("GET", "/api/status", &[host, outside], "");
        assert_eq!(refused.refusal(), (401, "access.token".into()));
    }
    assert_eq!(daemon.get("/api/status").status, 200);
    let plain = daemon.done(&top, &["up", "--detach", "--bind", "127.0.0.1:0", "--new-token"]);
    assert!(plain.get("link").is_none(), "{plain}");
}

#[test] // spec: IF-14
fn a_daemon_that_was_stopped_meanwhile_does_not_end_for_somebody_who_has_given_up() {
    let daemon = Daemon::start();
    let pid =
        rustix::process::Pid::from_raw(i32::try_from(daemon.pid).expect("a number")).expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).expect("a signal");
    let told = daemon.run(daemon.home.user_home(), &["--json", "down"]);
    assert_eq!((told.status, &told.json()["error"]["code"]), (Some(1), &json!("daemon.failed")), "{told:?}");
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).expect("a signal");
    until("it answers again", || daemon.is_healthy());
    // What lay in its socket was read before this request.
    assert_eq!(daemon.get("/api/status").status, 200);
    assert_eq!(daemon.done(daemon.home.user_home(), &[])["daemon"]["pid"], daemon.pid, "it was left alone");
}

#[test] // spec: IF-14
fn where_few_files_may_be_open_strangers_keep_nobody_out_and_doctor_says_so() {
    let home = TestHome::new();
    let program = env!("CARGO_BIN_EXE_brainstem");
    let mut shell = home.command(Path::new("/bin/sh"));
    shell.args(["-c", &format!("ulimit -n 256; exec {program} --json up --detach --bind 127.0.0.1:0")]);
    let ran = finish(&mut shell, b"");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let told = ran.json();
    let token = std::fs::read_to_string(told["token_file"].as_str().expect("a file")).expect("a token");
    let daemon = Daemon {
        home,
        address: told["address"].as_str().expect("an address").to_owned(),
        token: token.trim().to_owned(),
        pid: told["pid"].as_u64().expect("a process"),
    };
    let _silent: Vec<_> =
        (0..400).filter_map(|_| std::net::TcpStream::connect(&daemon.address).ok()).collect();
    for _ in 0..20 {
        assert_eq!(daemon.get("/api/status").status, 200);
    }
    let doctor = daemon.run(daemon.home.user_home(), &["--json", "doctor"]).json();
    assert!(doctor.to_string().contains("daemon_few_files"), "{doctor}");
}

#[test] // spec: IF-11, IF-27
fn a_token_that_is_gone_is_named() {
    let daemon = Daemon::start();
    let top = daemon.home.user_home().to_owned();
    std::fs::remove_file(daemon.files().join("token")).expect("removed");
    let page = daemon.run(&top, &["--json", "page"]).json();
    assert_eq!(page["error"]["code"], "daemon.failed", "{page}");
    assert!(page["error"]["message"].as_str().is_some_and(|told| told.contains("token")), "{page}");
    let doctor = daemon.run(&top, &["--json", "doctor"]).json();
    let found = doctor["findings"].as_array().expect("findings");
    assert!(found.iter().any(|one| one["name"] == "token_gone"), "{doctor}");
    // One that is another's by now is no better.
    std::fs::write(daemon.files().join("token"), "0123456789abcdef".repeat(4)).expect("ours");
    let page = daemon.run(&top, &["--json", "page"]).json();
    assert_eq!(page["error"]["code"], "daemon.failed", "{page}");
    assert!(page["error"]["fix"].as_str().is_some_and(|fix| fix.contains("brainstem down")), "{page}");
    let doctor = daemon.run(&top, &["--json", "doctor"]).json();
    let found = doctor["findings"].as_array().expect("findings");
    let changed = found.iter().find(|one| one["name"] == "token_changed");
    assert!(
        changed.is_some_and(|one| one["fix"].as_str().is_some_and(|fix| fix.contains("down"))),
        "{doctor}"
    );
    assert_eq!(
        daemon.done(&top, &["down"])["stopped"],
        true,
        "whoever knows no token can stop it all the same"
    );
}

#[test] // spec: IF-14
fn what_is_running_is_finished_before_it_stops() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    let lines: Vec<Value> =
        (0..400).map(|n| claim(&format!("Claim {n}"), "It was asked for in time.")).collect();
    let path = format!("/api/memorize?brain={}", cherry.display());
    let body = json!({ "batch": lines });
    let answer = std::thread::scope(|scope| {
        let asked = scope.spawn(|| daemon.post(&path, &body));
        until("it has begun", || {
            let status = daemon.get(&format!("/api/status?brain={}", cherry.display()));
            status.json()["project_claims"].as_u64() > Some(1)
        });
        // Who comes second waits as well.
        let second = scope.spawn(|| daemon.done(&cherry, &["down"]));
        daemon.done(&cherry, &["down"]);
        second.join().expect("it was stopped");
        asked.join().expect("an answer")
    });
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(daemon.done(&cherry, &[])["project_claims"], 401);
}

#[test] // spec: IF-11
fn other_machines_are_kept_out_unless_somebody_means_it() {
    let home = TestHome::without_a_home();
    let up = |words: &[&str]| {
        let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        finish(command.args(["--json", "up", "--detach"]).args(words), b"")
    };
    for bind in ["0.0.0.0:0", "[::]:0", "nonsense", "127.0.0.1", "127.0.0.1:99999"] {
        let ran = up(&["--bind", bind]);
        assert_eq!((ran.status, &ran.json()["error"]["code"]), (Some(1), &json!("daemon.address")), "{bind}");
    }
    for name in ["http://foo:80", "foo:80", "foo/", "", "a b", "[x]"] {
        let ran = up(&["--bind", "127.0.0.1:0", "--allow-host", name]);
        assert_eq!((ran.status, &ran.json()["error"]["field"]), (Some(1), &json!("allow-host")), "{name:?}");
    }
    let ran = up(&["--bind", "127.0.0.1:0"]);
    assert_eq!((ran.status, ran.code().as_str()), (Some(1), "home.unusable"), "a home that was mistyped");
    assert!(!home.path().exists(), "and nothing was made");
    std::fs::create_dir(home.path()).expect("made");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let ran = up(&["--bind", &taken.local_addr().expect("an address").to_string()]);
    assert_eq!((ran.status, &ran.json()["error"]["code"]), (Some(1), &json!("daemon.address")), "{ran:?}");
    let run =
        |words: &[&str]| finish(home.command(Path::new(env!("CARGO_BIN_EXE_brainstem"))).args(words), b"");
    let names = ["--allow-host", "box.lan", "--allow-host", "[::1]"];
    let exposed = run(&[&["up", "--detach", "--expose", "--bind", "0.0.0.0:0"], &names[..]].concat());
    let doctor = run(&["doctor", "--json"]).json();
    run(&["down"]);
    assert!(exposed.stdout.contains("other machines reach it"), "{exposed:?}");
    assert!(doctor.to_string().contains("daemon_exposed"), "{doctor}");
}

#[test] // spec: IF-27
fn a_service_is_shown_written_and_taken_back() {
    let home = TestHome::new();
    // A system that says why it does not.
    let tools = home.user_home().join("tools");
    std::fs::create_dir(&tools).expect("made");
    for tool in ["systemctl", "launchctl"] {
        std::fs::write(
            tools.join(tool),
            "#!/bin/sh\necho Created symlink a. >&2\necho No bus here. >&2\nexit 1\n",
        )
        .expect("written");
        std::fs::set_permissions(tools.join(tool), std::fs::Permissions::from_mode(0o755)).expect("set");
    }
    let ran = |words: &[&str]| {
        let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        finish(command.env("PATH", format!("{}:/usr/bin:/bin", tools.display())).args(words), b"")
    };
    let run = |words: &[&str]| ran(&[&["--json", "service"], words].concat()).json();
    let none = ran(&["service", "remove"]);
    assert!(none.stdout.starts_with("nothing is installed"), "{none:?}");
    assert_eq!(run(&["remove"])["removed"], false);
    let shown = run(&["install", "--dry-run"]);
    let file = std::path::PathBuf::from(shown["file"].as_str().expect("a file"));
    assert!(file.starts_with(home.user_home()) && !file.exists(), "{shown}");
    let text = shown["text"].as_str().expect("a text");
    assert!(text.contains(env!("CARGO_BIN_EXE_brainstem")) && text.contains("up"), "{text}");
    assert_eq!(run(&["install"])["installed"], false, "the system knows nothing of it");
    assert_eq!(std::fs::read_to_string(&file).expect("written"), text);
    let again = ran(&["service", "install"]);
    let told = &again.stdout;
    assert!(told.contains(" failed: No bus here.") && !told.contains("\nran:"), "nothing ran: {told}");
    assert!(
        !told.contains("Created symlink") && again.status == Some(1),
        "what was done is no reason: {again:?}"
    );
    let gone = ran(&["--json", "service", "remove"]);
    assert_eq!(
        (gone.status, &gone.json()["removed"]),
        (Some(1), &true.into()),
        "removed, and still known: {gone:?}"
    );
    assert!(!file.exists());
    std::fs::write(&file, "somebody else's").expect("writable");
    for words in ["install", "remove"] {
        assert_eq!(run(&[words])["error"]["code"], "daemon.failed");
    }
    assert_eq!(std::fs::read_to_string(&file).expect("kept"), "somebody else's");
}
