//! A verb without its type: what a door needs to offer it, call it and show its answer.

use crate::answer::Answer;
use crate::arguments::fit;
use crate::feed::{Begin, Cursor, Feed, FeedPage};
use crate::field_kinds;
use crate::gate::{AfterShown, AnswerWithBytes, Gated};
use crate::given_texts::{BATCH, GivenTexts};
use crate::job::Job;
use crate::schema::{self, Object};
use crate::spec::{Carries, Effect, Kind, Method};
use crate::verb::run_with_gaps;
use crate::visible_answer::visible;
use crate::{Context, Present, Verb, VerbSpec, answer_gaps, field_forms};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::LazyLock;
use std::time::Duration;

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

/// How it is run, by its kind.
enum Run {
    Once(RunToEnd),
    Job(RunToEnd),
    Feed(fn(Object) -> Result<Box<dyn Pages>, Fault>),
}

type RunToEnd = fn(Object, &Context) -> Result<Box<dyn Answer>, Fault>;

/// Erases the type of a verb that answers soon.
pub fn entry<V: Verb>() -> Entry {
    let run: RunToEnd = |arguments, cx| {
        let answer = run_with_gaps(|| parsed::<V>(arguments.clone()), cx)?;
        Ok(answered(V::CARRIES, answer, V::after_shown, cx))
    };
    Entry { has_page: V::HAS_PAGE, ..Entry::new::<V, V::Output>(&V::SPEC, Run::Once(run)) }
}

/// Erases the type of a job.
pub fn job_entry<J: Job>() -> Entry {
    let run: RunToEnd = |arguments, cx| {
        let work = |cx: &Context| parsed::<J>(arguments.clone())?.work(cx, cx.steps());
        let answer = match J::SPEC.effect {
            Effect::Read => answer_gaps::read_with_gaps(cx, J::gaps, work)?,
            Effect::Write | Effect::Destructive => work(cx)?,
        };
        Ok(answered(J::CARRIES, answer, |_, _| Ok(()), cx))
    };
    Entry::new::<J, J::Output>(&J::SPEC, Run::Job(run))
}

/// Erases the type of a feed.
pub fn feed_entry<F: Feed>() -> Entry {
    let open = |arguments| Ok(Box::new(parsed::<F>(arguments)?) as Box<dyn Pages>);
    Entry::new::<F, F::Output>(&F::SPEC, Run::Feed(open))
}

fn parsed<T: DeserializeOwned>(arguments: Object) -> Result<T, Fault> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| field_forms::refused(&error))
}

/// An answer without its type, behind the gate unless it carries bytes as they are.
fn answered<T: Serialize + Present + Send + 'static>(
    carries: Carries,
    answer: T,
    after_shown: AfterShown<T>,
    cx: &Context,
) -> Box<dyn Answer> {
    match carries {
        Carries::Words => Box::new(Gated { answer, floor: cx.memory.floor(), after_shown }),
        Carries::Bytes => Box::new(AnswerWithBytes { answer, after_shown }),
    }
}

/// A feed without its type.
trait Pages: Send + Sync {
    fn begin(&self) -> Result<Begin, Fault>;

    /// The page after a cursor: now, or from another process, which waits for it this long.
    fn page(&self, cx: &Context, after: Cursor, there: Option<Duration>) -> Result<OpenPage, Fault>;
}

impl<F: Feed> Pages for F {
    fn begin(&self) -> Result<Begin, Fault> {
        Feed::begin(self)
    }

    fn page(&self, cx: &Context, after: Cursor, there: Option<Duration>) -> Result<OpenPage, Fault> {
        let ask = |cx: &Context| match there {
            None => Feed::page(self, cx, after),
            Some(at_most) => self.page_of_other_process(cx, after, at_most),
        };
        let FeedPage { answer, next, notes, waits_on } = match F::SPEC.effect {
            Effect::Read => answer_gaps::read_with_gaps(
                cx,
                |page: &mut FeedPage<F::Output>| F::gaps(&mut page.answer),
                ask,
            )?,
            Effect::Write | Effect::Destructive => ask(cx)?,
        };
        Ok(FeedPage { answer: answered(Carries::Words, answer, |_, _| Ok(()), cx), next, notes, waits_on })
    }
}

/// A page of a feed, without its type.
pub type OpenPage = FeedPage<Box<dyn Answer>>;

/// A feed that was opened: its fields are parsed, and pages can be asked for.
pub struct OpenFeed {
    entry: &'static Entry,
    pages: Box<dyn Pages>,
    given: GivenTexts,
    /// The cursor of its first page, and how long its caller waits.
    pub begin: Begin,
}

impl OpenFeed {
    /// What there is after a cursor now.
    pub fn page(&self, cx: &Context, after: Cursor) -> Result<OpenPage, Fault> {
        self.ask(cx, after, None)
    }

