//! A verb without its type: what a door needs to offer it, call it and show its answer.

use crate::arguments::fit;
use crate::schema::{self, Object};
use crate::wire::Exit;
use crate::{Context, Present, Screen, Verb, VerbSpec};
use brainstem_base::{Fault, codes};
use serde::Serialize;
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
}

type Run = fn(Object, &Context) -> Result<Box<dyn Answer>, Fault>;

/// An answer without its type.
pub trait Answer: Send {
    /// The document on the wire.
    fn json(&self) -> Result<Value, Fault>;

    /// The text for a person.
    fn present(&self, out: &mut Screen);

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
        input: LazyLock::new(schema::raw_input::<V>),
        output: LazyLock::new(schema::raw_output::<V::Output>),
        run: |arguments, cx| {
            let verb: V = serde_json::from_value(Value::Object(arguments))
                .map_err(|error| Fault::new(codes::INPUT_BAD_VALUE, error.to_string()))?;
            Ok(Box::new(verb.run(cx)?))
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

    /// The schema of its answer.
    pub fn output_schema(&self) -> Object {
        schema::publish_output(&self.output)
    }

    /// Adds its fields to a command, as clap derived them.
    pub(crate) fn add_fields(&self, command: clap::Command) -> clap::Command {
        (self.fields)(command)
    }

    /// Runs it with a JSON object, after the checks that are the same on every door.
    pub fn call(&self, arguments: Object, cx: &Context) -> Result<Box<dyn Answer>, Fault> {
        (self.run)(fit(arguments, &self.input)?, cx)
    }
}

impl<T: Serialize + Present + Send> Answer for T {
    fn json(&self) -> Result<Value, Fault> {
        serde_json::to_value(self)
            .map_err(|error| Fault::new(codes::INTERNAL_BUG, format!("the answer is not JSON: {error}")))
    }

    fn present(&self, out: &mut Screen) {
        Present::present(self, out);
    }

    fn exit(&self) -> Exit {
        Present::exit(self)
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Present::lines(self)
    }
}
