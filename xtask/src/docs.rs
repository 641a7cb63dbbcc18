//! `cargo xtask docs`: writes the reference pages that are generated from the code.

use crate::arguments::Arguments;
use crate::reference;
use crate::repository::Repository;
use anyhow::{Context, Result};

pub(crate) const HELP: &str = "\
usage: cargo xtask docs

Writes the generated reference pages. They are committed, so that a diff shows what changed in
public; `cargo xtask tidy` fails when one is out of date.
";

pub(crate) fn run(repository: &Repository, arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    for (path, content) in reference::pages(&repository.files()?) {
        let full = repository.root().join(&path);
        if std::fs::read_to_string(&full).is_ok_and(|current| current == content) {
            println!("same     {path}");
            continue;
        }
        if let Some(folder) = full.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make a folder for `{path}`"))?;
        }
        std::fs::write(&full, content).with_context(|| format!("cannot write `{path}`"))?;
        println!("written  {path}");
    }
    Ok(())
}
