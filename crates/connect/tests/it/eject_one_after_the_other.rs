//! Hosts that are taken out one after the other, where a person had an entry of one of them before.

use crate::world::{CHERRY, PERSON, caller, clock, service, two_repositories};
use brainstem_connect::{Connect, HostsRequest};
use brainstem_hosts::Host;
use std::path::Path;
use std::sync::Arc;

#[test] // spec: IF-15
fn the_section_goes_with_the_last_host_that_was_connected_here() {
    let own = r#"{"mcpServers":{"brainstem":{"command":"brainstem","args":["mcp"]}}}"#;
    for order in [[Host::Cursor, Host::VsCode], [Host::VsCode, Host::Cursor]] {
        let disk = two_repositories();
        let [agents, entry] = ["AGENTS.md", ".cursor/mcp.json"].map(|name| Path::new(CHERRY).join(name));
        disk.write_raw(&agents, b"# Cherry\n");
        disk.write_raw(&entry, own.as_bytes());
        let memory = service(Arc::new(disk.clone()), &clock());
        let request = |hosts: &[Host]| HostsRequest {
            hosts: hosts.to_vec(),
            section: "## Shared memory\n\nPull.".into(),
            ..HostsRequest::default()
        };
        let person = caller(PERSON, CHERRY);
        let connect = Connect::new(&memory);
        connect.init_hosts(&person, &request(&order)).unwrap();
        assert!(disk.dump()[&agents].len() > 9, "the section is there");
        connect.eject_hosts(&person, &request(&order[..1])).unwrap();
        assert!(disk.dump()[&agents].len() > 9, "{order:?}: the other host reads it");
        connect.eject_hosts(&person, &request(&order[1..])).unwrap();
        assert_eq!(disk.dump()[&agents], b"# Cherry\n", "{order:?}");
        assert_eq!(disk.dump()[&entry], own.as_bytes(), "what a person wrote stays");
    }
}
