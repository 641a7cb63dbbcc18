//! One message on each line, over a pair of streams. A line that is not a message is refused with an answer.
//!
//! In the protocol of 2025-03-26 a line may carry several messages in an array; they are taken one by one, and each answer is a
//! line of its own.
//!
//! rmcp's own transport drops what it cannot parse, and the client waits for ever. Here each such line gets an error of
//! JSON-RPC, under the caller's id if one can be found in it.

use crate::limits::{BATCH_MESSAGES_MAX, ID_LEN_MAX, MESSAGE_LEN_MAX};
use brainstem_api::json::{self, JsonFault};
use rmcp::model::{JsonRpcMessage, ProtocolVersion, ServerResult};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// The transport. `receive` may be dropped at any await and continues where it was: bytes that were read stay
/// in `line`, and bytes to write stay in the writer.
pub(crate) struct Lines<R, W> {
    input: BufReader<R>,
    line: Vec<u8>,
    /// Set while the rest of a line over the limit is read and dropped.
    dropping: Option<IdScan>,
    output: Arc<Mutex<LineWriter<W>>>,
    refusals: VecDeque<Value>,
    refusing: bool,
    /// The rest of several messages that came on one line.
    batch: VecDeque<RxJsonRpcMessage<RoleServer>>,
    /// The agreed protocol permits several messages on one line.
    takes_batches: bool,
}

struct LineWriter<W> {
    stream: Option<W>,
    waiting: Vec<u8>,
}

impl<W: AsyncWrite + Unpin> LineWriter<W> {
    fn add(&mut self, document: &impl serde::Serialize) -> io::Result<()> {
        let start = self.waiting.len();
        if let Err(error) = serde_json::to_writer(&mut self.waiting, document) {
            self.waiting.truncate(start);
            return Err(error.into());
        }
        self.waiting.push(b'\n');
        Ok(())
    }

    async fn flush(&mut self) -> io::Result<()> {
        let Some(stream) = &mut self.stream else { return Err(io::ErrorKind::NotConnected.into()) };
        while !self.waiting.is_empty() {
            match stream.write(&self.waiting).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                written => self.waiting.drain(..written),
            };
        }
        stream.flush().await
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Lines<R, W> {
    pub(crate) fn new(input: R, output: W) -> Self {
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            dropping: None,
            output: Arc::new(Mutex::new(LineWriter { stream: Some(output), waiting: Vec::new() })),
            refusals: VecDeque::new(),
            refusing: false,
            batch: VecDeque::new(),
            takes_batches: false,
        }
    }

