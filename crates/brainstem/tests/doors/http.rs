//! The two doors of the daemon, by a client that knows just enough of HTTP.

use crate::daemon::{At, Daemon};
use crate::door::{Gone, Way, Went};
use crate::kept::Claim;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

/// A request for each call.
pub(crate) struct Rest<'a> {
    pub(crate) daemon: &'a Daemon<'a>,
    pub(crate) root: PathBuf,
}

impl Way for Rest<'_> {
    fn name(&self) -> &'static str {
        "REST"
    }

    fn remember(&mut self, claim: &Claim) -> Went {
        let body = json!({"label": claim.label(), "text": claim.text(), "agent_id": "rest:maker"});
        match self.ask("POST", "/api/memorize", &body.to_string()) {
            Ok(answer) => Went::acknowledged(&answer),
            Err(Gone) => Went::Unanswered,
        }
    }

    fn recall(&mut self, claim: &Claim) -> Result<Option<u64>, Gone> {
        let answer = self.ask("GET", &format!("/api/seek?query={}", claim.word), "")?;
        Ok(crate::door::version_in_rows(claim, &answer))
    }
}

impl Rest<'_> {
    fn ask(&self, method: &str, path: &str, body: &str) -> Result<Value, Gone> {
        let headers =
            format!("Content-Type: application/json\r\nBrainstem-Caller-Root: {}\r\n", self.root.display());
        let (_, body) = exchange(&self.daemon.at(), method, path, &headers, body)?;
        serde_json::from_str(&body).map_err(|_| Gone)
    }
}

/// A session, opened again when the daemon that held it is gone.
pub(crate) struct Mcp<'a> {
    pub(crate) daemon: &'a Daemon<'a>,
    pub(crate) root: PathBuf,
    pub(crate) session: Option<(String, String)>,
}

impl Way for Mcp<'_> {
    fn name(&self) -> &'static str {
        "MCP over HTTP"
    }

    fn remember(&mut self, claim: &Claim) -> Went {
        let arguments = json!({"label": claim.label(), "text": claim.text(), "agent_id": "http:maker"});
        match self.call("memorize", &arguments) {
            Ok(answer) => Went::acknowledged(&answer),
            Err(Gone) => Went::Unanswered,
        }
    }

    fn recall(&mut self, claim: &Claim) -> Result<Option<u64>, Gone> {
        let answer = self.call("seek", &json!({"query": claim.word, "document": true}))?;
        Ok(crate::door::version_in_rows(claim, &answer))
    }
}

impl Mcp<'_> {
    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Gone> {
        let asked = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}});
        let answer = self.post(&asked);
        if answer.is_err() {
            self.session = None;
        }
        Ok(answer?["result"]["structuredContent"].clone())
    }

    fn post(&mut self, asked: &Value) -> Result<Value, Gone> {
        let at = self.daemon.at();
        let id = match &self.session {
            Some((address, id)) if *address == at.address => id.clone(),
            _ => {
                let id = self.open(&at)?;
                self.session = Some((at.address.clone(), id.clone()));
                id
            }
        };
        let (_, body) = exchange(&at, "POST", "/mcp", &self.headers(Some(&id)), &asked.to_string())?;
        message(&body)
    }

    fn open(&self, at: &At) -> Result<String, Gone> {
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}}});
        let (head, _) = exchange(at, "POST", "/mcp", &self.headers(None), &hello.to_string())?;
        let id = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("mcp-session-id").then(|| value.trim().to_owned())
        });
        let id = id.ok_or(Gone)?;
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        exchange(at, "POST", "/mcp", &self.headers(Some(&id)), &ready.to_string())?;
        Ok(id)
    }

    fn headers(&self, session: Option<&str>) -> String {
        let mut headers = format!(
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Brainstem-Caller-Root: {}\r\n",
            self.root.display()
        );
        if let Some(id) = session {
            headers += &format!("Mcp-Session-Id: {id}\r\nMcp-Protocol-Version: 2025-06-18\r\n");
        }
        headers
    }
}

/// The JSON of an answer, which may come as an event.
fn message(body: &str) -> Result<Value, Gone> {
    let texts = body.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
    texts.filter(|text| text.starts_with('{')).find_map(|text| serde_json::from_str(text).ok()).ok_or(Gone)
}

/// One request on a connection of its own; answers the head and the body, or that nobody answered.
fn exchange(at: &At, method: &str, path: &str, headers: &str, body: &str) -> Result<(String, String), Gone> {
    let answered = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(&at.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let (host, token, len) = (&at.address, &at.token, body.len());
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
             Content-Length: {len}\r\n{headers}\r\n{body}"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    let answer = answered().map_err(|_| Gone)?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or(Gone)?;
    let status = head.split(' ').nth(1).unwrap_or_default();
    match status {
        "200" | "202" => Ok((head.to_owned(), whole(head, body).ok_or(Gone)?)),
        // A session of a daemon that is gone.
        "404" if path == "/mcp" => Err(Gone),
        other => panic!("{method} {path} answers {other}: {body}"),
    }
}

/// The body without its framing, if it came whole.
fn whole(head: &str, body: &str) -> Option<String> {
    let head = head.to_ascii_lowercase();
    if let Some(rest) = head.split("content-length:").nth(1) {
        let len: usize = rest.lines().next()?.trim().parse().ok()?;
        return (body.len() == len).then(|| body.to_owned());
    }
    if !head.contains("transfer-encoding: chunked") {
        return Some(body.to_owned());
    }
    let (mut rest, mut text) = (body, String::new());
    loop {
        let (size, after) = rest.split_once("\r\n")?;
        let size = usize::from_str_radix(size.trim(), 16).ok()?;
        if size == 0 {
            return Some(text);
        }
        text += after.get(..size)?;
        rest = after.get(size..)?.strip_prefix("\r\n")?;
    }
}
