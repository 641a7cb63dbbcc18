//! `up`, `down` and `page`: the life of this home's daemon.

mod running;

use crate::output::Output;
use crate::{background, call, service, surroundings, toolsets};
use brainstem_api::cli::{BIND, DaemonCommand, Globals, Up};
use brainstem_api::command_name::CommandName;
use brainstem_api::wire::Exit;
use brainstem_api::{Effect, Toolset};
use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_base::next::calls;
use brainstem_base::{Fault, advice, codes};
use brainstem_memory::{DaemonRecord, Memory, RootHints, token_print};
use brainstem_server::http::{link, log::Log, spans};
use brainstem_server::limits::HttpLimits;
use brainstem_server::{HttpDoor, McpDoor, tenancy, token_of};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, IsTerminal as _, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _, UdpSocket};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a daemon may take to start, and to answer that it did.
const START_WAIT: Duration = Duration::from_secs(20);
pub(crate) fn run(output: Output, globals: &Globals, asked: DaemonCommand) -> Result<Exit, Fault> {
    match asked {
        DaemonCommand::Up(up) if up.detach => detach(output, globals, &up),
        DaemonCommand::Up(up) => serve(output, globals, &up),
        DaemonCommand::Down => running::down(output, globals),
        DaemonCommand::Page => page(output, globals),
        DaemonCommand::Service { install, dry_run, bind } => {
            service::run(output, globals, install, dry_run, bind.as_deref())
        }
    }
}

fn serve(output: Output, globals: &Globals, up: &Up) -> Result<Exit, Fault> {
    let cx = call::context(globals)?;
    let memory = cx.memory;
    let address = address(up, &bind(up, &memory)?)?;
    // A daemon does not make a named home: if the name was mistyped, it would serve an empty memory.
    call::check_home(globals, Effect::Read, &memory)?;
    // The settings of the home: a daemon is in no project.
    let toolsets = toolsets::chosen(output, &up.toolsets, &memory, &RootHints::default())?;
    surroundings::stand_nowhere();
    let (limits, is_lowered) = HttpLimits::default().within(surroundings::allow_open_files());
    if up.new_token {
        running::stop(&memory)?;
    }
    // Held to the end of this process, however it ends.
    let lock = tenancy::become_daemon(&memory)?;
    running::refuse_beside_another(&memory)?;
    let token = if up.new_token { tenancy::renew_token(&memory)? } else { tenancy::make_token(&memory)? };
    let listener = TcpListener::bind(address).map_err(|error| {
        Fault::new(codes::DAEMON_ADDRESS, format!("cannot listen on {address}: {error}"))
            .fix("choose another with --bind 127.0.0.1:PORT, or port 0 for any that is free")
            .field("bind")
    })?;
    let address = listener.local_addr().unwrap_or(address);
    let pokes = UdpSocket::bind(("127.0.0.1", 0)).ok();
    let record = DaemonRecord {
        pid: std::process::id(),
        address: address.to_string(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: memory.now().ms(),
        instance: memory.secret(),
        poke: pokes.as_ref().and_then(|pokes| pokes.local_addr().ok()).map(|at| at.to_string()),
        token_print: Some(token_print(&token)),
        connections_max: is_lowered.then_some(limits.connections_max),
    };
    tenancy::write_record(&memory, &record)?;
    let files = memory.daemon_files();
    let log = Log::start(Arc::new(RealDisk), Arc::new(SystemClock), files.log.clone());
    spans::write_into(log.clone(), up.log_level);
    let settle = surroundings::background().then(|| {
        let globals = globals.clone();
        Arc::new(move || background::settle_all(&globals)) as brainstem_server::Settle
    });
    let mut told = json!({
        "address": record.address, "url": url(&record), "pid": record.pid,
        "token_file": files.token, "log_file": files.log, "new_token": up.new_token,
    });
    // Standard output may be a journal, or a file that other people read: a link in it would let them in.
    if std::io::stdout().is_terminal() {
        told["link"] = link_of(&memory, &record, &token).into();
    }
    let lock = Arc::new(Mutex::new(Some(lock)));
    let keep = {
        let (memory, lock, record) = (memory.clone(), lock.clone(), record.clone());
        move || match &mut *lock.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(lock) => tenancy::keep(&memory, lock, &record),
            None => tenancy::Tenure::Kept,
        }
    };
    let ended = record.clone();
    let hosts = up.hosts.iter().cloned().chain(host_of(address)).collect();
    let http = HttpDoor {
        door: McpDoor {
            memory: memory.clone(),
            declared: Default::default(),
            roots: Default::default(),
            program: cx.program,
            repeated: surroundings::home_option(globals),
            toolsets,
            settle,
        },
        listener,
        pokes,
        token,
        record,
        hosts,
        limits,
        keep: Some(Box::new(keep)),
    };
    let served = brainstem_server::serve_http(http, || {
        // A caller that was answered must find the log, even if the home is moved in the next moment.
        log.flush();
        if output.json {
            output.document(&told);
        } else {
            output.text(&words(&told));
        }
    });
    // From here on no thread checks the record, so it is not written again.
    let lock = lock.lock().unwrap_or_else(PoisonError::into_inner).take();
    tenancy::leave(&memory, &ended);
    log.flush();
    drop(lock);
    served.map(|()| Exit::Done)
}

