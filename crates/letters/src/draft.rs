//! A letter that is about to be written: checked, then one line.

use crate::kind::{MEMORY_MISDELIVERY, TRIAGE, closes};
use crate::letter::UNKNOWN_ANSWERS;
use crate::limits::{ANSWERS_MAX, FIELD_LEN_MAX, LINE_LEN_MAX, WORD_LEN_MAX};
use crate::resolved_fields::{EXACT, ResolvedFields};
use crate::{LetterId, MisdeliveryKind, TriageVerdict};
use brainstem_base::advice;
use brainstem_base::next::{self, calls};
use brainstem_base::{Advice, AgentId, Coded, ErrorCode, Timestamp, codes};
use serde_json::{Map, Value};

/// How each line begins that [`LetterDraft::line`] makes.
pub(crate) const START: &[u8] = b"{\"ts\":\"";

/// The content of a letter to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LetterDraft {
    /// What sort of letter.
    pub class: String,
    /// Of a misdelivery: which.
    pub kind: Option<String>,
    /// The project it is about.
    pub repo: Option<String>,
    /// The brain it is about.
    pub brain: Option<String>,
    /// Which of the two are resolved, and to what.
    pub exact: ResolvedFields,
    /// The tool it is about.
    pub tool: Option<String>,
    /// What happened.
    pub what: String,
    /// What was expected.
    pub expected: Option<String>,
    /// What was seen, word for word.
    pub snippet: Option<String>,
    /// Of a triage: its verdict on the letters it answers.
    pub verdict: Option<String>,
    /// The letters it answers.
    pub answers: Vec<String>,
    /// No letter within reach has one of these ids.
    pub unknown_answers: bool,
}

/// Why a letter is not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LetterDraftFault {
    /// A field that must be given is not.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A field is longer than its limit.
    #[error("`{field}` has {len} bytes, and may have {max}")]
    TooLong {
        /// The field.
        field: &'static str,
        /// How long it is.
        len: usize,
        /// How long it may be.
        max: usize,
    },
    /// A class, kind or tool is not a plain word.
    #[error("`{0}` must be one line of text")]
    NotAWord(&'static str),
    /// A misdelivery of an unknown kind.
    #[error("a letter of class {MEMORY_MISDELIVERY} has a kind of a closed set")]
    Kind,
    /// A word that is not a verdict.
    #[error("{0:?} is no verdict")]
    NoVerdict(String),
    /// A verdict in a letter that cannot have one.
    #[error("a verdict belongs to a letter of class {TRIAGE} that answers others")]
    Verdict,
    /// A letter that closes others, and names none.
    #[error("a letter of class {0} answers others, and this one names none")]
    Unanswering(String),
    /// An answer to a text that is not an id.
    #[error("{0:?} is not the id of a letter")]
    Answer(String),
}

