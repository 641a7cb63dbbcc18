//! The two outputs: data goes to standard output, everything else to standard error (IF-4).

use brainstem_api::Door;
use brainstem_api::cli::Colour;
use brainstem_api::refusal::error_document;
use brainstem_api::wire::{Exit, escaped};
use brainstem_api::{Present, Screen};
use brainstem_base::next::TypedOption;
use brainstem_base::{Fault, codes};
use brainstem_memory::masked;
use serde_json::Value;
use std::io::{self, IsTerminal, Write};

/// The output settings of this run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    /// One JSON document instead of text.
    pub(crate) json: bool,
    /// When to write colours.
    pub(crate) colour: Colour,
    /// The global options of the command line, as typed.
    pub(crate) typed: &'static [TypedOption],
}

/// How much of an answer was printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Printed {
    /// All of it.
    Whole,
    /// The reader closed the pipe before the end.
    CutOff,
    /// It could not be written.
    Failed,
}

impl Output {
    /// A page for an answer on standard output.
    pub(crate) fn page(self) -> Screen {
        let stdout = io::stdout();
        Screen::new(width(&stdout), self.coloured(&stdout)).typed(self.typed)
    }

    /// Prints a text, and returns success unless it cannot be printed.
    pub(crate) fn text(self, text: &str) -> Exit {
        match self.print(text) {
            Printed::Whole | Printed::CutOff => Exit::Done,
            Printed::Failed => Exit::Refused,
        }
    }

    /// Prints a text. Reports the reason if it cannot be printed.
    pub(crate) fn print(self, text: &str) -> Printed {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Ok(()) => Printed::Whole,
            // The reader has seen enough: `brainstem list | head`.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Printed::CutOff,
            Err(error) => {
                // The verb has run; only its answer is lost.
                let told = "make room or write elsewhere, then look at what was done before you repeat it";
                let message = format!("cannot write to standard output: {error}");
                self.complain(&Fault::new(codes::OUTPUT_UNWRITABLE, message).fix(told));
                Printed::Failed
            }
        }
    }

    /// Prints a part of an endless output, and returns whether the reader still reads.
    pub(crate) fn goes_on(self, text: &str) -> bool {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_ok()
    }

    /// Prints one JSON document, with control characters made visible.
    pub(crate) fn document(self, document: &Value) -> Exit {
        self.text(&escaped(&format!("{document}\n")))
    }

    /// As [`document`](Self::document). Returns how much of it was printed.
    pub(crate) fn print_document(self, document: &Value) -> Printed {
        self.print(&escaped(&format!("{document}\n")))
    }

    /// Prints a refusal, and returns `exit`.
    pub(crate) fn refuse(self, fault: &Fault, exit: Exit) -> Exit {
        if self.json {
            self.document(&error_document(fault, self.door(fault)));
        } else {
            self.complain(fault);
        }
        exit
    }

    /// Prints a refusal on standard error, whatever format was asked for.
    pub(crate) fn complain(self, fault: &Fault) {
        let mut stderr = io::stderr();
        let mut page = Screen::new(width(&stderr), self.coloured(&stderr));
        let fix = fault.fix.as_ref().map(|fix| self.door(fault).render(fix).into());
        masked(&Fault { fix, ..fault.clone() }).present(&mut page);
        let _ = stderr.write_all(page.as_str().as_bytes());
    }

    /// The door of a refusal. Advised commands do not repeat an option that was refused.
    fn door(self, fault: &Fault) -> Door {
        let refused = fault.field.as_deref();
        let is_refused = self.typed.iter().any(|typed| {
            let name = typed.option.trim_start_matches('-');
            refused == Some(name) || (refused == Some("agent_id") && name == "as")
        });
        Door::command_line(if is_refused { &[] } else { self.typed })
    }

    /// Whether colours go to this stream.
    pub(crate) fn coloured(self, stream: &impl anstream::stream::RawStream) -> bool {
        match self.colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never,
        }
    }
}

fn width(stream: &(impl IsTerminal + std::os::fd::AsFd)) -> Option<usize> {
    let terminal = stream.is_terminal().then(|| terminal_size::terminal_size_of(stream));
    terminal.map(|size| size.map_or(80, |(width, _)| usize::from(width.0)))
}
