//! `cargo xtask spec`: which demands of the specification a test names, and which none does.

use crate::arguments::Arguments;
use crate::repository::{File, Repository};
use crate::tidy::{Definition, definitions, mentions};
use anyhow::Result;
use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};

pub(crate) const HELP: &str = "\
usage: cargo xtask spec [--missing]

Lists the ids of docs/spec, each with the tests that name it by a `// spec: ID` comment, and counts
them per document. It reports; it fails nothing.

  --missing   list only the ids that no test names
";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Show {
    All,
    Missing,
}

pub(crate) fn run(repository: &Repository, mut arguments: Arguments) -> Result<()> {
    let show = if arguments.switch("--missing") { Show::Missing } else { Show::All };
    arguments.finish()?;
    match std::io::stdout().write_all(report(&repository.files()?, show).as_bytes()) {
        // `cargo xtask spec | head` has read enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => Ok(done?),
    }
}

fn report(files: &[File], show: Show) -> String {
    let tests = tests_by_id(files);
    let mut documents: Vec<(String, Vec<Definition>)> = Vec::new();
    for definition in definitions(files) {
        match documents.last_mut() {
            Some((name, list)) if *name == definition.document => list.push(definition),
            _ => documents.push((definition.document.clone(), vec![definition])),
        }
    }
    let mut text = String::new();
    let (mut named_sum, mut sum) = (0, 0);
    for (name, list) in documents {
        let named = list.iter().filter(|definition| tests.contains_key(&definition.id)).count();
        named_sum += named;
        sum += list.len();
        text.push_str(&format!("{name}: {named} of {} named by a test\n", list.len()));
        for definition in list {
            match tests.get(&definition.id) {
                Some(_) if show == Show::Missing => {}
                Some(tests) => {
                    text.push_str(&format!("  {:<8} {}\n", definition.id, tests[0]));
                    tests[1..].iter().for_each(|test| text.push_str(&format!("  {:<8} {test}\n", "")));
                }
                None => text.push_str(&format!("  {:<8} - {}\n", definition.id, excerpt(&definition.text))),
            }
        }
    }
    text.push_str(&format!("all: {named_sum} of {sum} named by a test\n"));
    text
}

fn tests_by_id(files: &[File]) -> BTreeMap<String, Vec<String>> {
    let mut tests: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for mention in mentions(files) {
        let test = match &mention.test {
            Some(name) => format!("{name} ({})", mention.place),
            None => mention.place.clone(),
        };
        for id in mention.ids.unwrap_or_default() {
            tests.entry(id).or_default().push(test.clone());
        }
    }
    tests
}

fn excerpt(text: &str) -> String {
    const CHAR_COUNT_MAX: usize = 80;
    match text.char_indices().nth(CHAR_COUNT_MAX) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> [File; 3] {
        [
            File::sample(
                "crates/x/src/a.rs",
                "#[test] // spec: MEM-1\nfn one() {}\n// spec: MEM-1, IF-1\nfn two() {}\n",
            ),
            File::sample("docs/spec/interfaces.md", "- IF-1 Alone.\n"),
            File::sample("docs/spec/memory.md", "- MEM-1 Home.\n- MEM-2 Init.\n"),
        ]
    }

    #[test]
    fn each_id_is_listed_with_its_tests() {
        assert_eq!(
            report(&files(), Show::All),
            "interfaces.md: 1 of 1 named by a test\n\
             \x20 IF-1     two (crates/x/src/a.rs:3)\n\
             memory.md: 1 of 2 named by a test\n\
             \x20 MEM-1    one (crates/x/src/a.rs:1)\n\
             \x20          two (crates/x/src/a.rs:3)\n\
             \x20 MEM-2    - Init.\n\
             all: 2 of 3 named by a test\n"
        );
    }

    #[test]
    fn the_missing_ones_can_be_listed_alone() {
        assert_eq!(
            report(&files(), Show::Missing),
            "interfaces.md: 1 of 1 named by a test\n\
             memory.md: 1 of 2 named by a test\n\
             \x20 MEM-2    - Init.\n\
             all: 2 of 3 named by a test\n"
        );
    }
}
