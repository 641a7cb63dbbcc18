//! `cargo xtask tidy`: the rules of the repository that no compiler checks.
//!
//! Each rule is a function from the files (and what cargo says) to findings, in a file of its own.

mod cycles;
mod error_codes;
mod finding;
mod generated;
mod layers;
mod leftovers;
mod length;
mod links;
mod names;
mod spec_ids;
mod words;

pub(crate) use spec_ids::{Definition, definitions, mentions};

use crate::arguments::Arguments;
use crate::reference;
use crate::repository::Repository;
use anyhow::{Result, bail};
use finding::Weight;

pub(crate) const HELP: &str = "\
usage: cargo xtask tidy

Checks what no compiler does:

  layers      every crate says its layer, and depends on earlier ones only
  cycles      no modules of a crate need each other in a circle
  spec        `// spec:` comments name ids that exist; every id is defined once
  errors      error pages and references name registered codes
  generated   the reference pages are what `cargo xtask docs` writes
  leftovers   unfinished code, paths of one machine, stray or huge files
  links       links between Markdown files lead somewhere
  names       no two types of the product's crates have one name
  words       comments of the clean crates name the actor, and use no word for two things
  length      a note about files over 700 lines, which fails nothing
";

pub(crate) fn run(repository: &Repository, arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    check(repository)
}

/// Applies every rule and prints what they find; an error if any of it must be mended.
pub(crate) fn check(repository: &Repository) -> Result<()> {
    let files = repository.files()?;
    let mut findings = layers::check(&repository.metadata()?);
    findings.extend(cycles::check(&files));
    findings.extend(spec_ids::check(&files));
    findings.extend(error_codes::check(&files));
    findings.extend(generated::check(&files, &reference::pages(&files)));
    findings.extend(leftovers::check(&files));
    findings.extend(links::check(&files));
    findings.extend(names::check(&files));
    findings.extend(words::check(&files));
    findings.extend(length::check(&files));
    for finding in &findings {
        println!("{finding}");
    }
    let error_count = findings.iter().filter(|finding| finding.weight == Weight::Error).count();
    println!("tidy: {} files, {error_count} errors, {} notes", files.len(), findings.len() - error_count);
    match error_count {
        0 => Ok(()),
        1 => bail!("tidy found 1 thing to mend"),
        _ => bail!("tidy found {error_count} things to mend"),
    }
}

#[cfg(test)]
mod testing {
    use super::finding::Finding;

    /// Findings as `place: what`, to compare whole lists.
    pub(super) fn said(findings: &[Finding]) -> Vec<String> {
        findings.iter().map(|finding| format!("{}: {}", finding.place, finding.what)).collect()
    }
}
