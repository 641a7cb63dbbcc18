//! Commands that take a password: `docker login -p …`, `redis-cli -a …`, `net user bob …`, `echo … | sudo -S`.

use super::{Span, value_at};
use crate::bytes::{TextScan, find, find_folded};
use crate::harmless::is_placeholder;
use crate::hit::LiteralHit;
use crate::value::{Manner, is_secret};

/// How much of a command line is read.
const LINE_LEN_MAX: usize = 200;

/// How an option carries the password.
#[derive(Clone, Copy)]
enum OptionForm {
    /// `-p value`.
    Apart,
    /// `-pvalue`.
    Attached,
    /// `-u user:value`, with the sign between them.
    Behind(u8),
    /// The n-th word behind the command, options not counted.
    Word(usize),
    /// The last word of the command, if this letter is among its options.
    Last(u8),
}

/// A command, its option, and how that carries the password.
struct Command {
    name: &'static str,
    option: &'static str,
    form: OptionForm,
}

const fn apart(name: &'static str, option: &'static str) -> Command {
    Command { name, option, form: OptionForm::Apart }
}

const fn word(name: &'static str, place: usize) -> Command {
    Command { name, option: "", form: OptionForm::Word(place) }
}

/// The names in lower case, as the row of the table has them.
const COMMANDS: &[Command] = &[
    apart("docker login", "-p"),
    apart("podman login", "-p"),
    apart("buildah login", "-p"),
    apart("skopeo login", "-p"),
    apart("crane auth login", "-p"),
    apart("oras login", "-p"),
    apart("nerdctl login", "-p"),
    apart("helm registry login", "-p"),
    apart("az login", "-p"),
    apart("oc login", "-p"),
    apart("mongo", "-p"),
    apart("mongosh", "-p"),
    apart("mongodump", "-p"),
    apart("mongorestore", "-p"),
    apart("redis-cli", "-a"),
    apart("sqlcmd", "-P"),
    apart("bcp ", "-P"),
    apart("ldapsearch", "-w"),
    apart("ldapadd", "-w"),
    apart("ldapmodify", "-w"),
    apart("ldapdelete", "-w"),
    apart("ldapwhoami", "-w"),
    apart("ldappasswd", "-w"),
    apart("ldappasswd", "-s"),
    apart("ipmitool", "-P"),
    apart("mosquitto_pub", "-P"),
    apart("mosquitto_sub", "-P"),
    apart("rdesktop", "-p"),
    apart("ncftpput", "-p"),
    apart("ncftpget", "-p"),
    apart("plink", "-pw"),
    apart("pscp", "-pw"),
    apart("zip ", "-P"),
    apart("unzip ", "-P"),
    apart("useradd", "-p"),
    apart("usermod", "-p"),
    apart("snmpwalk", "-A"),
    apart("snmpwalk", "-X"),
    apart("snmpget", "-A"),
    apart("snmpget", "-X"),
    apart("wpa_passphrase", ""),
    apart("sshpass", "-p"),
    apart("ssh-keygen", "-N"),
    apart("doctl auth", "-t"),
    apart("add-generic-password", "-w"),
    apart("add-internet-password", "-w"),
    apart("schtasks", "/rp"),
    apart("rootpw", "--plaintext"),
    Command { name: "-setairportnetwork ", option: "", form: OptionForm::Word(3) },
    word("rootpw ", 1),
    word("mc alias set ", 4),
    word("mc config host add ", 4),
    Command { name: "cmdkey", option: "/pass:", form: OptionForm::Attached },
    Command { name: "wmic", option: "/password:", form: OptionForm::Attached },
    Command { name: "net use", option: "/password:", form: OptionForm::Attached },
    Command { name: "7z ", option: "-p", form: OptionForm::Attached },
    Command { name: "unrar ", option: "-p", form: OptionForm::Attached },
    Command { name: "rar ", option: "-hp", form: OptionForm::Attached },
    Command { name: "xfreerdp", option: "/p:", form: OptionForm::Attached },
    Command { name: "curl", option: "-U", form: OptionForm::Behind(b':') },
    Command { name: "http ", option: "-a", form: OptionForm::Behind(b':') },
    Command { name: "https ", option: "-a", form: OptionForm::Behind(b':') },
    Command { name: "smbclient", option: "-U", form: OptionForm::Behind(b'%') },
    Command { name: "rpcclient", option: "-U", form: OptionForm::Behind(b'%') },
    Command { name: "lftp", option: "-u", form: OptionForm::Behind(b',') },
    Command { name: "htpasswd", option: "", form: OptionForm::Last(b'b') },
    word("http-basic.", 3),
    word("net use ", 3),
    word("net user ", 2),
    word("rabbitmqctl add_user ", 2),
    word("rabbitmqctl change_password ", 2),
    word("vault login ", 1),
    word("ngrok authtoken ", 1),
    word("add-authtoken ", 1),
    word("cargo login ", 1),
    word("requirepass ", 1),
    word("masterauth ", 1),
    word("enable password ", 1),
    word("enable secret ", 1),
    word("password 0 ", 1),
    word("password 7 ", 1),
    word("secret 0 ", 1),
    word("secret 5 ", 1),
    word("secret 9 ", 1),
    word("addauth digest ", 1),
    Command { name: " on >", option: "", form: OptionForm::Word(1) },
    word("snmp-server community ", 1),
    word("pass oauth:", 1),
];

