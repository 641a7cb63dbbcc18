use super::{Terminal, arguments, command};
use crate::{Context, Effect, Entry, LongText, Present, Screen, Verb, VerbSpec, entry};
use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_base::ids::SystemIds;
use brainstem_base::next::VerbId;
use brainstem_base::{ErrorCode, Fault, codes};
use brainstem_memory::{Declared, Memory, Parts, RootHints};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;

/// Writes something down.
#[derive(clap::Args, Deserialize, JsonSchema)]
struct Note {
    /// What it is called.
    label: String,
    /// The text.
    #[arg(long)]
    text: Option<String>,
    /// How sure.
    #[arg(long)]
    weight: Option<i64>,
    /// A file that shows it.
    #[arg(long, value_name = "PATH")]
    #[serde(default)]
    evidence: Vec<String>,
    /// Even so.
    #[arg(long)]
    #[serde(default)]
    force: bool,
}

#[derive(Serialize, JsonSchema)]
struct Noted {
    echo: String,
}

impl Present for Noted {
    fn present(&self, out: &mut Screen) {
        out.line([self.echo.as_str()]);
    }
}

impl Verb for Note {
    const SPEC: VerbSpec = VerbSpec {
        effect: Effect::Write,
        title: "Note",
        when_to_use: "To test.",
        long_text: &[LongText { field: "text", file: "text-file" }],
        examples: &["brainstem note a --text b"],
        ..VerbSpec::of(VerbId::Memorize)
    };
    type Output = Noted;

    fn run(self, _: &Context) -> Result<Noted, Fault> {
        let Self { label, text, weight, evidence, force } = self;
        Ok(Noted { echo: format!("{label} {text:?} {weight:?} {evidence:?} {force}") })
    }
}

fn given(note: &Entry, words: &[&str]) -> Result<Value, Fault> {
    let words = std::iter::once("note").chain(words.iter().copied());
    let matches = command(note)
        .try_get_matches_from(words)
        .map_err(|error| Fault::new(codes::INPUT_UNPARSABLE, error.to_string()))?;
    let mut stdin: &[u8] = b"piped\n";
    let open = |path: &std::path::Path| -> io::Result<Box<dyn io::Read>> {
        match path.to_str() {
            Some("good.md") => Ok(Box::new(&b"filed"[..])),
            Some("latin1.md") => Ok(Box::new(&b"\xE9"[..])),
            Some("endless") => Ok(Box::new(io::repeat(b'x'))),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    };
    arguments(note, &matches, &mut Terminal { stdin: &mut stdin, open: &open }).map(Value::Object)
}

fn check(words: &[&str], expected: Value) {
    assert_eq!(given(&entry::<Note>(), words).map_err(|fault| fault.message), Ok(expected), "{words:?}");
}

fn refuse(words: &[&str], code: ErrorCode) -> String {
    let fault = given(&entry::<Note>(), words).expect_err("a refusal");
    assert_eq!(fault.code, code, "{words:?}: {}", fault.message);
    fault.message
}

#[test]
fn words_become_the_fields_that_every_door_sends() {
    check(&["a"], json!({"label": "a"}));
    check(
        &["a", "--weight", "-5", "--evidence", "x", "--evidence", "y", "--force"],
        json!({"label": "a", "weight": "-5", "evidence": ["x", "y"], "force": true}),
    );
    check(&["a", "--weight", "heavy"], json!({"label": "a", "weight": "heavy"}));
}

#[test] // spec: IF-4
fn a_long_text_comes_from_an_argument_a_file_or_standard_input() {
    check(&["a", "--text", "- a list"], json!({"label": "a", "text": "- a list"}));
    check(&["a", "--text-file", "good.md"], json!({"label": "a", "text": "filed"}));
    for words in [["a", "-"].as_slice(), &["a", "--text", "-"], &["a", "--text-file", "-"]] {
        check(words, json!({"label": "a", "text": "piped\n"}));
    }
    check(&["a", "a quoted text"], json!({"label": "a", "text": "a quoted text"}));
}

#[test]
fn only_one_source_of_a_text_may_be_named() {
    refuse(&["a", "--text", "x", "--text-file", "good.md"], codes::INPUT_UNPARSABLE);
    refuse(&["a", "-", "--text", "x"], codes::INPUT_UNPARSABLE);
    refuse(&["a", "a quoted text", "--text", "x"], codes::INPUT_UNPARSABLE);
    let message = refuse(&["a", "word"], codes::INPUT_UNPARSABLE);
    assert!(message.contains("--text-file FILE"), "{message}");
}

#[test]
fn a_text_that_cannot_be_read_is_refused_with_its_field() {
    refuse(&["a", "--text-file", "gone.md"], codes::INPUT_UNREADABLE);
    refuse(&["a", "--text-file", "latin1.md"], codes::INPUT_NOT_UTF8);
    refuse(&["a", "--text-file", "endless"], codes::INPUT_TOO_LARGE);
}

#[test] // spec: IF-4
fn a_bad_value_is_refused_by_the_checks_of_every_door() {
    let note = entry::<Note>();
    let cx = Context {
        memory: Arc::new(Memory::new(Parts {
            disk: Arc::new(RealDisk),
            clock: Arc::new(SystemClock),
            ids: Arc::new(SystemIds),
            home: "no-such-home".into(),
            user_home: None,
            meanings: Arc::new(brainstem_memory::NoEmbedder),
        })),
        declared: Declared::default(),
        roots: RootHints::default(),
        program: None,
        door: crate::Door::command_line(&[]),
        session: None,
        offers: crate::Offers::default(),
        found: crate::FoundPlace::default(),
    };
    let call = |words: &[&str]| {
        let Value::Object(fields) = given(&note, words)? else { panic!("an object") };
        note.call(fields, &cx)?.json()
    };
    let fault = call(&["a", "--weight", "heavy"]).expect_err("no number");
    assert_eq!((fault.code, fault.field.as_deref()), (codes::INPUT_BAD_VALUE, Some("weight")));
    let echo = call(&["a", "--weight", "-5", "--evidence", "7", "-"]).expect("fine");
    assert_eq!(echo, json!({"echo": "a Some(\"piped\\n\") Some(-5) [\"7\"] false"}));
}

#[test] // spec: IF-3
fn the_words_of_a_question_need_no_quotes() {
    for (verb, field) in [("seek", "query"), ("north", "task")] {
        let entry = crate::verbs::find(verb).expect("it is in the table");
        assert!(given(entry, &["token", "--no-such-option"]).is_err(), "an option is no word");
        let words = given(entry, &["token", "lifetime of", "-3"]).map(|given| given[field].clone());
        assert_eq!(words, Ok(json!("token lifetime of -3")));
    }
}
