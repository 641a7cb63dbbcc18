//! What memorizing a draft does to the label's live claim.

use crate::act::VersionRef;
use crate::draft::{Author, ClaimDraft};
use crate::light::keys;
use crate::limits::CLAIM_LEN_MAX;
use crate::lineage::follow;
use crate::merge::says_the_same;
use crate::{Claim, ClaimSlug, Label, LightFile, Strength, age};
use brainstem_base::advice;
use brainstem_base::{Advice, Coded, ErrorCode, Timestamp, codes};

/// What must be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The label is new here.
    Birth(LightFile),
    /// The live claim goes to history, stamped outdated, and the new one takes its place.
    Supersede {
        /// The live version as history keeps it.
        outdated: LightFile,
        /// The new version.
        new: LightFile,
    },
    /// The live claim gets a stamp in its header and stays the same version, with its birth and author; the file
    /// without the stamp goes to history.
    Stamp {
        /// The live version as history keeps it.
        outdated: LightFile,
        /// The same with the stamp.
        new: LightFile,
    },
    /// The live claim already says this.
    Unchanged,
}

/// Whether an unchanged claim is written anew with a fresh stamp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reaffirm {
    /// Only when the live claim is stale.
    #[default]
    WhenStale,
    /// In any case.
    Always,
}

/// Why nothing is written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecisionRefusal {
    /// Another label has this slug.
    #[error("{label:?} would be stored as `{slug}.light.md`, where {holder:?} already lives")]
    SlugTaken {
        /// The label given.
        label: String,
        /// Their common slug.
        slug: ClaimSlug,
        /// The live label of that slug.
        holder: String,
    },
    /// The live claim is stronger.
    #[error("{label:?} is live as {live}; the version given is {given}, which is weaker")]
    WouldDowngrade {
        /// The label.
        label: String,
        /// Strength of the live claim.
        live: Strength,
        /// Strength of the draft.
        given: Strength,
    },
    /// The file would be over its limit.
    #[error("the claim would have {len} bytes; at most {CLAIM_LEN_MAX} are allowed")]
    TooLarge {
        /// Its size.
        len: usize,
    },
}

impl Coded for DecisionRefusal {
    fn code(&self) -> ErrorCode {
        match self {
            Self::SlugTaken { .. } => codes::CLAIM_SLUG_TAKEN,
            Self::WouldDowngrade { .. } => codes::CLAIM_WOULD_DOWNGRADE,
            Self::TooLarge { .. } => codes::CLAIM_TOO_LARGE,
        }
    }
    fn fix(&self) -> Option<Advice> {
        Some(match self {
            Self::SlugTaken { holder, .. } => {
                advice![
                    "memorize under {holder:?} to replace that claim, or choose a label that differs in letters or digits"
                ]
            }
            Self::WouldDowngrade { live, .. } => {
                advice![
                    "state it at least as strongly ({live}), or retract the live claim first, with a reason"
                ]
            }
            Self::TooLarge { .. } => {
                "keep the finding and its evidence path, and leave the long material in its file".into()
            }
        })
    }
    fn field(&self) -> Option<String> {
        Some(match self {
            Self::SlugTaken { .. } => "label".into(),
            Self::WouldDowngrade { live, given, .. } if live.state != given.state => "state".into(),
            Self::WouldDowngrade { .. } => "confidence".into(),
            Self::TooLarge { .. } => "text".into(),
        })
    }
    fn rule(&self) -> Option<&'static str> {
        Some(match self {
            Self::SlugTaken { .. } => "MEM-8",
            Self::WouldDowngrade { .. } => "MEM-11",
            Self::TooLarge { .. } => "MEM-5",
        })
    }
}

/// Decides what a draft does to the live claim of its slug.
pub fn memorize(
    live: Option<&Claim>,
    draft: &ClaimDraft,
    author: &Author,
    now: Timestamp,
    reaffirm: Reaffirm,
) -> Result<Decision, DecisionRefusal> {
    let Some(live) = live else {
        return sized(draft.file(author, now, None)).map(Decision::Birth);
    };
    let slug = ClaimSlug::of(&draft.label);
    if !is_label_of(&draft.label, live) {
        return Err(DecisionRefusal::SlugTaken {
            label: draft.label.to_string(),
            slug,
            holder: live.label.clone(),
        });
    }
    if draft.is_said_by(live) && reaffirm == Reaffirm::WhenStale && !age::of(live, now).stale {
        return Ok(Decision::Unchanged);
    }
    let given = draft.strength();
    if given < live.strength() {
        return Err(DecisionRefusal::WouldDowngrade {
            label: draft.label.to_string(),
            live: live.strength(),
            given,
        });
    }
    let created = born_after(now, [live.created]);
    let before = VersionRef::of(&slug, live).to_string();
    let mut new = draft.file(author, created, Some(before));
    follow(&mut new, &[live]);
    let new = sized(new)?;
    Ok(Decision::Supersede { outdated: live.outdated(), new })
}

