//! Requests between programs of one home and its daemon: whether it runs, and that it stop.
//!
//! The record of a daemon may be stale or forged, and its process number may belong to another process by now, so no process is
//! signalled. The program asks at the daemon's address, and both sides prove that they know the random word that this daemon
//! drew when it started. That word is in a private file, and is never sent.

use crate::http::answer::{HttpAnswer, document, refusal};
use crate::http::guard::no_token;
use brainstem_base::{Timestamp, hash};
use brainstem_memory::DaemonRecord;
use serde_json::{Value, json};
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// The path of these requests.
pub(crate) const PATH: &str = "/daemon/";
/// The separator between a word and the time until which it is good; a word of an older program has no time.
const UNTIL: char = '-';
/// The longest answer that is read.
const ANSWER_LEN_MAX: u64 = 16 * 1024;

/// A request to a daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knock {
    /// Whether it runs.
    Ask,
    /// To finish what is running, and end.
    Stop,
}

impl Knock {
    fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Stop => "stop",
        }
    }
}

/// Asks the daemon of a record, and returns whether that same daemon said yes. `word` is drawn for every call. The request
/// expires when this call stops waiting, counted from `now`: a daemon that was suspended and continues later must not act on
/// it.
pub fn knock(
    record: &DaemonRecord,
    what: Knock,
    word: &str,
    now: Timestamp,
    wait: Duration,
) -> io::Result<bool> {
    let good_ms = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
    let word = format!("{word}{UNTIL}{}", now.ms().saturating_add(good_ms));
    let word = word.as_str();
    let until = Instant::now() + wait;
    let address: SocketAddr = record.address.parse().map_err(|_| io::ErrorKind::InvalidInput)?;
    let ip = if address.ip().is_unspecified() { [127, 0, 0, 1].into() } else { address.ip() };
    let mut stream = TcpStream::connect_timeout(&SocketAddr::new(ip, address.port()), wait)?;
    stream.set_write_timeout(Some(wait))?;
    let proof = digest(&record.instance, what, "asked", word);
    let request = format!(
        "POST {PATH}{}?word={word}&proof={proof} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Length: 0\r\n\r\n",
        what.as_str()
    );
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    let mut piece = [0; 1024];
    // Another program may send a byte now and then for ever.
    while (answer.len() as u64) < ANSWER_LEN_MAX {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut piece)? {
            0 => break,
            len => answer.extend_from_slice(&piece[..len]),
        }
    }
    let answer = String::from_utf8_lossy(&answer);
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let reply: Value = serde_json::from_str(body).unwrap_or_default();
    Ok(reply["proof"].as_str().is_some_and(|proof| proof == digest(&record.instance, what, "granted", word)))
}

/// Answers a request, and returns what the daemon shall do.
pub(crate) fn answer(
    record: &DaemonRecord,
    path: &str,
    query: &[(String, String)],
    now: Timestamp,
) -> (HttpAnswer, Option<Knock>) {
    let field = |name: &str| query.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value);
    let what =
        [Knock::Ask, Knock::Stop].into_iter().find(|what| path.strip_prefix(PATH) == Some(what.as_str()));
    let word = field("word");
    let is_proven = |what: &Knock| {
        let expected = digest(&record.instance, *what, "asked", word);
        // Digests are compared, so that the time of the comparison reveals nothing.
        !word.is_empty() && hash::sha256(field("proof").as_bytes()) == hash::sha256(expected.as_bytes())
    };
    let until = word.rsplit_once(UNTIL).and_then(|(_, until)| until.parse::<i64>().ok());
    match what.filter(is_proven) {
        Some(_) if until.is_some_and(|until| until < now.ms()) => {
            (refusal(&no_token("the client that asked this has given up waiting for it")), None)
        }
        Some(what) => {
            let proof = digest(&record.instance, what, "granted", word);
            (document(&json!({ "pid": record.pid, "proof": proof })), Some(what))
        }
        None => (refusal(&no_token("the caller does not know this daemon's record")), None),
    }
}

fn digest(instance: &str, what: Knock, side: &str, word: &str) -> String {
    let inner = hash::sha256_hex(format!("{instance}\n{}\n{side}\n{word}", what.as_str()).as_bytes(), 64);
    hash::sha256_hex(format!("{instance}\n{inner}").as_bytes(), 64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::StatusCode;

    fn record(instance: &str) -> DaemonRecord {
        DaemonRecord {
            pid: 4711,
            address: "127.0.0.1:1".into(),
            version: "1".into(),
            started: 0,
            instance: instance.into(),
            poke: None,
            token_print: None,
            connections_max: None,
        }
    }

    #[test] // spec: IF-14
    fn only_who_knows_the_record_is_answered() {
        let now = Timestamp::from_ms(1_000);
        let ask = |path: &str, word: &str, proof: String| {
            let query = [("word".to_owned(), word.to_owned()), ("proof".to_owned(), proof)];
            let (answer, what) = answer(&record("drawn"), path, &query, now);
            (answer.status(), what)
        };
        let proof = |instance: &str, what: Knock| digest(instance, what, "asked", "w");
        let stop = proof("drawn", Knock::Stop);
        assert_eq!(ask("/daemon/stop", "w", stop.clone()), (StatusCode::OK, Some(Knock::Stop)));
        let refused = (StatusCode::UNAUTHORIZED, None);
        assert_eq!(ask("/daemon/stop", "other", stop.clone()), refused);
        assert_eq!(ask("/daemon/stop", "w", proof("drawn", Knock::Ask)), refused, "asking is not stopping");
        assert_eq!(ask("/daemon/stop", "w", proof("another", Knock::Stop)), refused);
        assert_eq!(ask("/daemon/stop", "w", digest("drawn", Knock::Stop, "granted", "w")), refused);
        // The request expires: a daemon that was suspended meanwhile does not stop for a caller that has gone.
        let timed = |word: &str| ask("/daemon/stop", word, digest("drawn", Knock::Stop, "asked", word));
        assert_eq!(timed("w-1000"), (StatusCode::OK, Some(Knock::Stop)));
        assert_eq!(timed("w-999"), refused);
        assert_eq!(ask("/daemon/stop", "w-1001", digest("drawn", Knock::Stop, "asked", "w-999")), refused);
        assert_eq!(ask("/daemon/", "w", stop), refused);
        assert_eq!(ask("/daemon/stop", "", digest("drawn", Knock::Stop, "asked", "")), refused);
    }
}
