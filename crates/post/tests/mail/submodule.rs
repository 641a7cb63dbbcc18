//! The mail of a project that another repository has as a submodule.

use crate::repository::{SUBMODULE, index, index_of};
use crate::world::{World, caller};
use brainstem_base::disk::Disk as _;
use brainstem_memory::{Caller, Trouble};
use brainstem_post::mail::{MailListRequest, MessageKind, Priority, SendRequest};
use std::path::Path;

const OUTER: &str = "/src/outer";
const INSIDE: &str = "/src/outer/sub";

fn me() -> Caller {
    caller("codex:maker", "w1", INSIDE)
}

/// Two ways in which git keeps a repository inside another one: its folder of git, and what names that folder.
fn world(git_dir: &str) -> World {
    let world = World::new();
    world.disk.write_raw(format!("{OUTER}/.git/HEAD"), b"ref: refs/heads/main\n");
    world.disk.write_raw(format!("{OUTER}/.git/index"), &index_of(&[("sub", SUBMODULE)]));
    if git_dir != "/src/outer/sub/.git" {
        world.disk.write_raw(format!("{INSIDE}/.git"), format!("gitdir: {git_dir}\n").as_bytes());
    }
    world.disk.write_raw(format!("{git_dir}/HEAD"), b"ref: refs/heads/main\n");
    world.disk.write_raw(format!("{git_dir}/index"), &index(&["f".to_owned()]));
    world
}

#[test] // spec: MAIL-21, MAIL-18
fn the_submodules_own_index_says_which_messages_git_tracks() {
    for git_dir in ["/src/outer/.git/modules/sub", "/src/outer/sub/.git"] {
        let world = world(git_dir);
        let request = SendRequest {
            priority: Priority::Urgent,
            subject: "prod is down".into(),
            ..crate::world::sending("w1", MessageKind::Task)
        };
        let sent = world.send_with(&me(), request);
        let row = || world.list(&me(), MailListRequest::default()).rows.remove(0);
        assert!(!row().tracked && row().priority() == Priority::Urgent, "{git_dir}");
        let uncertain = |world: &World| {
            world.post.mail_health(&me()).iter().any(|found| found.trouble == Trouble::MailTracked)
        };
        assert!(!uncertain(&world), "{git_dir}");
        // What the submodule tracks came with it.
        world.clock.advance(1_000);
        let path = format!(".mail/w1/{}", sent.file);
        world.disk.write_raw(format!("{git_dir}/index"), &index(&[path]));
        assert!(row().tracked, "{git_dir}");
        // Where its index cannot be found, every message may be tracked.
        world.disk.unlink(Path::new(&format!("{git_dir}/index"))).unwrap();
        assert!(row().tracked && uncertain(&world), "{git_dir}");
    }
}
