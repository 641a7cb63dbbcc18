//! Commands for a shell that a server advises.

use brainstem_api::{Door, Offered};
use brainstem_base::advice;
use brainstem_base::next::{TypedOption, VerbId, calls};

#[test] // spec: IF-4
fn a_server_that_was_started_with_a_home_repeats_it_in_its_commands() {
    let home = TypedOption { option: "--home", value: "/my home".into(), groups: &[] };
    let typed: &'static [TypedOption] = Vec::leak(vec![home]);
    let advice = advice![calls::mail_init_private(), " or ", VerbId::Bootstrap, "; `", calls::up(), "`"];
    for door in [Door::mcp(Offered::NONE), Door::rest()] {
        let plain = door.render(&advice);
        assert!(plain.contains("brainstem mail init --private-mail") && !plain.contains("--home"), "{plain}");
        let told = door.repeating(typed).render(&advice);
        assert!(told.contains("brainstem --home '/my home' mail init --private-mail"), "{told}");
        assert!(told.contains("`brainstem --home '/my home' up --detach`"), "{told}");
    }
}
