//! One name for one type: a reader that searches for it finds one definition.

use super::finding::Finding;
use crate::repository::File;
use std::collections::BTreeMap;

/// Names that every module of their kind has by convention.
const CONVENTIONAL: &[&str] = &["Output", "Error"];

/// The files of verbs. The form in which a door shows a value may have the name of the value.
const FORMS: &str = "crates/api/src/verbs";

/// Finds types of the product's crates that have a name in common.
pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let mut defined: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let is_product = |file: &&File| {
        file.is_rust()
            && file.path.starts_with("crates/")
            && file.path.contains("/src/")
            && !file.path.starts_with(FORMS)
            && !file.path.ends_with("tests.rs")
    };
    for file in files.iter().filter(is_product) {
        let lines = file.lines().take_while(|(_, line)| !line.starts_with("#[cfg(test)]"));
        for (at, line) in lines {
            if let Some(name) = type_in(line).filter(|name| !CONVENTIONAL.contains(name)) {
                defined.entry(name).or_default().push(format!("{}:{at}", file.path));
            }
        }
    }
    let shared = defined.into_iter().filter(|(_, places)| places.len() > 1);
    let fix = "give each a name that says what it is (CONTRIBUTING.md, How we write)";
    shared
        .map(|(name, places)| {
            let what = format!("`{name}` is also defined at {}", places[1..].join(", "));
            Finding::error("names", places[0].clone(), what, fix)
        })
        .collect()
}

/// The type that a line of a module defines.
fn type_in(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub"));
    let is_type = matches!(words.next()?, "struct" | "enum" | "trait");
    let name = words.next()?.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (is_type && !line.starts_with(' ')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::testing::said;
    use super::*;

    #[test]
    fn a_second_type_of_a_name_is_found_and_conventions_are_left_alone() {
        let files = [
            File::sample("crates/a/src/x.rs", "pub struct Place<T> {\n}\nenum Output {}\n"),
            File::sample(
                "crates/b/src/y.rs",
                "\npub(crate) enum Place {}\nstruct Output;\n    struct Inner;\n",
            ),
            File::sample("crates/b/src/z.rs", "struct Inner;\n#[cfg(test)]\nstruct Place;\n"),
            File::sample("crates/api/src/verbs/w.rs", "struct Place;\n"),
            File::sample("crates/b/tests/t.rs", "struct Place;\n"),
        ];
        assert_eq!(
            said(&check(&files)),
            ["crates/a/src/x.rs:1: `Place` is also defined at crates/b/src/y.rs:2"]
        );
    }
}
