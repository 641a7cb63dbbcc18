//! `live watch`: what comes is shown when it comes, until the person ends it or the daemon does.

use crate::output::Output;
use crate::run;
use brainstem_api::wire::Exit;
use brainstem_api::{Context, Entry, Object};
use brainstem_base::Fault;
use serde_json::Value;

/// Asks again and again. What was shown is acknowledged by asking for what comes after it.
pub(crate) fn run(
    output: Output,
    entry: &'static Entry,
    mut arguments: Object,
    cx: &Context,
) -> Result<Exit, Fault> {
    loop {
        let answer = run::answer(entry, arguments.clone(), cx)?;
        let document = answer.json()?;
        let text = if output.json {
            let messages = document["messages"].as_array().into_iter().flatten();
            messages.map(|message| format!("{message}\n")).collect()
        } else {
            let mut page = output.page();
            answer.present(&mut page);
            page.as_str().to_owned()
        };
        if !text.is_empty() && !output.goes_on(&text) {
            return Ok(Exit::Done);
        }
        arguments.insert("cursor".to_owned(), Value::clone(&document["cursor"]));
    }
}