impl Coded for LetterDraftFault {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Missing(_) | Self::Unanswering(_) => codes::INPUT_MISSING,
            Self::TooLong { .. } => codes::INPUT_TOO_LARGE,
            Self::Kind => codes::LETTER_BAD_KIND,
            Self::NotAWord(_) | Self::NoVerdict(_) | Self::Verdict | Self::Answer(_) => {
                codes::INPUT_BAD_VALUE
            }
        }
    }

    fn fix(&self) -> Option<Advice> {
        Some(match self {
            Self::Missing("class") => "give a class: friction, bug, honesty, win, triage, receipt, \
                 memory_misdelivery or another word"
                .into(),
            Self::Missing(field) => advice!["give ", next::field(field)],
            Self::TooLong { .. } => "say it shorter; a letter is a report, not a log".into(),
            Self::NotAWord(field) => advice!["give ", next::field(field), " as a short word"],
            Self::Kind => advice!["give `", next::field("kind"), "` as one of: ", MisdeliveryKind::words()],
            Self::NoVerdict(_) => {
                advice!["give `", next::field("verdict"), "` as confirmed, dismissed or duplicate"]
            }
            Self::Verdict => advice![
                "give triage as `",
                next::field("class"),
                "` and the ids as `",
                next::field("answers"),
                "`, or leave `",
                next::field("verdict"),
                "` out"
            ],
            Self::Unanswering(_) => advice![
                "give the ids that ",
                calls::letter_all(),
                " and ",
                calls::letter_box(),
                " show as `",
                next::field("answers"),
                "`; a letter that answers none has another class, such as win"
            ],
            Self::Answer(_) => {
                advice![
                    "give the 12 hex digits that ",
                    calls::letter_all(),
                    " and ",
                    calls::letter_box(),
                    " show"
                ]
            }
        })
    }

    fn field(&self) -> Option<String> {
        Some(
            match self {
                Self::Missing(field) | Self::TooLong { field, .. } | Self::NotAWord(field) => field,
                Self::Kind => "kind",
                Self::NoVerdict(_) | Self::Verdict => "verdict",
                Self::Unanswering(_) | Self::Answer(_) => "answers",
            }
            .into(),
        )
    }

    fn rule(&self) -> Option<&'static str> {
        Some(match self {
            Self::Kind => "LTR-15",
            Self::NoVerdict(_) | Self::Verdict => "LTR-16",
            Self::Missing(_)
            | Self::TooLong { .. }
            | Self::NotAWord(_)
            | Self::Unanswering(_)
            | Self::Answer(_) => "LTR-2",
        })
    }
}

impl LetterDraft {
    /// The same with every text changed by `change`. The ids that it answers stay.
    pub fn with_texts(mut self, change: impl Fn(&str) -> String) -> Self {
        let optional = [
            &mut self.kind,
            &mut self.repo,
            &mut self.brain,
            &mut self.tool,
            &mut self.expected,
            &mut self.snippet,
            &mut self.verdict,
        ];
        for text in optional.into_iter().flatten().chain([&mut self.class, &mut self.what]) {
            *text = change(text);
        }
        self
    }

    /// The line of the letter, without a newline: the given fields, the time and the agent.
    pub fn line(&self, agent: &AgentId, now: Timestamp) -> Result<Vec<u8>, LetterDraftFault> {
        let class = word("class", &self.class)?.ok_or(LetterDraftFault::Missing("class"))?;
        let kind = optional("kind", &self.kind, word)?;
        let misdelivered = class == MEMORY_MISDELIVERY;
        if misdelivered && kind.as_deref().and_then(MisdeliveryKind::parse).is_none() {
            return Err(LetterDraftFault::Kind);
        }
        let answers = self.answered()?;
        let verdict = optional("verdict", &self.verdict, word)?;
        if let Some(word) = &verdict {
            if TriageVerdict::parse(word).is_none() {
                return Err(LetterDraftFault::NoVerdict(word.clone()));
            }
            if class != TRIAGE || answers.is_empty() {
                return Err(LetterDraftFault::Verdict);
            }
        }
        if closes(&class) && answers.is_empty() {
            return Err(LetterDraftFault::Unanswering(class));
        }
        let what = text("what", &self.what)?.ok_or(LetterDraftFault::Missing("what"))?;
        let fields = [
            ("ts", Some(now.to_rfc3339())),
            ("agent", Some(agent.to_string())),
            ("class", Some(class)),
            ("kind", kind),
            ("repo", optional("repo", &self.repo, text)?),
            ("brain", optional("brain", &self.brain, text)?),
            ("tool", optional("tool", &self.tool, word)?),
            ("what", Some(what)),
            ("expected", optional("expected", &self.expected, text)?),
            ("snippet", optional("snippet", &self.snippet, text)?),
            ("verdict", verdict),
        ];
        let mut letter: Map<String, Value> =
            fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into()))).collect();
        if let Some(exact) = self.exact.to_value() {
            letter.insert(EXACT.into(), exact);
        }
        if !answers.is_empty() {
            letter.insert("answers".into(), answers.iter().map(LetterId::as_str).collect());
            if self.unknown_answers {
                letter.insert(UNKNOWN_ANSWERS.into(), true.into());
            }
        }
        let line = Value::Object(letter).to_string().into_bytes();
        if line.len() > LINE_LEN_MAX {
            return Err(LetterDraftFault::TooLong { field: "what", len: line.len(), max: LINE_LEN_MAX });
        }
        Ok(line)
    }

    fn answered(&self) -> Result<Vec<LetterId>, LetterDraftFault> {
        if self.answers.len() > ANSWERS_MAX {
            return Err(LetterDraftFault::TooLong {
                field: "answers",
                len: self.answers.len(),
                max: ANSWERS_MAX,
            });
        }
        let mut answers = Vec::new();
        for text in &self.answers {
            let shown = || text.chars().take(40).collect();
            let id = LetterId::parse(text).ok_or_else(|| LetterDraftFault::Answer(shown()))?;
            if !answers.contains(&id) {
                answers.push(id);
            }
        }
        Ok(answers)
    }
}