/// Decides what a version that was written elsewhere does to the live claim of its slug: the same rule as for a draft.
/// Its file stays as it is, apart from its place in the lineage.
pub fn take_in(live: Option<&Claim>, given: &Claim, slug: &ClaimSlug) -> Result<Decision, DecisionRefusal> {
    let Some(live) = live else { return Ok(Decision::Birth(given.file.clone())) };
    let same_label = Label::parse(&given.label).is_ok_and(|label| is_label_of(&label, live));
    if !same_label {
        let (label, holder) = (given.label.clone(), live.label.clone());
        return Err(DecisionRefusal::SlugTaken { label, slug: slug.clone(), holder });
    }
    if says_the_same(live, given) {
        return Ok(Decision::Unchanged);
    }
    if given.strength() < live.strength() {
        let (live, given_strength) = (live.strength(), given.strength());
        return Err(DecisionRefusal::WouldDowngrade {
            label: given.label.clone(),
            live,
            given: given_strength,
        });
    }
    let mut new = given.file.clone();
    if let (Some(before), Some(created)) = (live.created, given.created)
        && created <= before
    {
        new.set(keys::CREATED, &born_after(created, [Some(before)]).ms().to_string());
    }
    let before = VersionRef::of(slug, live).to_string();
    new.set(keys::SUPERSEDES, &before);
    follow(&mut new, &[live]);
    Ok(Decision::Supersede { outdated: live.outdated(), new })
}

/// The birth stamp of a version that replaces others: now, or just after the youngest of them if a clock went back.
/// After a version at the end of time there is no later stamp, so its successor is born now.
pub fn born_after(now: Timestamp, before: impl IntoIterator<Item = Option<Timestamp>>) -> Timestamp {
    let before: Vec<Timestamp> = before.into_iter().flatten().collect();
    let after = before.iter().filter(|before| **before < Timestamp::MAX).map(|before| before.next());
    let born = after.fold(now, Ord::max);
    if before.contains(&born) { now } else { born }
}

/// Whether a claim has this label.
pub fn is_label_of(label: &Label, claim: &Claim) -> bool {
    Label::parse(&claim.label).is_ok_and(|held| held == *label)
}

