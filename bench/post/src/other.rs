//! The other mail server: started for a round, and spoken to as any mail program would.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A server that ends with its value.
pub struct Server(Child);

impl Server {
    /// Starts it on a folder, and writes its port there for the workers.
    pub fn start(python: &Path, folder: &Path) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/other.py");
        let mut command = Command::new(python);
        command.arg(script).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut port = String::new();
        let out = child.stdout.as_mut().expect("piped");
        BufReader::new(out).read_line(&mut port).expect("a port");
        assert!(!port.trim().is_empty(), "no server: does this Python have aiosmtpd?");
        fs::write(folder.join("port"), port.trim()).expect("the port is written");
        Self(child)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.stdin.take();
        let _ = self.0.wait();
    }
}

/// How many messages its Maildir holds.
pub fn delivered(folder: &Path) -> usize {
    fs::read_dir(folder.join("maildir/new")).expect("a Maildir").count()
}

/// Sends messages over one connection, each once the one before is answered.
pub fn send(folder: &Path, worker: &str, count: usize, body: &str) {
    let port: u16 = fs::read_to_string(folder.join("port")).expect("a port").parse().expect("a number");
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    stream.set_nodelay(true).expect("a socket");
    let mut lines = BufReader::new(stream.try_clone().expect("a socket"));
    let mut stream = stream;
    let mut say = |text: &str, code: &str| {
        stream.write_all(text.as_bytes()).expect("it is sent");
        loop {
            let mut line = String::new();
            lines.read_line(&mut line).expect("an answer");
            assert!(line.starts_with(code), "{text:.60}: {line}");
            // The last line of an answer has a space behind its code.
            if line.as_bytes().get(3) == Some(&b' ') {
                return;
            }
        }
    };
    say("", "220");
    say("EHLO bench\r\n", "250");
    let body = body.replace('\n', "\r\n");
    for n in 0..count {
        say(&format!("MAIL FROM:<w{worker}@bench>\r\n"), "250");
        say("RCPT TO:<worker@bench>\r\n", "250");
        say("DATA\r\n", "354");
        let head =
            format!("From: w{worker}@bench\r\nTo: worker@bench\r\nSubject: message {n}\r\nX-Type: task\r\n");
        say(&format!("{head}\r\n{body}.\r\n"), "250");
    }
    say("QUIT\r\n", "221");
}
