//! `tour`: a guided run of real commands in a temporary home.
//!
//! The steps are a table. Each step is a command line that goes through the same table of verbs as every other,
//! and prints its real answer. Only the tour makes a folder outside a home or a repository, and it removes that
//! folder again.

mod stage;
mod steps;

use crate::call::answer;
use crate::output::Output;
use crate::wiring;
use brainstem_api::cli::{self, RequestedCommand};
use brainstem_api::refusal::error_document;
use brainstem_api::screen::{Look, bold, dim, name, styled};
use brainstem_api::terminal::{self, Terminal};
use brainstem_api::wire::Exit;
use brainstem_api::{Answer, Context, Door, Form, FoundPlace, Offers, Present};
use brainstem_base::{Fault, codes};
use brainstem_memory::{Declared, RootHints};
use serde_json::{Value, json};
use stage::Stage;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use steps::{Ends, STEPS, TourStep};

/// Runs every step, and waits between them if a person reads.
pub(crate) fn run(output: Output, fast: bool) -> Result<Exit, Fault> {
    let stage = Stage::set()?;
    let waits = !fast && !output.json && io::stdin().is_terminal() && io::stdout().is_terminal();
    let mut told = Vec::new();
    let mut all_as_said = true;
    for (n, step) in STEPS.iter().enumerate() {
        let done =
            stage.while_it_stands(|top| call(top, step)).map_or_else(StepEnd::Refused, StepEnd::Answered);
        all_as_said &= done.is_as_said(step);
        if output.json {
            told.push(done.json(step)?);
            continue;
        }
        output.text(&done.pages(step, output));
        if waits && n + 1 < STEPS.len() && !goes_on(n + 1) {
            return Ok(Exit::Done);
        }
    }
    if output.json {
        output.document(&json!({ "steps": told, "as_said": all_as_said }));
    } else {
        let mut page = output.page();
        page.line([""]);
        page.wrap(0, "That was all of it. The folder of this tour is removed now.");
        page.line([dim("next: "), name("brainstem bootstrap"), dim("  in a project of your own")]);
        output.text(page.as_str());
    }
    Ok(if all_as_said { Exit::Done } else { Exit::Refused })
}

/// Waits for Enter; a `q` or the end of the input ends the tour.
fn goes_on(step: usize) -> bool {
    let mut stdout = io::stdout().lock();
    let _ = write!(stdout, "\n   Step {step} of {}. Enter goes on, q ends. ", STEPS.len())
        .and_then(|()| stdout.flush());
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line).unwrap_or(0);
    read > 0 && !line.trim().eq_ignore_ascii_case("q")
}

/// Runs the command line of a step, as a person without settings would in its repository.
fn call(top: &Path, step: &TourStep) -> Result<Box<dyn Answer>, Fault> {
    let unknown = |message: String| Fault::new(codes::INPUT_UNPARSABLE, message);
    let matches = cli::command()
        .try_get_matches_from(words(step.command))
        .map_err(|error| unknown(error.render().to_string()))?;
    let globals = cli::globals(&matches);
    let RequestedCommand::Verb(entry, fields) = cli::requested(&matches)? else {
        return Err(unknown(format!("`{}` is no verb", step.command)));
    };
    let no_file = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    let fields =
        terminal::arguments(entry, fields, &mut Terminal { stdin: &mut io::empty(), open: &no_file })?;
    let cwd = Some(top.join(step.repository));
    answer(
        entry,
        fields,
        &Context {
            memory: wiring::memory(top.join("home"), Some(top.to_owned())),
            declared: Declared { flag: globals.agent, login: Some("you".into()), ..Declared::default() },
            roots: RootHints { explicit: globals.root, env: None, cwd },
            program: None,
            offers: Offers { form: Form::Text, ..Offers::default() },
            door: Door::command_line(&[]),
            session: None,
            found: FoundPlace::default(),
        },
    )
}

/// How a step ended.
enum StepEnd {
    Answered(Box<dyn Answer>),
    Refused(Fault),
}

impl StepEnd {
    fn is_as_said(&self, step: &TourStep) -> bool {
        match (self, step.ends) {
            (Self::Answered(answer), Ends::Well) => answer.exit() == Exit::Done,
            (Self::Refused(fault), Ends::Refused(code)) => fault.code.name() == code,
            (Self::Answered(_), Ends::Refused(_)) | (Self::Refused(_), Ends::Well) => false,
        }
    }

    fn pages(&self, step: &TourStep, output: Output) -> String {
        let mut head = output.page();
        head.line([""]);
        head.flow(0, 0, [bold(step.say)]);
        head.line([dim(format!("{}$ ", step.repository)), name(step.command)]);
        // A page of its own, so that an answer looks as it does alone.
        let mut page = output.page();
        match self {
            Self::Answered(answer) => answer.present(&mut page),
            Self::Refused(fault) => Present::present(fault, &mut page),
        }
        if !self.is_as_said(step) {
            page.line([styled(Look::Bad, "This is not what the tour expected; please report it.")]);
        }
        head.into_string() + page.as_str()
    }

    fn json(&self, step: &TourStep) -> Result<Value, Fault> {
        let (answer, exit) = match self {
            Self::Answered(answer) => (answer.json()?, answer.exit()),
            Self::Refused(fault) => (error_document(fault, Door::command_line(&[])), Exit::Refused),
        };
        Ok(json!({
            "say": step.say,
            "repository": step.repository,
            "command": step.command,
            "exit": exit.status(),
            "as_said": self.is_as_said(step),
            "answer": answer,
        }))
    }
}

/// Splits at blanks outside double quotes; enough for the tour's own lines.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            c => words.last_mut().expect("never empty").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
