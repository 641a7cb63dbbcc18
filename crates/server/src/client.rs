//! A client of this home's daemon, only for the verbs of the live channel: one request, one connection.

use brainstem_api::live::{AskDaemon, Asking};
use brainstem_api::refusal::fix_from_process;
use brainstem_base::next::calls;
use brainstem_base::{Fault, advice, codes};
use brainstem_memory::{DaemonRecord, Memory, token_print};
use serde_json::Value;
use std::fmt::Write as _;
use std::io::{self, Read, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long the daemon may take to accept a connection, and to answer a request that does not wait.
const CONNECT_WAIT: Duration = Duration::from_secs(5);
const ANSWER_WAIT: Duration = Duration::from_secs(30);
/// The largest answer that is read.
const ANSWER_LEN_MAX: u64 = 64 << 20;

/// Asks the daemon that serves this home now.
pub struct DaemonClient {
    memory: Arc<Memory>,
}

impl DaemonClient {
    /// A client for a home.
    pub fn new(memory: Arc<Memory>) -> Self {
        Self { memory }
    }
}

impl AskDaemon for DaemonClient {
    fn ask(&self, asking: &Asking) -> Result<Option<Value>, Fault> {
        // The lock decides. If no process holds it, the record is from a killed daemon, and the program that
        // listens at its address now must not get the token.
        let Some(record) = self.memory.daemon() else { return Ok(None) };
        let Ok(address) = record.address.parse::<SocketAddr>() else { return Ok(None) };
        let token = token_of(&self.memory, &record)?;
        let ip = if address.ip().is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { address.ip() };
        let address = SocketAddr::new(ip, address.port());
        // The daemon has stopped in between, so there is none.
        let Ok(stream) = TcpStream::connect_timeout(&address, CONNECT_WAIT) else { return Ok(None) };
        let answer = exchange(stream, asking, &token).map_err(|error| {
            if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) {
                return silent(&record, ANSWER_WAIT + asking.wait);
            }
            Fault::new(codes::DAEMON_FAILED, format!("the daemon did not answer: {error}"))
                .fix("look whether it was done before you repeat it; `brainstem` alone says whether the daemon runs")
        })?;
        match answer.get("error") {
            None => Ok(Some(answer)),
            Some(error) => Err(refusal(error)),
        }
    }
}

/// The refusal when a daemon accepted a request and does not answer.
fn silent(record: &DaemonRecord, waited: Duration) -> Fault {
    let (pid, seconds) = (record.pid, waited.as_secs());
    let message =
        format!("the daemon (process {pid}) took the request and did not answer within {seconds} s");
    Fault::new(codes::DAEMON_FAILED, message).fix(format!(
        "see with `ps -o stat= -p {pid}` whether it is stopped (T): `kill -CONT {pid}` lets it go on, and it may do this yet"
    ))
}

/// The token of the running daemon. Refuses if its file was removed or replaced meanwhile.
pub fn token_of(memory: &Memory, record: &DaemonRecord) -> Result<String, Fault> {
    let file = memory.daemon_files().token;
    let token = memory.daemon_token().ok_or_else(|| {
        let message = format!("the daemon runs, but `{}` is gone or no token", file.display());
        Fault::new(codes::DAEMON_FAILED, message).fix(advice![
            calls::down(),
            ", then ",
            calls::up(),
            " makes another"
        ])
    })?;
    if record.token_print.as_ref().is_some_and(|known| *known != token_print(&token)) {
        let message =
            format!("`{}` was replaced while the daemon ran, which knows another token", file.display());
        return Err(Fault::new(codes::DAEMON_FAILED, message).fix(advice![
            calls::down(),
            ", then ",
            calls::up(),
            " takes the token of the file"
        ]));
    }
    Ok(token)
}

/// The header that names the caller's door. The daemon answers in the words of that door.
pub(crate) const DOOR: &str = "Brainstem-Door";

fn exchange(mut stream: TcpStream, asking: &Asking, token: &str) -> io::Result<Value> {
    stream.set_read_timeout(Some(ANSWER_WAIT + asking.wait))?;
    stream.set_write_timeout(Some(ANSWER_WAIT))?;
    stream.set_nodelay(true)?;
    stream.write_all(request(asking, token).as_bytes())?;
    let mut bytes = Vec::new();
    stream.take(ANSWER_LEN_MAX).read_to_end(&mut bytes)?;
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    let (head, body) =
        text.split_once("\r\n\r\n").ok_or_else(|| io::Error::other("its answer is no HTTP"))?;
    if head.starts_with("HTTP/1.1 503 ") && body.is_empty() {
        return Err(io::Error::other("it has as many connections as it takes"));
    }
    serde_json::from_str(body).map_err(io::Error::other)
}

