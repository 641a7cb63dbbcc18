//! The findings of `doctor`, by name.

use super::wording::{GENERATED, cell};
use brainstem_memory::Trouble;
use std::fmt::Write as _;

pub(super) fn render() -> String {
    let mut page = format!(
        "# Findings\n\n{GENERATED}\n\
         What `brainstem doctor` can find. The names stay. A problem makes the exit status 1.\n\n\
         | name | severity | meaning |\n| --- | --- | --- |\n"
    );
    for trouble in Trouble::ALL {
        let (name, severity) = (trouble.name(), trouble.severity().as_str());
        let _ = writeln!(page, "| `{name}` | {severity} | {} |", cell(trouble.meaning()));
    }
    page
}
