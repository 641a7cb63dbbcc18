use super::*;
use crate::draft::tests::{author, draft};
use crate::{ClaimDraft, State, age};
use brainstem_base::{Coded as _, codes};
use proptest::prelude::*;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(ms)
}

fn slug() -> ClaimSlug {
    ClaimSlug::of(&Label::parse("Retry policy").expect("a label"))
}

fn witness(text: &str, created: i64) -> Claim {
    let evidence = ["src/a b.rs#L3", "/etc/hosts", "https://example.org/x"].map(Evidence::parse).to_vec();
    let draft = ClaimDraft { evidence, ..draft("Retry policy", text) };
    Claim::from(draft.file(&author(), at(created), Some("retry-policy@3".into())))
}

fn promotion() -> Promotion {
    Promotion {
        by: AgentId::parse("claude:orchestrator").expect("an id"),
        reason: "holds in plum too".into(),
        ground: PromotionBasis::parse("observed-in:plum@0a1b2c3d"),
        origin_brain: "cherry@0a1b2c3d".into(),
        root: "/src/cherry".into(),
    }
}

fn decided(live: Option<&Claim>, witness: &Claim, now: i64) -> Result<Decision, DecisionRefusal> {
    promote(live, witness, &CopyNames::of(witness, &slug()), &promotion(), at(now))
}

fn born(witness: &Claim, now: i64) -> Claim {
    match decided(None, witness, now) {
        Ok(Decision::Birth(file)) => Claim::from(file),
        other => panic!("{other:?}"),
    }
}

#[test] // spec: MEM-34, MEM-34a, MEM-36
fn a_copy_says_what_its_witness_says_and_where_it_came_from() {
    let original = witness("three times", 1_000);
    let copy = born(&original, 9_000);
    assert_eq!((copy.created, copy.source_agent.clone()), (Some(at(9_000)), original.source_agent.clone()));
    assert_eq!((copy.title.clone(), copy.text.clone()), (original.title.clone(), original.text.clone()));
    assert_eq!((copy.supersedes.clone(), copy.strength()), (None, original.strength()));
    assert_eq!(age::of(&copy, at(9_500)).ms, Some(8_500), "age counts from the original's birth");
    let paths: Vec<&str> = copy.evidence.iter().map(|evidence| evidence.path.as_str()).collect();
    assert_eq!(paths, ["/src/cherry/src/a b.rs", "/etc/hosts", "https://example.org/x"]);
    assert_eq!(copy.evidence[0].anchor.as_deref(), Some("L3"));
    let provenance = Provenance::of(&copy).expect("a copy");
    assert_eq!(provenance.witness(), Some(("cherry@0a1b2c3d", slug())));
    assert_eq!(provenance.ground.as_deref(), Some("observed-in:plum@0a1b2c3d"));
    let agent = original.source_agent.as_deref().unwrap_or_default();
    let chain = chain(&copy).expect("a copy");
    let expected = format!(
        "learned in cherry by {agent} on 1970-01-01; promoted by claude:orchestrator on 1970-01-01: holds in plum too"
    );
    assert_eq!(chain, expected);
    assert_eq!(super::chain(&original), None);
}

#[test] // spec: MEM-34
fn a_promotion_that_is_repeated_changes_nothing_and_a_weaker_one_is_refused() {
    let original = witness("three times", 1_000);
    let copy = born(&original, 9_000);
    let mut stamped = original.clone();
    stamped.file.set(keys::PROMOTED_TO, "medulla@retry-policy@9000");
    assert_eq!(decided(Some(&copy), &Claim::from(stamped.file), 99_000), Ok(Decision::Unchanged));
    let other = witness("four times", 2_000);
    for now in [99_000, 5] {
        let Ok(Decision::Supersede { new, .. }) = decided(Some(&copy), &other, now) else {
            panic!("an equal strength supersedes");
        };
        let new = Claim::from(new);
        assert!(new.created > copy.created);
        assert_eq!(new.supersedes.as_deref(), Some("retry-policy@9000"));
    }
    let mut strong = copy.clone();
    strong.file.set(keys::STATE, State::Verified.as_str());
    let refused = decided(Some(&Claim::from(strong.file)), &other, 99_000).expect_err("refused");
    assert_eq!(refused.code(), codes::CLAIM_WOULD_DOWNGRADE);
    // Another claim with the slug stays; a copy of this claim in another spelling is replaced.
    let mut named = witness("something else", 500);
    named.file.relabel("retry/POLICY");
    let refused = decided(Some(&Claim::from(named.file)), &other, 99_000).expect_err("refused");
    assert_eq!(refused.code(), codes::CLAIM_SLUG_TAKEN);
    let mut spelled = copy;
    spelled.file.relabel("retry/POLICY");
    let decided = decided(Some(&Claim::from(spelled.file)), &other, 99_000);
    assert!(matches!(decided, Ok(Decision::Supersede { .. })), "{decided:?}");
}

#[test] // spec: MEM-34, MEM-34a
fn a_stamp_changes_one_line_of_the_witness() {
    let original = witness("three times", 1_000);
    let Decision::Stamp { outdated, new } = stamp(&original, &slug(), Some(at(9_000))) else {
        panic!("a first stamp");
    };
    assert_eq!(outdated, original.outdated());
    let stamped = Claim::from(new.clone());
    assert_eq!((stamped.created, &stamped.source_agent), (original.created, &original.source_agent));
    assert_eq!(copy_named(&stamped), Some((slug(), at(9_000))));
    let mut unstamped = new;
    unstamped.remove(keys::PROMOTED_TO);
    assert_eq!(unstamped, original.file);
    assert_eq!(stamp(&stamped, &slug(), Some(at(9_000))), Decision::Unchanged);
    assert!(matches!(stamp(&stamped, &slug(), Some(at(9_001))), Decision::Stamp { .. }));
}

#[test] // spec: IF-26
fn a_ground_is_one_of_three() {
    for text in ["doctrine", "telemetry", "observed-in:/src/plum"] {
        assert_eq!(PromotionBasis::parse(text).map(|ground| ground.to_string()).as_deref(), Some(text));
    }
    for text in ["", "observed-in:", "observed-in: ", "Doctrine", "rumour"] {
        assert_eq!(PromotionBasis::parse(text), None, "{text:?}");
    }
}

proptest! {
    #[test] // spec: MEM-34, MEM-7
    fn whatever_a_claim_says_its_copy_says(text in any::<String>(), title in any::<String>(), reason in any::<String>()) {
        let draft = ClaimDraft { title: Some(title), ..draft("Retry policy", &text) };
        let Ok(draft) = draft.normalise() else { return Ok(()) };
        let original = Claim::from(draft.file(&author(), at(5), None));
        let made = Promotion { reason: reason.clone(), ..promotion() };
        let Ok(Decision::Birth(file)) = promote(None, &original, &CopyNames::of(&original, &slug()), &made, at(9)) else {
            panic!("a birth");
        };
        let copy = Claim::parse(file.render().as_bytes()).expect("what we write, we read");
        prop_assert_eq!((&copy.title, &copy.text), (&original.title, &original.text));
        prop_assert_eq!(Provenance::of(&copy).and_then(|p| p.reason).unwrap_or_default(), reason);
        prop_assert_eq!(copy.source_agent, original.source_agent);
    }
}
