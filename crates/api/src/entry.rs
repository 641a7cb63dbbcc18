//! A verb without its type: what a door needs to offer it, call it and show its answer.

use crate::arguments::fit;
use crate::gate::{Carried, Gated};
use crate::schema::{self, Object};
use crate::verb::Carries;
use crate::visible::visible;
use crate::wire::Exit;
use crate::{Context, Screen, Verb, VerbSpec, forms, whole};
use brainstem_base::next::VerbId;
use brainstem_base::{Fault, codes};
use brainstem_memory::without_secrets;
use serde_json::Value;
use std::sync::LazyLock;

/// One verb of the table.
pub struct Entry {
    spec: &'static VerbSpec,
    fields: fn(clap::Command) -> clap::Command,
    // Schemas are built when first asked for: one command line needs one of them.
    input: LazyLock<Object>,
    output: LazyLock<Object>,
    run: Run,
    has_page: bool,
}

type Run = fn(Object, &Context) -> Result<Box<dyn Answer>, Fault>;

/// An answer without its type.
pub trait Answer: Send {
    /// The document on the wire.
    fn json(&self) -> Result<Value, Fault>;

    /// The document as text, written without a copy in between; refused as soon as it is longer than `len_max`.
    fn text(&self, len_max: usize) -> Result<String, Fault>;

    /// The text for a person.
    fn present(&self, out: &mut Screen);

    /// The page that a model reads, for an answer that has one in the form that was asked for.
    fn page(&self) -> Option<String>;

    /// Notes what holds once the caller has the answer, for the door to call then.
    fn after_shown(&self, cx: &Context) -> Result<(), Fault>;

    /// How the command line ends after it.
    fn exit(&self) -> Exit;

    /// The JSON lines that the command line prints instead of either, for an answer that has them.
    fn lines(&self) -> Option<Vec<Value>>;
}

/// Erases a verb's type.
pub fn entry<V: Verb>() -> Entry {
    Entry {
        spec: &V::SPEC,
        fields: |command| V::augment_args(command),
        has_page: V::HAS_PAGE,
        input: LazyLock::new(schema::raw_input::<V>),
        output: LazyLock::new(schema::raw_output::<V::Output>),
        run: |arguments, cx| {
            let verb = || -> Result<V, Fault> {
                serde_json::from_value(Value::Object(arguments.clone()))
                    .map_err(|error| forms::refused(&error))
            };
            let answer = whole::run(verb, cx)?;
            Ok(match V::CARRIES {
                Carries::Words => {
                    Box::new(Gated { answer, floor: cx.memory.floor(), after_shown: V::after_shown })
                }
                Carries::Bytes => Box::new(Carried { answer, after_shown: V::after_shown }),
            })
        },
    }
}

impl Entry {
    /// How the doors name and describe it.
    pub fn spec(&self) -> &'static VerbSpec {
        self.spec
    }

    /// The schema of its fields, without what doors add.
    pub fn input_schema(&self) -> Object {
        schema::publish_input(&self.input)
    }

    /// The schema of its fields in a list of tools: without what a model rarely needs. Every call takes those too.
    pub fn tool_schema(&self) -> Object {
        schema::publish_tool(&self.input)
    }

    /// The schema of its answer.
    pub fn output_schema(&self) -> Object {
        schema::publish_output(&self.output)
    }

    /// Whether MCP gives its answer as a page.
    pub fn has_page(&self) -> bool {
        self.has_page
    }

    /// Adds its fields to a command, as clap derived them.
    pub(crate) fn add_fields(&self, command: clap::Command) -> clap::Command {
        (self.fields)(command)
    }

    /// Runs it with a JSON object, after the checks that are the same on every door.
    pub fn call(&self, arguments: Object, cx: &Context) -> Result<Box<dyn Answer>, Fault> {
        // The documents of a batch are looked at one by one where they are read.
        let given: Vec<(String, String)> = texts(arguments.iter().filter(|(field, _)| *field != "batch"));
        // A door may make one call after another with the same context, as a poll that waits for news does.
        cx.look_again();
        let done = self.fitted(arguments).and_then(|arguments| (self.run)(arguments, cx));
        done.map(|answer| visible(answer, cx.door)).map_err(|fault| {
            let floor = cx.memory.floor();
            let given = given.iter().map(|(field, text)| (&**field, &**text));
            self.about(floor.masked(&floor.unrepeated(fault, given)))
        })
    }

    /// The arguments as its fields take them, or what is wrong with which.
    pub fn fitted(&self, arguments: Object) -> Result<Object, Fault> {
        fit(arguments, &self.input)
    }

    /// A refusal of a call of this verb, whose fix names its fields as the command line has them.
    fn about(&self, fault: Fault) -> Fault {
        // What is said of the objects of a batch names their fields, on every door.
        let is_object = fault.field.as_deref().is_some_and(|field| field.starts_with("batch"));
        let fix = fault.fix.map(|fix| if is_object { fix.about_object() } else { fix.about(self.spec.verb) });
        Fault { fix, ..fault }
    }

    /// Counts a call that was answered, for the brain it was bound to. For a door to do after it has answered:
    /// nobody waits for a count, and the brain may be one that the call made.
    pub fn count(&self, cx: &Context) {
        // This program starts it by itself in idle moments: it is nobody's call.
        if self.spec.verb != VerbId::Index {
            cx.memory.count_call(&cx.place(), cx.session.as_deref());
        }
    }
}

/// Every text of some fields, and the names of the fields, each with the field it belongs to.
pub(crate) fn texts<'a>(fields: impl Iterator<Item = (&'a String, &'a Value)>) -> Vec<(String, String)> {
    fn collect(field: &str, value: &Value, found: &mut Vec<(String, String)>) {
        match value {
            Value::String(text) => found.push((field.to_owned(), text.clone())),
            Value::Array(items) => items.iter().for_each(|item| collect(field, item, found)),
            Value::Object(inner) => inner.iter().for_each(|(name, value)| {
                found.push((field.to_owned(), name.clone()));
                collect(field, value, found);
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut found = Vec::new();
    for (field, value) in fields {
        found.push(("arguments".to_owned(), field.clone()));
        // A name that is a secret itself is not told either.
        let field = without_secrets(field);
        collect(&field, value, &mut found);
    }
    found
}

pub(crate) fn no_json(error: &serde_json::Error) -> Fault {
    Fault::new(codes::INTERNAL_BUG, format!("the answer is not JSON: {error}"))
}