/// An option, or a word in a known place, of a command that is known.
pub(crate) fn command(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if scan
        .before(hit.start)
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
    {
        return None;
    }
    let line = scan.line_from(hit.start, LINE_LEN_MAX);
    COMMANDS
        .iter()
        .filter(|command| scan.has_folded(hit.start, command.name))
        .find_map(|command| handed(scan, hit.start, command, line))
}

fn handed(scan: &TextScan<'_>, start: usize, command: &Command, line: &[u8]) -> Span {
    let from = command.name.len();
    match command.form {
        OptionForm::Word(place) => {
            let at = nth_word(line, from, place)?;
            // `digest bob:…`: the part behind the colon.
            let word =
                &line[at..at + line[at..].iter().position(|byte| *byte == b' ').unwrap_or(line.len() - at)];
            let user =
                word.iter().position(|byte| *byte == b':').filter(|_| command.name.starts_with("addauth"));
            judged(scan, start + at + user.map_or(0, |at| at + 1))
        }
        OptionForm::Last(letter) => {
            let options = line.split(|byte| *byte == b' ').filter(|word| word.starts_with(b"-"));
            { options }.any(|word| word.contains(&letter)).then_some(())?;
            let end =
                line.iter().position(|byte| matches!(byte, b'|' | b'>' | b'`' | b';')).unwrap_or(line.len());
            let last = line[..end].trim_ascii_end();
            judged(scan, start + last.iter().rposition(|byte| *byte == b' ')? + 1)
        }
        OptionForm::Apart => {
            let at = option(line, from, command.option)?;
            if !matches!(line.get(at), Some(b' ' | b'=')) {
                return None;
            }
            judged(scan, scan.skip_blanks(start + at + 1))
        }
        OptionForm::Attached => {
            let at = option(line, from, command.option)?;
            judged(scan, start + at)
        }
        OptionForm::Behind(sign) => {
            let at = option(line, from, command.option)?;
            let value = value_at(scan, scan.skip_blanks(start + at))?;
            let text = scan.line_from(value.span.start, LINE_LEN_MAX);
            let len =
                text.iter().position(|byte| matches!(byte, b' ' | b'"' | b'\'' | b'`')).unwrap_or(text.len());
            let behind = text[..len].iter().position(|byte| *byte == sign)? + 1;
            let password = value.span.start + behind..value.span.start + len;
            let text = &scan.text[password.clone()];
            (behind > 1 && is_secret(text, None, Manner::Placed)).then_some(password)
        }
    }
}