    /// Reads to the end of a line, and returns whether there was one.
    async fn read_line(&mut self) -> io::Result<bool> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                return Ok(false);
            }
            let end = available.iter().position(|b| *b == b'\n');
            let piece = &available[..end.unwrap_or(available.len())];
            match &mut self.dropping {
                Some(scan) => scan.feed(piece),
                None if self.line.len() + piece.len() > MESSAGE_LEN_MAX => {
                    let mut scan = IdScan::default();
                    scan.feed(&self.line);
                    scan.feed(piece);
                    self.line = Vec::new();
                    self.dropping = Some(scan);
                }
                None => self.line.extend_from_slice(piece),
            }
            let consumed = piece.len() + usize::from(end.is_some());
            self.input.consume(consumed);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// The message of the line that was read, or its refusal; neither if it needs no answer.
    fn message(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let line = std::mem::take(&mut self.line);
        if let Some(scan) = self.dropping.take() {
            let why = format!("a message may be {} MiB at most", MESSAGE_LEN_MAX >> 20);
            self.refusals.push_back(refusal(PARSE_ERROR, &why, scan.id()));
            return None;
        }
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line);
        if line.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        // Checked before it is parsed: a line with two meanings, or with very many values, is not a message.
        let unfit = match json::check(line) {
            Err(fault @ (JsonFault::KeyTwice | JsonFault::TooMany)) => Some(fault.into_fault("message")),
            Ok(()) | Err(JsonFault::NotJson(_)) => None,
        };
        if let Some(fault) = unfit {
            let mut scan = IdScan::default();
            scan.feed(line);
            self.refusals.push_back(refusal(INVALID_REQUEST, &fault.message, scan.id()));
            return None;
        }
        if self.takes_batches
            && let Ok(messages) = serde_json::from_slice::<Vec<Value>>(line)
            && (1..=BATCH_MESSAGES_MAX).contains(&messages.len())
        {
            for message in messages {
                let line = message.to_string();
                match serde_json::from_value(message) {
                    Ok(message) => self.batch.push_back(message),
                    Err(_) => self.refusals.extend(refusal_of(line.as_bytes())),
                }
            }
            return self.batch.pop_front();
        }
        match serde_json::from_slice(line) {
            Ok(message) => Some(message),
            Err(_) => {
                self.refusals.extend(refusal_of(line));
                None
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let JsonRpcMessage::Response(response) = &message
            && let ServerResult::InitializeResult(agreed) = &response.result
        {
            self.takes_batches = agreed.protocol_version == ProtocolVersion::V_2025_03_26;
        }
        let output = self.output.clone();
        async move {
            let mut output = output.lock().await;
            output.add(&message)?;
            output.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if !self.refusals.is_empty() || self.refusing {
                let mut output = self.output.lock().await;
                self.refusing = true;
                for refusal in self.refusals.drain(..) {
                    output.add(&refusal).ok()?;
                }
                output.flush().await.ok()?;
                self.refusing = false;
            }
            if let Some(message) = self.batch.pop_front() {
                return Some(message);
            }
            if !self.read_line().await.ok()? {
                return None;
            }
            if let Some(message) = self.message() {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.stream = None;
        Ok(())
    }
}

fn refusal(code: i32, why: &str, id: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": why}})
}

/// The refusal of a line that is not a message of MCP; notifications and answers get none (JSON-RPC).
fn refusal_of(line: &[u8]) -> Option<Value> {
    match serde_json::from_slice::<Value>(line) {
        Err(error) => {
            let mut scan = IdScan::default();
            scan.feed(line);
            Some(refusal(PARSE_ERROR, &format!("the message is not JSON: {error}"), scan.id()))
        }
        Ok(value) => {
            let has = |key: &str| value.get(key).is_some();
            let is_notification = has("method") && !has("id");
            let is_answer = !has("method") && (has("result") || has("error"));
            let id = value.get("id").filter(|id| is_id(id)).cloned().unwrap_or_default();
            (!is_notification && !is_answer)
                .then(|| refusal(INVALID_REQUEST, "the message is no request of MCP", id))
        }
    }
}

fn is_id(value: &Value) -> bool {
    value.is_string() || value.is_number()
}

/// Finds the id in the bytes of a JSON object, piece by piece, without parsing the rest: the rest may be
/// broken, too deep or too long.
#[derive(Default)]
struct IdScan {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The bytes since the last comma, colon or brace of the outermost object.
    word: Vec<u8>,
    too_long: bool,
    after_id: bool,
    found: Option<Value>,
}

impl IdScan {
    fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.found.is_some() {
                return;
            }
            self.step(byte);
        }
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.word.clear();
                // An object as the value of `id` is not an id.
                self.too_long = self.depth > 1;
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_value();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => {
                self.after_id = !self.too_long && self.word.trim_ascii() == b"\"id\"";
                self.clear();
            }
            b',' if self.depth == 1 => self.end_value(),
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.word.len() < ID_LEN_MAX {
            self.word.push(byte);
        } else if self.depth == 1 {
            self.too_long = true;
        }
    }

    fn end_value(&mut self) {
        if self.after_id && !self.too_long {
            self.found = serde_json::from_slice(&self.word).ok().filter(is_id);
        }
        self.after_id = false;
        self.clear();
    }

    fn clear(&mut self) {
        self.word.clear();
        self.too_long = false;
    }

    fn id(self) -> Value {
        self.found.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_api::limits::JSON_VALUES_MAX;

    fn id_in(text: &[u8]) -> Value {
        let mut scan = IdScan::default();
        for piece in text.chunks(3) {
            scan.feed(piece);
        }
        scan.id()
    }

    #[test] // spec: IF-10
    fn an_id_is_found_in_what_cannot_be_parsed() {
        assert_eq!(id_in(br#"{"jsonrpc":"2.0","id":7,"params":{"x":"\ud800"}}"#), json!(7));
        assert_eq!(id_in(br#"{"params":{"id":1,"a":[{"id":2}]}, "id" : "a\"b" }"#), json!("a\"b"));
        assert_eq!(id_in(b"{\"x\":\"\xff\",\"id\":-3}"), json!(-3));
        assert_eq!(id_in(br#"{"x":"\"id\":4,","id":5,"#), json!(5));
        for without in [&br#"{"params":{"id":1}}"#[..], br#"{"id":{"a":1}}"#, br#"{"id":null}"#, b"no", b""] {
            assert_eq!(id_in(without), Value::Null, "{}", String::from_utf8_lossy(without));
        }
    }

    /// The answer to one line.
    fn answer(line: &[u8]) -> Option<Value> {
        let run = async {
            let mut out = Vec::new();
            let mut lines = Lines::new(line, io::Cursor::new(Vec::new()));
            assert!(lines.receive().await.is_none(), "it is no message");
            let mut output = lines.output.lock().await;
            out.extend(output.stream.take().expect("open").into_inner());
            (!out.is_empty()).then(|| serde_json::from_slice(&out).expect("one document"))
        };
        tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(run)
    }

    fn code_and_id(line: &[u8]) -> (i64, Value) {
        let answer = answer(line).expect("an answer");
        (answer["error"]["code"].as_i64().expect("a code"), answer["id"].clone())
    }

    #[test] // spec: IF-10
    fn every_line_that_is_no_message_is_refused() {
        let call = |x: &str| {
            format!("{{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"params\":{{\"x\":{x}}},\"id\":7}}\n")
        };
        let parse = |id| (i64::from(PARSE_ERROR), id);
        assert_eq!(code_and_id(call(r#""\ud800""#).as_bytes()), parse(json!(7)));
        assert_eq!(
            code_and_id(call(&format!("{}{}", "[".repeat(300), "]".repeat(300))).as_bytes()),
            parse(json!(7))
        );
        assert_eq!(
            code_and_id(call(&format!("{:?}", "x".repeat(MESSAGE_LEN_MAX))).as_bytes()),
            parse(json!(7))
        );
        assert_eq!(code_and_id(b"{\"id\":\"a\",\"method\":\"\xff\"}\n"), parse(json!("a")));
        assert_eq!(code_and_id(b"no JSON\n"), parse(Value::Null));
        assert_eq!(code_and_id(b"{\"id\":7,\"method\":8}\n"), (INVALID_REQUEST.into(), json!(7)));
        assert_eq!(code_and_id(b"[]\n"), (INVALID_REQUEST.into(), Value::Null));
        let twice = b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"method\":\"tools/list\"}\n";
        assert_eq!(code_and_id(twice), (INVALID_REQUEST.into(), json!(7)));
        let many = call(&format!("[{}0]", "0,".repeat(JSON_VALUES_MAX)));
        assert_eq!(code_and_id(many.as_bytes()), (INVALID_REQUEST.into(), json!(7)));
        for silent in ["\n", "{\"jsonrpc\":\"2.0\",\"method\":8}\n", "{\"id\":7,\"error\":8}\n"] {
            assert_eq!(answer(silent.as_bytes()), None, "{silent:?}");
        }
    }
}
