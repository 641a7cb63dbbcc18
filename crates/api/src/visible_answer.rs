//! An answer in which nothing is hidden: each character that a reader does not see is written out.

use crate::answer::{Answer, no_json};
use crate::screen::Screen;
use crate::wire::{Exit, escaped, spelled_out};
use crate::{Context, Door, DoorKind};
use brainstem_base::Fault;
use brainstem_claims::invisible_chars::is_invisible;
use serde_json::Value;

/// An answer for a door, with each character written out that a reader does not see. The command line writes them out
/// when it prints.
pub(crate) fn visible(answer: Box<dyn Answer>, door: Door) -> Box<dyn Answer> {
    match door.way() {
        DoorKind::CommandLine(_) => answer,
        DoorKind::Mcp(_) | DoorKind::Rest => Box::new(Visible { answer, door }),
    }
}

struct Visible {
    answer: Box<dyn Answer>,
    door: Door,
}

impl Answer for Visible {
    fn json(&self) -> Result<Value, Fault> {
        serde_json::from_str(&self.text(usize::MAX)?).map_err(|error| no_json(&error))
    }

    fn text(&self, len_max: usize) -> Result<String, Fault> {
        let text = self.answer.text(len_max)?;
        if !text.contains(is_invisible) {
            return Ok(text);
        }
        // A client of MCP hands its model the strings, in whatever text it writes them; lines that are handed on as
        // data stay what they are.
        Ok(match self.door.way() {
            DoorKind::Mcp(_) if self.answer.lines().is_none() => spelled_out(&text),
            DoorKind::Mcp(_) | DoorKind::Rest | DoorKind::CommandLine(_) => escaped(&text),
        })
    }

    fn present(&self, out: &mut Screen) {
        self.answer.present(out);
    }

    fn page(&self) -> Option<String> {
        self.answer.page()
    }

    fn after_shown(&self, cx: &Context) -> Result<(), Fault> {
        self.answer.after_shown(cx)
    }

    fn exit(&self) -> Exit {
        self.answer.exit()
    }

    fn lines(&self) -> Option<Vec<Value>> {
        self.answer.lines()
    }
}
