//! What every command needs to call a verb: its context, the check of named places, and the call itself.

use crate::{editor, progress, surroundings, wiring};
use brainstem_api::cli::Globals;
use brainstem_api::live::Live;
use brainstem_api::{Answer, Context, Door, Effect, Entry, Form, FoundPlace, Object, Offers};
use brainstem_base::{Fault, codes};
use brainstem_memory::{HomeState, Memory, RootHints};
use brainstem_server::DaemonClient;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The context of a call from this command line.
pub(crate) fn context(globals: &Globals) -> Result<Context, Fault> {
    let memory = wiring::memory(surroundings::home(globals)?, surroundings::user_home());
    Ok(Context {
        memory: memory.clone(),
        declared: surroundings::declared(globals),
        roots: surroundings::roots(globals),
        program: surroundings::program(),
        door: Door::command_line(&[]),
        session: None,
        offers: Offers {
            editor: Some(Arc::new(editor::UserEditor::new(globals.json))),
            progress: progress::on_terminal(),
            live: Some(Live::There(Arc::new(DaemonClient::new(memory.clone())))),
            form: if globals.json { Form::Json } else { Form::Text },
            ..Offers::default()
        },
        found: FoundPlace::default(),
    })
}

/// Refuses a named home or root that does not exist: an empty answer would read as "there is nothing". A call that writes may
/// make a home.
pub(crate) fn check_places(
    globals: &Globals,
    effect: Effect,
    memory: &Memory,
    roots: &RootHints,
) -> Result<(), Fault> {
    check_home(globals, effect, memory)?;
    memory.check_named(roots).map_err(|error| {
        let fault = Fault::from(error);
        match globals.root {
            Some(_) => fault,
            None => fault.fix("set BRAINSTEM_WORKSPACE_ROOT to a folder that exists, or unset it"),
        }
    })
}

/// Refuses a named home that is not a folder or, for a call that only reads, does not exist.
pub(crate) fn check_home(globals: &Globals, effect: Effect, memory: &Memory) -> Result<(), Fault> {
    let Some(named_by) = surroundings::home_named_by(globals) else { return Ok(()) };
    let (what, fix) = match (memory.home_state(), effect) {
        (HomeState::Folder, _) | (HomeState::Missing, Effect::Write | Effect::Destructive) => return Ok(()),
        (HomeState::Missing, Effect::Read) => (
            "does not exist yet",
            "give a home that exists; brainstem bootstrap in a project makes a new one",
        ),
        (HomeState::NotAFolder, _) => {
            ("is not a folder", "give the folder of a home with --home or BRAINSTEM_HOME")
        }
    };
    let home = surroundings::home(globals)?;
    let message = format!("the home `{}`, which {named_by} gives, {what}", home.display());
    Err(Fault::new(codes::HOME_UNUSABLE, message).fix(fix).field("home").rule("IF-3"))
}

/// Runs a verb to its end.
pub(crate) fn answer(
    entry: &'static Entry,
    arguments: Object,
    cx: &Context,
) -> Result<Box<dyn Answer>, Fault> {
    guarded(entry, || entry.call(arguments, cx))
}

/// Runs a part of a verb. A panic inside becomes a refusal.
pub(crate) fn guarded<T>(entry: &'static Entry, act: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|_| {
        Err(Fault::new(
            codes::INTERNAL_BUG,
            format!("the command `{}` failed a check inside", entry.spec().id()),
        )
        .fix("try again; if it repeats, report the lines above"))
    })
}
