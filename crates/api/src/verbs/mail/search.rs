//! `mail search`.

use super::list::present_gaps;
use super::message::MailMessage;
use crate::field_kinds;
use crate::screen::dim;
use crate::{AnswerGaps, Context, Present, Screen, Toolset, Verb, VerbSpec, within};
use brainstem_base::next::VerbId;
use brainstem_base::next::field;
use brainstem_base::{Fault, advice};
use brainstem_post::mail::{Boxes, LIMIT_DEFAULT, LIMIT_MAX, SearchHit, SearchRequest, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Find messages by what they say: every word must be in the subject or the body. Youngest first.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct MailSearch {
    /// The words.
    #[arg(num_args = 1..)]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::text()))]
    pub query: String,
    /// One box; default: yours.
    #[arg(id = "box", long = "box", value_name = "NAME")]
    #[serde(rename = "box")]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::mail_name()))]
    pub mailbox: Option<String>,
    /// Every box of this mail root, whosever it is; with a box named, that one and all others.
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub all: bool,
    /// unread, claimed, read or archive; default: all.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::folder()))]
    pub folder: Option<String>,
    /// At most this many; default 50.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-range" = crate::schema::range(1..=LIMIT_MAX, LIMIT_DEFAULT)))]
    pub limit: Option<i64>,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MailSearchAnswer {
    /// The messages.
    pub messages: Vec<MailHit>,
    /// The boxes that were searched.
    pub boxes: Vec<String>,
    /// Those that the limit left out.
    pub left_out: usize,
    /// How many files could not be searched.
    pub unreadable: usize,
    /// Where nothing was found and other boxes were not searched: how to search them too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Boxes that could not be looked at.
    pub gaps: Vec<String>,
}

/// A message that was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MailHit {
    /// What it says about itself.
    #[serde(flatten)]
    pub message: MailMessage,
    /// The line with the first word.
    pub snippet: String,
}

impl From<SearchHit> for MailHit {
    fn from(hit: SearchHit) -> Self {
        Self { message: hit.row.into(), snippet: hit.snippet }
    }
}

impl Verb for MailSearch {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Mail,
        title: "Search your mail",
        when_to_use: "To find old messages by their words.",
        examples: &[
            "brainstem mail search retry loop",
            "brainstem mail search deadline --folder archive",
            "brainstem mail search deadline --all",
        ],
        ..VerbSpec::of(VerbId::MailSearch)
    };
    type Output = MailSearchAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::Texts(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<MailSearchAnswer, Fault> {
        let post = cx.post();
        let words = post.mail_words();
        let request = SearchRequest {
            query: self.query,
            boxes: match self.all {
                true => Boxes::All,
                false => words.mailbox(self.mailbox.as_deref())?.into(),
            },
            folder: words::folder(self.folder.as_deref())?,
            limit: within("limit", self.limit, LIMIT_DEFAULT, 1..=LIMIT_MAX)?,
        };
        let found = post.search_mail(&cx.reader()?, &request)?;
        let is_part = found.hits.is_empty() && !self.all;
        Ok(MailSearchAnswer {
            note: is_part.then(|| cx.door.render(&advice![field("all").set(), " searches every box"])),
            messages: found.hits.into_iter().map(MailHit::from).collect(),
            boxes: found.boxes.iter().map(ToString::to_string).collect(),
            left_out: found.left_out,
            unreadable: found.unreadable,
            gaps: found.gaps,
        })
    }
}

impl Present for MailSearchAnswer {
    fn present(&self, out: &mut Screen) {
        if self.messages.is_empty() && !self.boxes.is_empty() {
            let none = format!("no message in {} says that", self.boxes.join(", "));
            out.flow(0, 2, [[none].into_iter().chain(self.note.clone()).collect::<Vec<_>>().join("; ")]);
        } else if self.messages.is_empty() && self.gaps.is_empty() {
            out.line(["there is no box here"]);
        }
        for hit in &self.messages {
            hit.message.present(out);
            out.flow(2, 4, [hit.snippet.as_str()]);
        }
        if self.left_out > 0 {
            out.line([dim(format!("{} more; raise {} to see them", self.left_out, field("limit")))]);
        }
        if self.unreadable > 0 {
            out.line([dim(format!("{} files could not be searched; mail list names them", self.unreadable))]);
        }
        present_gaps(&self.gaps, out);
    }
}
