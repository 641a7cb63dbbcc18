//! What a process may do is limited by its system.

use crate::program::{Ran, finish};
use brainstem_testkit::TestHome;
use std::path::Path;

#[test] // spec: IF-4, MEM-31
fn a_limit_on_the_size_of_files_is_an_error_of_a_write_and_ends_nothing() {
    let home = TestHome::new();
    let run = |limit: &str, words: &str| -> Ran {
        let line = format!("ulimit -f {limit} && exec '{}' {words} --json", env!("CARGO_BIN_EXE_brainstem"));
        let mut shell = home.command(Path::new("/bin/sh"));
        finish(shell.args(["-c", &line]).current_dir(home.cherry()).env("USER", "ana"), b"")
    };
    for words in ["bootstrap", "memorize Port --text 'The port is 8080.'"] {
        assert_eq!(run("unlimited", words).status, Some(0));
    }
    for (words, status) in [("north port", 0), ("seek port", 0), ("index", 0), ("memorize A --text b", 1)] {
        let ran = run("0", words);
        assert_eq!(ran.status, Some(status), "{words}: {ran:?}");
    }
    assert_eq!(run("0", "memorize A --text b").code(), "store.no_space");
    assert_eq!(run("unlimited", "list").json()["memory_exists"], 1);
}