pub(crate) fn sized(file: LightFile) -> Result<LightFile, DecisionRefusal> {
    match file.render().len() {
        len if len > CLAIM_LEN_MAX => Err(DecisionRefusal::TooLarge { len }),
        _ => Ok(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::tests::{author, draft};
    use crate::{Confidence, State};

    const DAY: i64 = 24 * 60 * 60 * 1000;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_ms(ms)
    }

    fn decide(live: Option<&Claim>, draft: &ClaimDraft, now: i64) -> Result<Decision, DecisionRefusal> {
        memorize(live, draft, &author(), at(now), Reaffirm::WhenStale)
    }

    fn live(draft: &ClaimDraft, created: i64) -> Claim {
        Claim::from(draft.file(&author(), at(created), None))
    }

    fn with(state: State, confidence: Option<f64>) -> ClaimDraft {
        let confidence = confidence.map(|value| Confidence::new(value).expect("0..1"));
        ClaimDraft { state, confidence, ..draft("cache", "new text") }
    }

    #[test] // spec: MEM-11
    fn a_weaker_claim_never_replaces_a_stronger_one() {
        use State::{Authored, Outdated, Verified};
        let table = [
            (with(Authored, None), with(Authored, None), true),
            (with(Authored, None), with(Authored, Some(0.6)), true),
            (with(Authored, Some(0.6)), with(Authored, None), true),
            (with(Authored, Some(0.9)), with(Authored, None), false),
            (with(Authored, Some(0.9)), with(Authored, Some(0.89)), false),
            (with(Verified, Some(0.1)), with(Authored, Some(1.0)), false),
            (with(Authored, Some(1.0)), with(Verified, Some(0.1)), true),
            (with(Authored, None), with(Outdated, Some(1.0)), false),
        ];
        for (old, new, replaces) in table {
            let old_text = ClaimDraft { text: "old text".into(), ..old };
            let got = decide(Some(&live(&old_text, 5)), &new, 9);
            assert_eq!(matches!(got, Ok(Decision::Supersede { .. })), replaces, "{got:?}");
            if !replaces {
                assert_eq!(got.expect_err("refused").code(), codes::CLAIM_WOULD_DOWNGRADE);
            }
        }
    }

    #[test] // spec: MEM-5, MEM-11
    fn a_successor_names_and_outlives_its_predecessor() {
        let old = live(&draft("cache", "old"), 1_000);
        for now in [2_000, 1_000, 3] {
            let Ok(Decision::Supersede { outdated, new }) = decide(Some(&old), &draft("cache", "new"), now)
            else {
                panic!("an equal strength supersedes");
            };
            let new = Claim::from(new);
            assert!(new.created > old.created, "a clock that went back makes nothing older");
            assert_eq!(new.supersedes.as_deref(), Some("cache@1000"));
            assert!(new.follows(&old));
            assert_eq!(outdated.render(), old.file.render().replace("State: authored", "State: outdated"));
        }
    }

    #[test] // spec: MEM-5
    fn a_successor_of_the_end_of_time_has_a_birth_of_its_own() {
        let max = Timestamp::MAX.ms();
        for (before, now, expected) in [(max, 9, 9), (max - 1, 9, max), (7, 9, 9), (9, 9, 10), (11, 9, 12)] {
            assert_eq!(born_after(at(now), [Some(at(before))]), at(expected), "{before} at {now}");
        }
        assert_eq!(born_after(at(9), [Some(at(max)), Some(at(max - 1)), None]), at(9));
        let old = live(&draft("cache", "old"), max);
        let Ok(Decision::Supersede { new, .. }) = decide(Some(&old), &draft("cache", "new"), 9) else {
            panic!("an equal strength supersedes");
        };
        assert_eq!(Claim::from(new).created, Some(at(9)));
        let Ok(Decision::Supersede { new, .. }) = take_in(
            Some(&old),
            &live(&draft("cache", "new"), 5),
            &ClaimSlug::parse("cache").expect("a slug"),
        ) else {
            panic!("an equal strength supersedes");
        };
        assert_eq!(Claim::from(new).created, Some(at(5)));
    }

    #[test] // spec: MEM-11, MEM-24
    fn an_identical_rewrite_changes_nothing_until_the_claim_is_stale() {
        let same = draft("cache", "text");
        let old = live(&same, 1_000);
        assert_eq!(decide(Some(&old), &same, 1_000 + 29 * DAY), Ok(Decision::Unchanged));
        let late = decide(Some(&old), &same, 1_000 + 31 * DAY);
        assert!(matches!(late, Ok(Decision::Supersede { .. })), "a stale claim is affirmed anew");
        let asked = memorize(Some(&old), &same, &author(), at(2_000), Reaffirm::Always);
        assert!(matches!(asked, Ok(Decision::Supersede { .. })));
    }

    #[test] // spec: MEM-42
    fn a_version_from_elsewhere_keeps_its_birth_and_its_author() {
        let slug = ClaimSlug::of(&Label::parse("cache").expect("a label"));
        let other = Author { agent: brainstem_base::AgentId::parse("m1nd").expect("an id"), ..author() };
        let theirs = |text: &str, created| Claim::from(draft("cache", text).file(&other, at(created), None));
        let born = take_in(None, &theirs("old", 3), &slug);
        assert_eq!(born, Ok(Decision::Birth(theirs("old", 3).file)), "byte for byte");
        let ours = live(&draft("cache", "new"), 5);
        for (created, stamped) in [(9, 9), (3, 6)] {
            let Ok(Decision::Supersede { new, .. }) = take_in(Some(&ours), &theirs("other", created), &slug)
            else {
                panic!("an equal strength supersedes");
            };
            let new = Claim::from(new);
            assert_eq!((new.created, new.source_agent.as_deref()), (Some(at(stamped)), Some("m1nd")));
            assert_eq!(new.supersedes.as_deref(), Some("cache@5"));
        }
        assert_eq!(take_in(Some(&theirs("old", 3)), &theirs("old", 9), &slug), Ok(Decision::Unchanged));
        let strong = live(&with(State::Verified, None), 5);
        let refused = take_in(Some(&strong), &theirs("other", 9), &slug).expect_err("refused");
        assert_eq!(refused.code(), codes::CLAIM_WOULD_DOWNGRADE);
        let named = take_in(Some(&live(&draft("Cache!", "x"), 5)), &theirs("other", 9), &slug);
        assert_eq!(named.expect_err("refused").code(), codes::CLAIM_SLUG_TAKEN);
    }

    #[test] // spec: MEM-8
    fn two_labels_with_one_slug_never_merge() {
        let old = live(&draft("A b", "one"), 5);
        let refused = decide(Some(&old), &draft("a/B!", "two"), 9).expect_err("refused");
        assert_eq!(refused.code(), codes::CLAIM_SLUG_TAKEN);
        assert!(refused.to_string().contains("\"A b\""), "{refused}");
    }

    #[test] // spec: MEM-9
    fn a_nonsense_confidence_on_disk_blocks_no_correction() {
        let mut text = draft("cache", "old").file(&author(), at(5), None).render();
        text.push_str("[𝔻 confidence: 99]\n");
        let old = Claim::parse(text.as_bytes()).expect("a claim");
        assert!(matches!(
            decide(Some(&old), &with(State::Authored, Some(1.0)), 9),
            Ok(Decision::Supersede { .. })
        ));
    }

    #[test]
    fn a_claim_over_256_kib_is_refused_whole() {
        let refused = decide(None, &draft("big", &"x".repeat(CLAIM_LEN_MAX)), 9).expect_err("refused");
        assert_eq!(refused.code(), codes::CLAIM_TOO_LARGE);
    }
}