/// The place behind an option that is a word of its own.
fn option(line: &[u8], from: usize, option: &str) -> Option<usize> {
    let option = option.as_bytes();
    let rest = line.get(from..)?;
    (0..rest.len().checked_sub(option.len())?)
        .find(|at| rest[*at..].starts_with(option) && (*at == 0 || rest[*at - 1] == b' '))
        .map(|at| from + at + option.len())
}

/// Where the n-th word behind `from` starts; options do not count.
fn nth_word(line: &[u8], from: usize, place: usize) -> Option<usize> {
    let mut at = from;
    let mut count = 0;
    while at < line.len() {
        while line.get(at) == Some(&b' ') {
            at += 1;
        }
        let len = line[at..].iter().position(|byte| *byte == b' ').unwrap_or(line.len() - at);
        if len == 0 {
            return None;
        }
        if line[at] != b'-' {
            count += 1;
        }
        if count == place {
            return Some(at);
        }
        at += len;
    }
    None
}

fn judged(scan: &TextScan<'_>, at: usize) -> Span {
    let value = value_at(scan, at)?;
    let text = value.text(scan);
    (!text.starts_with(b"-") && is_secret(text, value.next(scan), Manner::Placed)).then_some(value.span)
}

/// `tool -u bob -p …`: an option that carries a password in most tools, behind one that carries a user.
pub(crate) fn user_and_password(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let from = hit.start.saturating_sub(120);
    let before = &scan.text[from..hit.start];
    let line = before.iter().rposition(|byte| *byte == b'\n').map_or(before, |at| &before[at + 1..]);
    scan.count(line.len());
    const USERS: &[&str] = &[" -u ", " -U ", " -l ", " --user ", " --username ", " --login "];
    let user = USERS.iter().any(|option| find(line, option).is_some());
    // `-p 8080:80` publishes a port.
    let value = value_at(scan, scan.skip_blanks(hit.end))?;
    let text = value.text(scan);
    let port = text.first().is_some_and(u8::is_ascii_digit) && text.contains(&b':');
    (user
        && !port
        && !text.starts_with(b"-")
        && !text.contains(&b'=')
        && is_secret(text, value.next(scan), Manner::Placed))
    .then_some(value.span)
}

/// `smbpasswd -a bob <<< '…'`: a word that is passed to a command which asks for a password.
pub(crate) fn here_string(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let from = hit.start.saturating_sub(80);
    let before = &scan.text[from..hit.start];
    let line = before.iter().rposition(|byte| *byte == b'\n').map_or(before, |at| &before[at + 1..]);
    scan.count(line.len());
    let asks = ["passw", "secret", "login", "kinit", "cryptsetup", "--stdin"]
        .iter()
        .any(|word| find_folded(line, word).is_some());
    let value = value_at(scan, scan.skip_blanks(hit.end))?;
    (asks && is_secret(value.text(scan), value.next(scan), Manner::Placed)).then_some(value.span)
}

/// `echo … | sudo -S`, `echo bob:… | chpasswd`: the text that is echoed into a command which asks for a password.
pub(crate) fn piped(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let from = hit.start.saturating_sub(120);
    let before = &scan.text[from..hit.start];
    scan.count(before.len());
    let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let text = &before[line..];
    let (at, len) = ["echo -n ", "echo -e ", "echo ", "printf ", "printf '%s' ", "Write-Output "]
        .iter()
        .find_map(|echo| {
            text.windows(echo.len()).position(|here| here == echo.as_bytes()).map(|at| (at, echo.len()))
        })?;
    let value = value_at(scan, from + line + at + len)?;
    let shown = value.text(scan);
    let user = if scan.text[hit.start..hit.end].ends_with(b"chpasswd") {
        shown.iter().position(|byte| *byte == b':').map_or(0, |at| at + 1)
    } else {
        0
    };
    let text = &shown[user..];
    (value.span.end < hit.start
        && !is_placeholder(shown)
        && !shown.contains(&b'$')
        && is_secret(text, None, Manner::Placed))
    .then_some(value.span.start + user..value.span.end)
}
