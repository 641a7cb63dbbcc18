use super::*;
use crate::draft::tests::{author, draft};
use brainstem_base::Timestamp;
use proptest::prelude::*;

/// A version written over others, as this program writes it.
fn over(text: &str, created: i64, before: &[&[u8]]) -> Vec<u8> {
    let before: Vec<Claim> = before.iter().map(|bytes| claim(bytes)).collect();
    let supersedes = before.first().and_then(|before| Some(format!("cache@{}", before.created?.ms())));
    let mut file = draft("cache", text).file(&author(), Timestamp::from_ms(created), supersedes);
    follow(&mut file, &before.iter().collect::<Vec<_>>());
    file.render().into_bytes()
}

fn born(text: &str, created: i64) -> Vec<u8> {
    over(text, created, &[])
}

fn claim(bytes: &[u8]) -> Claim {
    Claim::parse(bytes).expect("a claim")
}

/// A file as an editor leaves it.
fn by_hand(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = std::str::from_utf8(bytes).expect("text");
    assert!(text.contains(from), "{text}");
    text.replace(from, to).into_bytes()
}

fn stamped(bytes: &[u8], copy: &str) -> Vec<u8> {
    let mut file = claim(bytes).file;
    file.set(keys::PROMOTED_TO, copy);
    file.render().into_bytes()
}

fn renamed(bytes: &[u8], label: &str) -> Vec<u8> {
    relabelled(&claim(bytes), &Label::parse(label).expect("a label")).file.render().into_bytes()
}