/// Starts another process that serves, and returns when it answers.
fn detach(output: Output, globals: &Globals, up: &Up) -> Result<Exit, Fault> {
    let memory = call::context(globals)?.memory;
    let bind = bind(up, &memory)?;
    address(up, &bind)?;
    call::check_home(globals, Effect::Read, &memory)?;
    if up.new_token {
        running::stop(&memory)?;
    }
    if !up.toolsets.is_empty() {
        Toolset::parse_list(up.toolsets.iter().map(String::as_str))?;
    }
    let failed = |why: String| {
        Fault::new(codes::DAEMON_FAILED, format!("the daemon did not start: {why}")).fix(
            "run `brainstem up` without --detach to see it fail, and look into daemon/daemon.log of the home",
        )
    };
    let program = surroundings::program().ok_or_else(|| failed("this program cannot be found".to_owned()))?;
    let mut command = Command::new(program);
    command
        .arg("--json")
        .arg("--home")
        .arg(surroundings::home(globals)?)
        .arg(CommandName::Up.first_word())
        .arg("--bind")
        .arg(&bind);
    if up.expose {
        command.arg("--expose");
    }
    for host in &up.hosts {
        command.arg("--allow-host").arg(host);
    }
    if up.new_token {
        command.arg("--new-token");
    }
    for sets in &up.toolsets {
        command.arg("--toolsets").arg(sets);
    }
    command.arg("--log-level").arg(up.log_level.as_str());
    // Ctrl-C and the end of this terminal are not meant for it.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
    let stdout = child.stdout.take().expect("piped above");
    let (sender, said) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(stdout).read_line(&mut line);
        let _ = sender.send(read.map(|_| line));
    });
    let said = said.recv_timeout(START_WAIT);
    let document: Option<Value> =
        said.ok().and_then(Result::ok).and_then(|line| serde_json::from_str(&line).ok());
    let Some(mut document) = document else {
        let _ = child.kill();
        return Err(failed("it said nothing".to_owned()));
    };
    if let Some(error) = document.get("error") {
        let _ = child.wait();
        return Err(fault_of(error));
    }
    let answers = document["address"].as_str().and_then(|at| at.parse().ok()).is_some_and(is_healthy);
    if !answers {
        let _ = child.kill();
        return Err(failed("it does not answer".to_owned()));
    }
    if std::io::stdout().is_terminal()
        && let Some(record) = running::serving(&memory)?
    {
        document["link"] = link_of(&memory, &record, &token_of(&memory, &record)?).into();
    }
    Ok(if output.json { output.document(&document) } else { output.text(&words(&document)) })
}

fn page(output: Output, globals: &Globals) -> Result<Exit, Fault> {
    let memory = call::context(globals)?.memory;
    call::check_home(globals, Effect::Read, &memory)?;
    let absent = || {
        Fault::new(codes::DAEMON_ABSENT, "no daemon serves this home, and the page is its").fix(advice![
            "start one with `",
            calls::up(),
            "`"
        ])
    };
    let record = running::serving(&memory)?.ok_or_else(absent)?;
    let token = token_of(&memory, &record)?;
    let link = link_of(&memory, &record, &token);
    Ok(if output.json {
        output.document(&json!({ "link": link, "good_for_ms": link::LINK_MS }))
    } else {
        output.text(&format!("{link}\n"))
    })
}

/// The address for a daemon to listen on, as the command names it. A daemon that only gets another token keeps its address.
fn bind(up: &Up, memory: &Memory) -> Result<String, Fault> {
    let running = match &up.bind {
        None if up.new_token => running::serving(memory)?.map(|record| record.address),
        given => given.clone(),
    };
    Ok(running.unwrap_or_else(|| BIND.to_owned()))
}