    /// The next page from the process that holds the feed, which waits for it this long at most
    /// ([`WaitsOn::OtherProcess`](crate::WaitsOn::OtherProcess)).
    pub fn page_of_other_process(
        &self,
        cx: &Context,
        after: Cursor,
        at_most: Duration,
    ) -> Result<OpenPage, Fault> {
        self.ask(cx, after, Some(at_most))
    }

    fn ask(&self, cx: &Context, after: Cursor, there: Option<Duration>) -> Result<OpenPage, Fault> {
        // Each page is a look of its own: what the caller's place means may have changed since the last.
        cx.look_again();
        let page =
            self.pages.page(cx, after, there).map_err(|fault| self.entry.refused(fault, &self.given, cx))?;
        Ok(FeedPage { answer: visible(page.answer, cx.door), ..page })
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

    /// The same, with the words that a field takes.
    pub(crate) fn listed_schema(&self) -> Object {
        field_kinds::with_words(&self.input, self.tool_schema())
    }

    /// The schema of its fields with all that they take, for programs that write requests over REST.
    pub(crate) fn program_schema(&self) -> Object {
        field_kinds::with_takes(&self.input, self.input_schema(), self.spec.method() == Method::Get)
    }

    /// Whether a query must have this field, though elsewhere a field beside it can take its place.
    pub(crate) fn needs_in_query(&self, field: &str) -> bool {
        schema::is_needed_in_query(&self.input, field)
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

    /// How it comes to its answer.
    pub fn kind(&self) -> Kind {
        match self.run {
            Run::Once(_) => Kind::Once,
            Run::Job(_) => Kind::Job,
            Run::Feed(_) => Kind::Feed,
        }
    }

    /// Whether a call with these arguments is a batch: many calls in one.
    pub fn is_batch(arguments: &Object) -> bool {
        arguments.contains_key(BATCH)
    }

    /// Runs it with a JSON object, after the checks that are the same on every door. Of a feed this is the first page.
    pub fn call(&self, arguments: Object, cx: &Context) -> Result<Box<dyn Answer>, Fault> {
        let given = GivenTexts::of(&arguments);
        cx.look_again();
        let done = self.fitted(arguments).and_then(|arguments| match self.run {
            Run::Once(run) | Run::Job(run) => run(arguments, cx),
            Run::Feed(open) => {
                let pages = open(arguments)?;
                Ok(pages.page(cx, pages.begin()?.after, None)?.answer)
            }
        });
        done.map(|answer| visible(answer, cx.door)).map_err(|fault| self.refused(fault, &given, cx))
    }

    /// Opens a feed, after the same checks; `None` for a verb of another kind.
    pub fn open(&'static self, arguments: &Object, cx: &Context) -> Result<Option<OpenFeed>, Fault> {
        let Run::Feed(open) = self.run else { return Ok(None) };
        let given = GivenTexts::of(arguments);
        let opened = self.fitted(arguments.clone()).and_then(|arguments| {
            let pages = open(arguments)?;
            let begin = pages.begin()?;
            Ok((pages, begin))
        });
        match opened {
            Ok((pages, begin)) => Ok(Some(OpenFeed { entry: self, pages, given, begin })),
            Err(fault) => Err(self.refused(fault, &given, cx)),
        }
    }

    fn new<T: clap::Args + JsonSchema, O: JsonSchema>(spec: &'static VerbSpec, run: Run) -> Self {
        Self {
            spec,
            fields: |command| T::augment_args(command),
            has_page: false,
            input: LazyLock::new(schema::raw_input::<T>),
            output: LazyLock::new(schema::raw_output::<O>),
            run,
        }
    }

    /// A refusal as the caller gets it: no secret in it, and in the words of this verb.
    fn refused(&self, fault: Fault, given: &GivenTexts, cx: &Context) -> Fault {
        let floor = cx.memory.floor();
        self.about(floor.masked(&given.unrepeated(fault, &floor)))
    }

    /// The arguments as its fields take them, or what is wrong with which.
    pub fn fitted(&self, arguments: Object) -> Result<Object, Fault> {
        fit(arguments, &self.input)
    }

    /// A refusal of a call of this verb, whose fix names its fields as the command line has them.
    fn about(&self, fault: Fault) -> Fault {
        // A refusal about the objects of a batch names their fields, on every door.
        let is_object = fault.field.as_deref().is_some_and(|field| field.starts_with("batch"));
        let fix = fault.fix.map(|fix| if is_object { fix.about_object() } else { fix.about(self.spec.verb) });
        Fault { fix, ..fault }
    }

    /// Counts a call that was answered, for the brain it was bound to. A door calls this after it has answered: no
    /// caller waits for a count, and the brain may be one that the call made.
    pub fn count(&self, cx: &Context) {
        // This program starts it by itself in idle moments: no caller made that call.
        if self.spec.verb != VerbId::Index {
            cx.memory.count_call(&cx.place(), cx.session.as_deref());
        }
    }
}
