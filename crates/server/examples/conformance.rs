//! A daemon for the official conformance suite of MCP: the doors of the product, and the tools, resources and prompts
//! that the suite asks for. `cargo xtask hosts` builds and runs it.
//!
//! usage: conformance HOME TOKEN; it prints its address, and serves until SIGTERM

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program for tests talks to the one that started it"
)]

use brainstem_api::Toolset;
use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_base::ids::SystemIds;
use brainstem_memory::{DaemonRecord, Memory, NoEmbedder, Parts};
use brainstem_server::limits::HttpLimits;
use brainstem_server::{HttpDoor, McpDoor, fixture, serve_http};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

fn main() {
    let mut words = std::env::args().skip(1);
    let (home, token) = words.next().zip(words.next()).expect("usage: conformance HOME TOKEN");
    let home = PathBuf::from(home);
    std::fs::create_dir_all(&home).expect("a home");
    let memory = Arc::new(Memory::new(Parts {
        disk: Arc::new(RealDisk),
        clock: Arc::new(SystemClock),
        ids: Arc::new(SystemIds),
        home: home.clone(),
        user_home: None,
        meanings: Arc::new(NoEmbedder),
    }));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let record = DaemonRecord {
        pid: std::process::id(),
        address: address.clone(),
        version: env!("CARGO_PKG_VERSION").into(),
        started: memory.now().ms(),
        instance: memory.secret(),
        poke: None,
        token_print: None,
        connections_max: None,
    };
    fixture::switch_on();
    let http = HttpDoor {
        door: McpDoor {
            memory,
            declared: Default::default(),
            roots: Default::default(),
            program: None,
            repeated: &[],
            toolsets: Toolset::DEFAULT.to_vec(),
            settle: None,
        },
        listener,
        pokes: None,
        token,
        record,
        hosts: Vec::new(),
        limits: HttpLimits::default(),
        keep: None,
    };
    serve_http(http, || println!("{address}")).expect("served");
}