/// The parsed address. Refuses one that other machines reach, unless the command permits it.
fn address(up: &Up, bind: &str) -> Result<SocketAddr, Fault> {
    let bad = |message: String, fix: &str| {
        Fault::new(codes::DAEMON_ADDRESS, message).fix(fix).field("bind").rule("IF-11")
    };
    let found = bind.to_socket_addrs().ok().and_then(|mut found| found.next());
    let address = found.ok_or_else(|| {
        bad(format!("{bind:?} is no address"), "give an address and a port, such as 127.0.0.1:7733")
    })?;
    if let Some(name) = up.hosts.iter().find(|name| !is_host(name)) {
        return Err(Fault::new(codes::DAEMON_ADDRESS, format!("{name:?} is no host name"))
            .fix("give the bare name or address, such as box.lan or 192.0.2.7, without http:// and without a port")
            .field("allow-host")
            .rule("IF-11"));
    }
    if !address.ip().is_loopback() && !up.expose {
        let message = format!("{address} can be reached from other machines");
        return Err(bad(message, "listen on 127.0.0.1, or say --expose if that is meant"));
    }
    Ok(address)
}

/// Whether a word can be before the port in a Host header.
fn is_host(word: &str) -> bool {
    match word.strip_prefix('[').and_then(|word| word.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b)),
    }
}

/// The name of an address in a Host header, if it is one address.
fn host_of(address: SocketAddr) -> Option<String> {
    let ip = address.ip();
    let name = if ip.is_ipv6() { format!("[{ip}]") } else { ip.to_string() };
    (!ip.is_unspecified()).then_some(name)
}

/// The URL for a browser on this machine.
fn url(record: &DaemonRecord) -> String {
    let address = record.address.parse::<SocketAddr>().ok();
    match address.filter(|address| address.ip().is_unspecified()) {
        Some(address) => format!("http://127.0.0.1:{}", address.port()),
        None => format!("http://{}", record.address),
    }
}

fn link_of(memory: &Memory, record: &DaemonRecord, token: &str) -> String {
    let word: String = memory.secret().chars().take(32).collect();
    let code = link::code(token, &record.instance, &word, memory.now());
    format!("{}/link?code={code}", url(record))
}

fn words(told: &Value) -> String {
    let text = |key: &str| told[key].as_str().unwrap_or_default().to_owned();
    let (url, token, log) = (text("url"), text("token_file"), text("log_file"));
    let page = match told["link"].as_str() {
        Some(link) => format!("{link}\n         (once, within ten minutes; `brainstem page` makes another)"),
        None => "`brainstem page` makes a link for your browser".to_owned(),
    };
    let renewed = match told["new_token"].as_bool() {
        Some(true) => " (new: clients that have the old one are refused)",
        Some(false) | None => "",
    };
    let address = text("address");
    let exposed = if is_exposed(&address) {
        format!(
            "  note   it listens on {address}: other machines reach it, unencrypted, and need only the token\n"
        )
    } else {
        String::new()
    };
    format!(
        "brainstem {} serves {url}\n{exposed}  MCP    {url}/mcp\n  REST   {url}/api/openapi.json\n  token  {token}{renewed}\n  \
         log    {log}\n  page   {page}\n",
        env!("CARGO_PKG_VERSION"),
    )
}

/// Whether other machines reach this address.
fn is_exposed(address: &str) -> bool {
    address.parse::<SocketAddr>().is_ok_and(|address| !address.ip().is_loopback())
}

/// Whether a daemon answers there.
fn is_healthy(address: SocketAddr) -> bool {
    let ask = || -> std::io::Result<bool> {
        let ip = if address.ip().is_unspecified() { [127, 0, 0, 1].into() } else { address.ip() };
        let mut stream = TcpStream::connect_timeout(&SocketAddr::new(ip, address.port()), START_WAIT)?;
        stream.set_read_timeout(Some(START_WAIT))?;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer.starts_with("HTTP/1.1 200 "))
    };
    ask().unwrap_or(false)
}

/// The refusal that another process of this program returned.
fn fault_of(error: &Value) -> Fault {
    let text = |key: &str| error[key].as_str().map(str::to_owned);
    let code = text("code").and_then(|name| codes::find(&name)).unwrap_or(codes::DAEMON_FAILED);
    let fault = Fault::new(code, text("message").unwrap_or_default());
    Fault { fix: text("fix").map(brainstem_base::Advice::from), field: text("field"), ..fault }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-11
    fn a_link_is_told_where_there_is_one() {
        let mut told = json!({ "address": "127.0.0.1:7733", "url": "http://127.0.0.1:7733" });
        assert!(words(&told).contains("`brainstem page` makes a link") && !words(&told).contains("code="));
        told["link"] = "http://127.0.0.1:7733/link?code=x".into();
        assert!(words(&told).contains("/link?code=x\n"), "{}", words(&told));
    }
}
