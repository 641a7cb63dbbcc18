//! Reception on the wire and on a terminal, the same for every verb that carries it.

use crate::screen::{dim, name};
use crate::{Door, Screen};
use schemars::JsonSchema;
use serde::Serialize;

/// Where you are, when that is not plainly where you mean to be.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Reception {
    /// Where you are, and what that means.
    pub where_you_are: String,
    /// The brains that exist, the nearest first, and the medulla.
    pub what_exists: Vec<String>,
    /// What you can do.
    pub options: Vec<Choice>,
    /// The call that is most likely meant.
    pub suggested: String,
}

/// Something you can do.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Choice {
    /// The call.
    pub call: String,
    /// What it does.
    pub consequence: String,
}

impl Reception {
    /// A reception in the words of a door.
    pub(crate) fn for_door(reception: brainstem_memory::Reception, door: Door) -> Self {
        let choice = |choice: brainstem_memory::Choice| Choice {
            call: door.render(&choice.call),
            consequence: choice.consequence,
        };
        Self {
            where_you_are: reception.where_you_are,
            what_exists: door.render_all(&reception.what_exists),
            options: reception.options.into_iter().map(choice).collect(),
            suggested: door.render(&reception.suggested),
        }
    }

    /// Writes it.
    pub(crate) fn present(&self, out: &mut Screen) {
        out.heading("Where you are");
        out.flow(2, 4, [self.where_you_are.as_str()]);
        for line in &self.what_exists {
            let is_many = line.starts_with("brains ")
                || line.starts_with(|c: char| c.is_ascii_digit()) && !line.starts_with("1 ");
            let there = if is_many { "there are" } else { "there is" };
            out.flow(2, 4, [dim(format!("{there} {line}"))]);
        }
        for choice in &self.options {
            out.flow(2, 4, [name(choice.call.as_str()), dim(format!("  {}", choice.consequence))]);
        }
    }
}