type FieldCheck = fn(&'static str, &str) -> Result<Option<String>, LetterDraftFault>;

fn optional(
    field: &'static str,
    given: &Option<String>,
    check: FieldCheck,
) -> Result<Option<String>, LetterDraftFault> {
    given.as_deref().map_or(Ok(None), |given| check(field, given))
}

fn text(field: &'static str, given: &str) -> Result<Option<String>, LetterDraftFault> {
    if given.len() > FIELD_LEN_MAX {
        return Err(LetterDraftFault::TooLong { field, len: given.len(), max: FIELD_LEN_MAX });
    }
    Ok((!given.trim().is_empty()).then(|| given.to_owned()))
}

fn word(field: &'static str, given: &str) -> Result<Option<String>, LetterDraftFault> {
    let given = given.trim();
    if given.len() > WORD_LEN_MAX {
        return Err(LetterDraftFault::TooLong { field, len: given.len(), max: WORD_LEN_MAX });
    }
    if given.chars().any(char::is_control) {
        return Err(LetterDraftFault::NotAWord(field));
    }
    Ok((!given.is_empty()).then(|| given.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Letter;
    use crate::resolved_fields::ResolvedValue;

    fn draft(class: &str) -> LetterDraft {
        LetterDraft { class: class.into(), what: "it broke".into(), ..LetterDraft::default() }
    }

    fn line(draft: &LetterDraft) -> Result<String, LetterDraftFault> {
        let agent = AgentId::parse("codex:maker").expect("an id");
        draft.line(&agent, Timestamp::from_ms(7)).map(|line| String::from_utf8(line).expect("UTF-8"))
    }

    #[test] // spec: LTR-2
    fn a_letter_is_one_line_whatever_it_says() {
        let nasty = "a\nb\r\n\u{2028}\"}\u{0}{\"class\":\"receipt\"";
        let full =
            LetterDraft { snippet: Some(nasty.into()), repo: Some("cherry\n".into()), ..draft("friction") };
        let line = line(&full).expect("a letter");
        assert!(line.as_bytes().starts_with(START), "{line}");
        assert!(!line.contains('\n') && !line.contains('\r'), "{line}");
        let letter = Letter::parse(line.as_bytes()).expect("a letter");
        assert_eq!((letter.class.as_deref(), letter.snippet.as_deref()), (Some("friction"), Some(nasty)));
        assert_eq!(letter.ts.as_deref(), Some("1970-01-01T00:00:00.007Z"));
    }

    #[test] // spec: LTR-2
    fn what_was_resolved_stands_in_the_line_and_is_read_back() {
        let plain = line(&draft("win")).expect("a letter");
        assert!(!plain.contains("exact"), "{plain}");
        let exact =
            ResolvedFields { repo: Some(ResolvedValue::Folder), brain: Some(ResolvedValue::Id), at: None };
        let line = line(&LetterDraft { exact, ..draft("win") }).expect("a letter");
        assert!(line.ends_with(r#","exact":{"repo":"folder","brain":"id"}}"#), "{line}");
        assert_eq!(Letter::parse(line.as_bytes()).expect("a letter").exact, exact);
    }

    #[test] // spec: LTR-15
    fn a_misdelivery_has_a_kind_of_the_closed_set() {
        for kind in [None, Some("mood"), Some(""), Some("Leak")] {
            let draft = LetterDraft { kind: kind.map(str::to_owned), ..draft("memory_misdelivery") };
            let fault = line(&draft).expect_err("no such kind");
            assert_eq!((fault.code(), fault.rule()), (codes::LETTER_BAD_KIND, Some("LTR-15")));
            assert!(fault.fix().is_some_and(|fix| fix.contains("wrong_store_write")));
        }
        for kind in MisdeliveryKind::ALL {
            assert!(
                line(&LetterDraft { kind: Some(kind.to_string()), ..draft("memory_misdelivery") }).is_ok()
            );
        }
        assert!(line(&LetterDraft { kind: Some("mood".into()), ..draft("friction") }).is_ok(), "an open set");
    }

    #[test] // spec: LTR-2, LTR-16
    fn answers_are_ids_and_a_verdict_is_a_triages() {
        let answers = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let triage = LetterDraft { answers: answers(&["ABCDEF012345", "abcdef012345"]), ..draft("triage") };
        assert!(line(&triage).expect("a letter").ends_with(r#","answers":["abcdef012345"]}"#));
        assert_eq!(
            line(&LetterDraft { answers: answers(&["L27"]), ..draft("triage") }),
            Err(LetterDraftFault::Answer("L27".into()))
        );
        let verdict =
            |word: &str, draft: LetterDraft| line(&LetterDraft { verdict: Some(word.into()), ..draft });
        assert!(verdict("confirmed", triage.clone()).is_ok());
        let wrong = verdict("perhaps", triage.clone()).expect_err("no verdict");
        assert_eq!(
            (wrong.to_string().as_str(), wrong.field().as_deref()),
            ("\"perhaps\" is no verdict", Some("verdict"))
        );
        assert!(wrong.fix().is_some_and(|fix| fix.contains("confirmed, dismissed or duplicate")), "{wrong}");
        assert_eq!(verdict("confirmed", draft("triage")), Err(LetterDraftFault::Verdict));
        assert_eq!(
            verdict("confirmed", LetterDraft { class: "friction".into(), ..triage }),
            Err(LetterDraftFault::Verdict)
        );
    }

    #[test] // spec: LTR-2, LTR-10
    fn a_letter_that_closes_others_names_them() {
        for class in ["receipt", "triage", " receipt "] {
            let fault = line(&draft(class)).expect_err("it would stand open for ever");
            assert_eq!((fault.code(), fault.rule()), (codes::INPUT_MISSING, Some("LTR-2")), "{class}");
            assert_eq!(fault.field().as_deref(), Some("answers"));
            assert!(fault.fix().is_some_and(|fix| fix.contains("--answers")), "{fault}");
        }
        assert!(line(&LetterDraft { answers: vec!["abcdef012345".into()], ..draft("receipt") }).is_ok());
        assert!(line(&draft("win")).is_ok() && line(&draft("foo")).is_ok(), "an open set");
    }

    #[test] // spec: LTR-2
    fn what_must_be_given_and_what_may_be_long_is_checked() {
        assert_eq!(line(&draft(" ")), Err(LetterDraftFault::Missing("class")));
        assert_eq!(
            line(&LetterDraft { what: "\n".into(), ..draft("win") }),
            Err(LetterDraftFault::Missing("what"))
        );
        assert_eq!(line(&draft("a\nb")), Err(LetterDraftFault::NotAWord("class")));
        assert_eq!(line(&draft(&"x".repeat(65))).expect_err("too long").code(), codes::INPUT_TOO_LARGE);
        let long = LetterDraft { snippet: Some("x".repeat(FIELD_LEN_MAX + 1)), ..draft("win") };
        assert_eq!(line(&long).expect_err("too long").code(), codes::INPUT_TOO_LARGE);
        // Six bytes for every character: each field fits, the line does not.
        let wide = Some("\u{1}".repeat(FIELD_LEN_MAX));
        let wide = LetterDraft { snippet: wide.clone(), expected: wide, ..draft("win") };
        assert_eq!(line(&wide).expect_err("too long").code(), codes::INPUT_TOO_LARGE);
    }
}