fn request(asking: &Asking, token: &str) -> String {
    let body = Value::Object(asking.fields.clone()).to_string();
    let mut head = format!(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n",
        asking.path,
        body.len()
    );
    let path = |path: &std::path::PathBuf| path.to_string_lossy().into_owned();
    let tags = (!asking.tags.is_empty()).then(|| asking.tags.join(","));
    let said = [
        ("Brainstem-Agent", Some(asking.agent.clone())),
        ("Brainstem-Caller-Root", asking.root.as_ref().map(path)),
        ("Brainstem-Session", asking.session.clone()),
        ("Brainstem-Connection", asking.connection.clone()),
        ("Brainstem-Session-Agent", asking.session_agent.clone()),
        ("Brainstem-Tags", tags),
        ("Brainstem-Mail-Root", asking.mail_root.as_ref().map(path)),
        (DOOR, asking.door.named()),
    ];
    for (name, value) in said {
        if let Some(value) = value {
            let _ = write!(head, "{name}: {}\r\n", encoded(&value));
        }
    }
    format!("{head}\r\n{body}")
}

/// A text in the form of a header: characters outside plain ASCII are percent-encoded.
fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut done, byte| {
        if byte.is_ascii_alphanumeric() || b"/._:@-,".contains(&byte) {
            done.push(char::from(byte));
        } else {
            let _ = write!(done, "%{byte:02X}");
        }
        done
    })
}

/// A refusal as the daemon sent it.
fn refusal(error: &Value) -> Fault {
    let text = |key: &str| error[key].as_str().map(str::to_owned);
    let code = text("code").and_then(|name| codes::find(&name)).unwrap_or(codes::DAEMON_FAILED);
    let fault = Fault::new(code, text("message").unwrap_or_default());
    let rule = error["rule"].as_str().and_then(kept_rule);
    Fault { fix: fix_from_process(error), field: text("field"), rule, ..fault }
}

/// The spec id of a rule, kept for as long as the process runs. `None` for a text that is no spec id, and once too many
/// are kept.
fn kept_rule(rule: &str) -> Option<&'static str> {
    static KEPT: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let is_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if rule.is_empty() || rule.len() > RULE_LEN_MAX || !rule.bytes().all(is_id) {
        return None;
    }
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept.iter().find(|known| **known == rule) {
        return Some(known);
    }
    if kept.len() == RULES_MAX {
        return None;
    }
    let new: &'static str = Box::leak(rule.to_owned().into_boxed_str());
    kept.push(new);
    Some(new)
}

/// The longest spec id, and how many are kept.
const RULE_LEN_MAX: usize = 16;
const RULES_MAX: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test] // spec: IF-4
    fn a_daemon_that_says_nothing_is_named_with_what_to_look_at() {
        let record = DaemonRecord {
            pid: 4711,
            address: "127.0.0.1:1".into(),
            version: "1".into(),
            started: 0,
            instance: String::new(),
            poke: None,
            token_print: None,
            connections_max: None,
        };
        let fault = silent(&record, Duration::from_secs(30));
        assert!(fault.message.contains("process 4711") && fault.message.contains("30 s"), "{fault:?}");
        assert!(fault.fix.is_some_and(|fix| fix.contains("kill -CONT 4711")));
    }

    #[test] // spec: IF-4
    fn the_rule_of_a_refusal_is_kept() {
        let error = json!({"code": "memory.root_replaced", "message": "m", "fix": "f", "rule": "MAIL-17"});
        let fault = refusal(&error);
        assert_eq!((fault.code.name(), fault.rule), ("memory.root_replaced", Some("MAIL-17")));
        for odd in ["", "a rule with blanks", "MAIL-17\n", "MAIL-1777777777777777777"] {
            assert_eq!(kept_rule(odd), None, "{odd:?}");
        }
    }

    #[test] // spec: IF-10
    fn what_a_header_carries_reads_back_as_it_was() {
        for text in ["/src/cherry", "/src/a b%20/ä\r\nX: y", "codex:maker", ""] {
            let reply = encoded(text);
            assert!(reply.bytes().all(|byte| byte.is_ascii_graphic()), "{reply}");
            assert_eq!(crate::http::text::percent_decoded(&reply).as_deref(), Some(text));
        }
    }
}
