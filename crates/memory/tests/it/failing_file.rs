//! One claim file fails at some touch of it. An eject moves every claim, or none.

use crate::one_file::{Fails, one_file};
use crate::world::{CHERRY, MAKER, Short as _, caller, clock, service, two_repositories};
use brainstem_base::Coded as _;
use brainstem_base::disk::{Disk as _, UnsyncedFate};
use brainstem_memory::{EjectRequest, InitRequest};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

#[test] // spec: MEM-13a, MEM-2
fn an_eject_moves_every_claim_or_none_where_one_cannot_be_read() {
    let before = two_repositories();
    before.write_raw(format!("{CHERRY}/.git/config"), b"[core]\n\tbare = false\n");
    let there = caller(MAKER, CHERRY);
    let memory = service(Arc::new(before.clone()), &clock());
    memory.begin(&there).unwrap();
    memory.init(&there, &InitRequest::default()).unwrap();
    for label in ["Alpha", "Beta"] {
        memory.tell(&there, label, "a text").unwrap();
    }
    let claims = Path::new(CHERRY).join(".brainstem/agent-memory");
    let ejects = |at: u64| {
        let disk = before.reboot(UnsyncedFate::Kept);
        let failing = one_file(&disk, &claims.join("alpha.light.md"), Fails::Once(at));
        let done = service(failing.clone(), &clock()).eject(&there, &EjectRequest::default());
        let told = format!("touch {at}: {done:?}");
        let memory = service(Arc::new(disk.clone()), &clock());
        let labels = || {
            let rows = memory.all(&there).rows.into_iter();
            rows.map(|row| row.label).collect::<BTreeSet<String>>()
        };
        let both = BTreeSet::from(["Alpha", "Beta"].map(str::to_owned));
        let in_repository =
            ["alpha", "beta"].map(|slug| disk.stat(&claims.join(format!("{slug}.light.md"))).is_ok());
        match done.map_err(|error| error.code().name()) {
            Ok(done) => assert_eq!((done.moves.len(), in_repository), (2, [false; 2]), "{told}"),
            Err("store.unconfirmed") => {
                let gaps = memory.all(&there).gaps;
                assert!(labels() == both || !gaps.is_empty(), "{told}");
                memory.eject(&there, &EjectRequest::default()).unwrap();
            }
            Err(_) => assert_eq!(in_repository, [true; 2], "{told}"),
        }
        assert_eq!(labels(), both, "{told}");
        failing.failures() > 0
    };
    let count = (0..).take_while(|at| ejects(*at)).count();
    assert!(count > 2, "the claim is read");
}
