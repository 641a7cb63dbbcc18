//! Which folder's files a host reads, and when none may be connected.

use crate::place::Place;
use crate::world::code;
use brainstem_connect::{Connect, HostsRequest};
use brainstem_hosts::Host;
use brainstem_memory::{BootstrapRequest, RootWish};

#[test] // spec: MEM-1, MEM-17
fn the_files_of_a_host_lie_at_the_top_of_the_working_tree_and_move_no_memory() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    let request =
        BootstrapRequest { path: Some("lib".into()), root: RootWish::ExactFolder, ..Default::default() };
    place.memory().bootstrap(&place.in_("src/cherry"), &request).unwrap();
    let request = HostsRequest { hosts: vec![Host::Codex], dry_run: true, ..Default::default() };
    let done = Connect::new(&place.memory()).init_hosts(&place.in_("src/cherry/lib"), &request).unwrap();
    assert_eq!(done.root, place.at("src/cherry"));
}

#[test] // spec: MEM-1
fn a_folder_whose_memory_is_kept_apart_is_not_connected() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.tell("src/cherry", "Merger", "the merger is off");
    place.commit_all("src/cherry");
    place.delete("src/cherry");
    // Another project, which begins with another commit.
    std::fs::create_dir_all(place.at("src/cherry")).unwrap();
    place.git("src/cherry", &["init", "-q", "-b", "main"]);
    place.write("src/cherry/notes", "of another client");
    place.commit_all("src/cherry");
    assert_eq!(place.lands("src/cherry"), "src/cherry*");
    let (connect, there) = (Connect::new(&place.memory()), place.in_("src/cherry"));
    assert_eq!(code(connect.init_hosts(&there, &HostsRequest::default())), "memory.root_replaced");
    assert!(!place.at("src/cherry/.brainstem").exists(), "nothing was made");
}
