//! A case drafted from a letter: it can run as it is, and a person completes it.

use super::{CaseDefinition, CaseQuestion, GivenClaim, PROJECT, RequiredRow};
use crate::kind::MEMORY_MISDELIVERY;
use crate::{Letter, MisdeliveryKind};

/// A project beside the caller's.
const OTHER: &str = "other";
/// The author of the claims in a draft, if the letter does not name one.
const WRITER: &str = "codex:maker";
/// The longest label of a draft, in characters.
const LABEL_CHARS: usize = 60;

/// A letter from which no case can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("only a letter of class {MEMORY_MISDELIVERY} with one of its kinds makes a case")]
pub struct NotACase;

/// Drafts the case of a letter: what was seen, or else what happened, is the claim.
pub fn drafted(letter: &Letter) -> Result<CaseDefinition, NotACase> {
    let kind = letter.kind.as_deref().and_then(MisdeliveryKind::parse);
    let kind = kind.filter(|_| letter.is_class(MEMORY_MISDELIVERY)).ok_or(NotACase)?;
    let told = |field: &Option<String>| field.as_deref().map(|text| text.trim().to_owned());
    let about = told(&letter.what).unwrap_or_default();
    let text = told(&letter.snippet).or_else(|| told(&letter.what)).ok_or(NotACase)?;
    let task = told(&letter.expected).unwrap_or_else(|| about.clone());
    let given = |store: &str| GivenClaim {
        store: store.into(),
        label: label_of(&text),
        text: text.clone(),
        by: Some(WRITER.into()),
    };
    let carry = || RequiredRow { text: text.clone(), by: None, store: None };
    let ask = |from: &str| CaseQuestion { from: from.into(), task: task.clone(), ..CaseQuestion::default() };
    let (given, ask) = match kind {
        MisdeliveryKind::Leak => (
            vec![given(OTHER)],
            vec![
                CaseQuestion { must_not_carry: vec![text.clone()], ..ask(PROJECT) },
                CaseQuestion { must_carry: vec![carry()], ..ask(OTHER) },
            ],
        ),
        MisdeliveryKind::FalseAbsence => (
            vec![given(PROJECT)],
            vec![CaseQuestion { must_carry: vec![carry()], claims_absence: Some(false), ..ask(PROJECT) }],
        ),
        MisdeliveryKind::WrongStoreWrite => (
            vec![given("project/src")],
            vec![
                CaseQuestion { must_carry: vec![carry()], ..ask(PROJECT) },
                CaseQuestion { must_not_carry: vec![text.clone()], ..ask(OTHER) },
            ],
        ),
        MisdeliveryKind::Misattribution => {
            let by = RequiredRow { by: Some(WRITER.into()), store: Some(PROJECT.into()), ..carry() };
            (vec![given(PROJECT)], vec![CaseQuestion { must_carry: vec![by], ..ask(PROJECT) }])
        }
        MisdeliveryKind::Vanished => (
            vec![given(OTHER)],
            vec![
                CaseQuestion { lists: vec![OTHER.into()], ..ask(PROJECT) },
                CaseQuestion { must_carry: vec![carry()], claims_absence: Some(false), ..ask(OTHER) },
            ],
        ),
    };
    let from_letter = Some(letter.id.to_string());
    Ok(CaseDefinition {
        kind: kind.as_str().into(),
        about,
        from_letter,
        synthetic: false,
        seen_failing: None,
        cannot_fail: None,
        given,
        ask,
    })
}

fn label_of(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(LABEL_CHARS).collect::<String>().trim().to_owned()
}