/// What stands after a merge, the same on both machines: the texts in order, and whether nobody has to decide.
fn merged(base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> (Vec<String>, bool) {
    let outcome = |ours: &[u8], theirs: &[u8]| match merge(base, ours, theirs) {
        Merged::Ours => (ours.to_vec(), true),
        Merged::Theirs => (theirs.to_vec(), true),
        Merged::Together(bytes) => (bytes, true),
        Merged::Apart(bytes) => (bytes, false),
    };
    let (bytes, is_clean) = outcome(ours, theirs);
    let (mirrored, is_clean_there) = outcome(theirs, ours);
    assert_eq!(is_clean, is_clean_there, "both machines are asked, or none");
    let files = |bytes: &[u8]| -> Vec<String> {
        let versions = versions_in(bytes).expect("claims");
        versions.iter().map(|version| version.file.render()).collect()
    };
    let (here, mut there) = (files(&bytes), files(&mirrored));
    let mut sorted = here.clone();
    sorted.sort();
    there.sort();
    assert_eq!(sorted, there, "both machines keep the same");
    (versions_in(&bytes).expect("claims").into_iter().map(|version| version.text).collect(), is_clean)
}

fn clean(text: &str) -> (Vec<String>, bool) {
    (vec![text.to_owned()], true)
}

fn apart(texts: &[&str]) -> (Vec<String>, bool) {
    (texts.iter().map(|text| (*text).to_owned()).collect(), false)
}

#[test] // spec: MEM-49
fn what_plainly_follows_stands_and_the_rest_waits() {
    let base = born("one", 1);
    let (ours, theirs) = (over("two", 2, &[&base]), over("three", 3, &[&base]));
    let later = over("four", 4, &[&ours]);
    assert_eq!(merged(Some(&base), &ours, &ours), clean("two"));
    assert_eq!(merged(Some(&base), &ours, &base), clean("two"));
    assert_eq!(merged(Some(&base), &ours, &later), clean("four"), "written over ours");
    assert_eq!(merged(None, &ours, &later), clean("four"), "also without an ancestor");
    assert_eq!(merged(Some(&base), &ours, &theirs), apart(&["two", "three"]));
    assert_eq!(merged(None, &ours, &theirs), apart(&["two", "three"]), "born on both sides");
    let again = over("two", 9, &[&base]);
    assert_eq!(merged(Some(&base), &ours, &again), clean("two"), "said twice");
    let Merged::Apart(both) = merge(Some(&base), &ours, b"no claim") else { panic!("nothing is chosen") };
    assert!(both.windows(8).any(|window| window == b"no claim"), "what is no claim is kept too");
}

#[test] // spec: MEM-49, MEM-5a
fn an_edit_by_hand_never_gives_way_to_what_was_written_over_something_else() {
    let base = born("as it was", 1);
    let new = over("new", 2, &[&base]);
    for (from, to) in [
        ("as it was", "corrected"),
        ("State: authored", "State: verified"),
        ("---\n\n#", "X-Note: mine\n---\n\n#"),
        ("[⍂", "[𝔻 ambiguity: whose]\n[⍂"),
    ] {
        let edited = by_hand(&base, from, to);
        let (texts, is_clean) = merged(Some(&base), &edited, &new);
        assert_eq!((texts.len(), is_clean), (2, false), "{to}: {texts:?}");
        let over_the_edit = over("newer", 3, &[&edited]);
        assert_eq!(merged(Some(&base), &edited, &over_the_edit), clean("newer"), "{to}");
    }
    let (one, two) =
        (by_hand(&base, "---\n\n#", "A: 1\n---\n\n#"), by_hand(&base, "---\n\n#", "B: 2\n---\n\n#"));
    assert!(!merged(Some(&base), &one, &two).1, "two edits of one version are two");
}

#[test] // spec: MEM-49, MEM-5a
fn files_of_an_older_program_are_never_chosen_between_by_their_stamps() {
    let old = |text: &str, created, before: Option<&str>| {
        let file =
            draft("cache", text).file(&author(), Timestamp::from_ms(created), before.map(str::to_owned));
        file.render().into_bytes()
    };
    let base = old("one", 1, None);
    let (two, three) = (old("two", 2, Some("cache@1")), old("three", 3, Some("cache@2")));
    assert_eq!(
        merged(Some(&base), &two, &three),
        apart(&["two", "three"]),
        "nothing shows that it is the same two"
    );
    assert_eq!(merged(Some(&base), &by_hand(&base, "one", "uno"), &two), apart(&["uno", "two"]));
    assert_eq!(merged(Some(&two), &two, &three), clean("three"), "git knows");
}

#[test] // spec: MEM-49, MEM-48
fn a_rename_and_a_new_version_are_both_kept() {
    let base = born("one", 1);
    let (ours, theirs) = (renamed(&base, "Page cache"), over("two", 2, &[&base]));
    let Merged::Together(bytes) = merge(Some(&base), &ours, &theirs) else { panic!("both can be had") };
    let both = claim(&bytes);
    assert_eq!((both.label.as_str(), both.text.as_str()), ("Page cache", "two"));
    assert!(both.follows(&claim(&ours)) && both.follows(&claim(&theirs)) && both.follows(&claim(&base)));
    assert_eq!(merged(Some(&base), &ours, &theirs), clean("two"));
    let other = renamed(&base, "Cache of pages");
    assert_eq!(merged(Some(&base), &ours, &other).0.len(), 2, "two names for one claim: someone decides");
}

#[test] // spec: MEM-49, MEM-34
fn the_stamp_of_a_promotion_survives_and_decides_nothing() {
    let base = born("one", 1);
    let promoted = stamped(&base, "medulla@cache@7");
    let edited = by_hand(&base, "one", "uno");
    let Merged::Together(bytes) = merge(Some(&base), &edited, &promoted) else { panic!("both can be had") };
    assert_eq!(claim(&bytes).promoted_to.as_deref(), Some("medulla@cache@7"));
    assert_eq!(merged(Some(&base), &edited, &promoted), clean("uno"));
    let Merged::Together(bytes) = merge(Some(&base), &renamed(&base, "Page cache"), &promoted) else {
        panic!("both can be had")
    };
    assert_eq!(claim(&bytes).promoted_to.as_deref(), Some("medulla@cache@7"));
    let new = over("two", 2, &[&base]);
    assert_eq!(merge(Some(&base), &new, &promoted), Merged::Ours, "the copy is of the version before");
    let elsewhere = stamped(&base, "medulla@cache@5");
    assert_eq!(merged(Some(&base), &promoted, &elsewhere), clean("one"));
}

#[test] // spec: MEM-49
fn a_third_version_is_kept_and_nothing_nests() {
    let base = born("base", 1);
    let [zero, one, two] = ["zero", "one", "two"].map(|text| over(text, 2 + text.len() as i64, &[&base]));
    let Merged::Apart(undecided) = merge(Some(&base), &zero, &one) else { panic!("they grew apart") };
    assert_eq!(merged(Some(&base), &undecided, &two), apart(&["zero", "one", "two"]));
    assert_eq!(merged(None, &undecided, &two), apart(&["zero", "one", "two"]));
    let decided = over("decided", 9, &[&zero, &one]);
    assert_eq!(merged(None, &undecided, &decided), clean("decided"));
    assert_eq!(merged(Some(&undecided), &undecided, &decided), clean("decided"));
    let half = over("half", 9, &[&one]);
    assert_eq!(
        merged(None, &undecided, &half),
        apart(&["zero", "half"]),
        "what is followed goes, and no more"
    );
    // One machine decides while another brings a third version in.
    let Merged::Apart(three) = merge(Some(&base), &undecided, &two) else { panic!("they grew apart") };
    assert_eq!(merged(Some(&undecided), &three, &decided), apart(&["two", "decided"]));
    let mut taken = claim(&one).file;
    follow(&mut taken, &[&claim(&zero)]);
    let taken = taken.render().into_bytes();
    assert_eq!(merged(Some(&undecided), &taken, &three), apart(&["one", "two"]));
}

#[test] // spec: MEM-49
fn two_decisions_that_differ_are_asked_about_again() {
    let (zero, one) = (born("zero", 1), born("one", 2));
    let undecided = join(&[&zero, &one]);
    let take = |side: &[u8], other: &[u8]| {
        let mut file = claim(side).file;
        follow(&mut file, &[&claim(other)]);
        file.render().into_bytes()
    };
    let (here, there) = (take(&zero, &one), take(&one, &zero));
    for base in [Some(undecided.as_slice()), None] {
        assert_eq!(merged(base, &here, &there), apart(&["zero", "one"]));
    }
    assert_eq!(merged(Some(&undecided), &here, &here), clean("zero"));
}

/// Each step makes a version of a random one that is there, by one of the ways there are.
fn grown(steps: &[(u8, u8, u8)]) -> Vec<Vec<u8>> {
    let mut versions = vec![born("0", 1)];
    for (n, (kind, of, other)) in steps.iter().enumerate() {
        let of = versions[usize::from(*of) % versions.len()].clone();
        let other = versions[usize::from(*other) % versions.len()].clone();
        let created = 2 + n as i64 / 2;
        let next = match kind % 6 {
            0 | 1 => over(&format!("text {n}"), created, &[&of]),
            2 => over(&format!("text {n}"), created, &[&of, &other]),
            3 => by_hand(&of, "---\n\n#", &format!("X-{n}: edited\n---\n\n#")),
            4 => stamped(&of, &format!("medulla@cache@{n}")),
            _ => renamed(&of, &format!("label {n}")),
        };
        versions.push(next);
    }
    versions
}

proptest! {
    #[test] // spec: MEM-49, MEM-5a
    fn no_merge_drops_what_neither_side_was_made_over(
        steps in proptest::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 1..8),
        picks in proptest::array::uniform5(any::<u8>()),
        has_base in any::<bool>(),
    ) {
        let versions = grown(&steps);
        let pick = |at: usize| versions[usize::from(picks[at]) % versions.len()].as_slice();
        let side = |a: usize, b: usize| match claim(pick(a)).is_version(&claim(pick(b))) {
            true => pick(a).to_vec(),
            false => join(&[pick(a), pick(b)]),
        };
        let (ours, theirs) = (side(0, 1), side(2, 3));
        let base = has_base.then(|| pick(4));
        let bytes = match merge(base, &ours, &theirs) {
            Merged::Ours => ours.clone(),
            Merged::Theirs => theirs.clone(),
            Merged::Together(bytes) | Merged::Apart(bytes) => bytes,
        };
        let kept = versions_in(&bytes).expect("claims");
        prop_assert!(!kept.is_empty());
        let before = base.map(claim);
        for version in [&ours, &theirs].into_iter().flat_map(|file| versions_in(file).expect("claims")) {
            let is_there = |other: &Claim| other.is_version(&version) || other.follows(&version);
            let is_known = before.as_ref().is_some_and(|before| before.is_version(&version));
            prop_assert!(kept.iter().any(is_there) || is_known, "{} vanished from {kept:?}", version.file.render());
        }
    }
}
