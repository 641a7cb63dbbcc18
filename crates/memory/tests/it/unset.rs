//! What is not there is said to be not there: a setting that is taken out, and a claim about which nothing is decided.

use crate::world::{CHERRY, HOME, MAKER, PERSON, Short as _, caller, clock, code, service, two_repositories};
use brainstem_memory::ResolveRequest;
use brainstem_memory::config::ConfigFile;
use std::path::Path;
use std::sync::Arc;

#[test] // spec: IF-27
fn a_setting_is_taken_out_and_the_rest_of_the_file_stays() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    let here = caller(PERSON, CHERRY).place().clone();
    let path = Path::new(HOME).join("config.toml");
    disk.write_raw(
        &path,
        b"# mine\nowner = \"human:ana\" # me\nagent = \"codex:maker\"\n\n[mcp]\ntoolsets = \"all\"\n",
    );
    let unset =
        |name: &str| memory.unset(&here, name, ConfigFile::Home).map(|(.., was_set)| was_set).unwrap();
    assert!(unset("agent") && !unset("agent") && unset("mcp.toolsets"));
    let left = String::from_utf8(disk.dump()[&path].clone()).unwrap();
    assert_eq!(left, "# mine\nowner = \"human:ana\" # me\n\n[mcp]\n");
    assert_ne!(code(memory.unset(&here, "agnet", ConfigFile::Home)), "ok");
    assert!(!memory.unset(&here, "agent", ConfigFile::Repository).unwrap().2, "there is no file");
}

#[test] // spec: MEM-49
fn a_label_that_no_claim_has_is_said_before_what_a_decision_needs() {
    let memory = service(Arc::new(two_repositories()), &clock());
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    memory.tell(&maker, "Retry policy", "three times").unwrap();
    let refused = |label: &str| {
        let request = ResolveRequest { label: Some(label.into()), ..ResolveRequest::default() };
        brainstem_base::Fault::from(memory.resolve(&maker, &request).unwrap_err())
    };
    assert_eq!(refused("nope").code.name(), "claim.not_found");
    assert!(refused("Retry policy").message.contains("nothing waits for a decision"));
}
