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

/// A version that was taken, and the other one was not.
fn taken(side: &[u8], other: &[u8]) -> Vec<u8> {
    let mut file = claim(side).file;
    follow(&mut file, &[&claim(other)]);
    file.render().into_bytes()
}

/// The result of a merge, the same on both machines: the texts in order, and whether it needs no decision.
fn merged(base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> (Vec<String>, bool) {
    let outcome = |ours: &[u8], theirs: &[u8]| match merge(base, ours, theirs) {
        Merged::Ours => (ours.to_vec(), true),
        Merged::Theirs => (theirs.to_vec(), true),
        Merged::Together(bytes) => (bytes, true),
        Merged::Apart(bytes) => (bytes, false),
        Merged::TooLarge => panic!("these files are small"),
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

#[test] // spec: MEM-5a, MEM-49
fn what_was_decided_against_is_followed_by_what_was_written_over_the_decision() {
    let (one, other) = (born("one", 1), born("other", 2));
    let later = over("later", 3, &[&one]);
    let apart_from_it = born("apart", 4);
    // One clone decides for `one`; another writes over `one` without knowing the decision.
    let decided = taken(&one, &other);
    for (ours, theirs) in [(&later, &decided), (&decided, &later)] {
        let Merged::Together(bytes) = merge(Some(&one), ours, theirs) else { panic!("one stands") };
        assert!(claim(&bytes).is_version(&claim(&later)));
        assert!(claim(&bytes).follows(&claim(&other)), "nobody is asked about it again");
    }
    // The same for each of several that wait.
    let waiting = join(&[&later, &apart_from_it]);
    let Merged::Apart(bytes) = merge(Some(&one), &waiting, &decided) else { panic!("two wait") };
    let follow_it: Vec<bool> =
        versions_in(&bytes).expect("claims").iter().map(|side| side.follows(&claim(&other))).collect();
    assert_eq!(follow_it, [true, false]);
    assert_eq!(
        merge(Some(&one), &over("later", 3, &[&decided]), &decided),
        Merged::Ours,
        "it knows all of it"
    );
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

#[test] // spec: MEM-49, MEM-48, MEM-5a
fn versions_that_get_the_new_name_follow_what_was_renamed() {
    let base = born("one", 1);
    let two = over("two", 2, &[&base]);
    let (three, four) = (over("three", 3, &[&two]), over("four", 4, &[&base]));
    let ours = renamed(&base, "Page cache");
    let Merged::Apart(bytes) = merge(Some(&base), &ours, &join(&[&two, &three, &four])) else {
        panic!("three and four grew apart")
    };
    let kept = versions_in(&bytes).expect("claims");
    assert_eq!(kept.iter().map(|version| version.text.as_str()).collect::<Vec<_>>(), ["three", "four"]);
    assert!(kept.iter().all(|version| version.label == "Page cache" && version.follows(&claim(&ours))));
    assert_eq!(
        merged(None, &ours, &bytes),
        apart(&["three", "four"]),
        "what was renamed comes back from no clone"
    );
}

#[test] // spec: MEM-49, MEM-48, MEM-5a
fn what_stands_for_a_version_names_it_as_it_was_before_the_rename_too() {
    let base = born("one", 1);
    let ours = renamed(&base, "Page cache");
    let (edited, other) = (by_hand(&ours, "one", "uno"), by_hand(&ours, "one", "eins"));
    let back = over("back", 5, &[&edited]);
    let Merged::Apart(bytes) = merge(Some(&edited), &back, &join(&[&ours, &other])) else {
        panic!("back and eins grew apart")
    };
    let kept = versions_in(&bytes).expect("claims");
    assert_eq!(kept.iter().map(|version| version.text.as_str()).collect::<Vec<_>>(), ["back", "eins"]);
    assert!(kept[0].follows(&claim(&base)) && kept[0].follows(&claim(&ours)));
    let theirs = join(&[&taken(&edited, &other), &other]);
    let Merged::Together(bytes) = merge(Some(&ours), &back, &theirs) else {
        panic!("back was written over uno")
    };
    assert!(claim(&bytes).follows(&claim(&other)), "uno was taken instead of eins");
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
    assert_eq!(merged(Some(&undecided), &taken(&one, &zero), &three), apart(&["one", "two"]));
}

#[test] // spec: MEM-49
fn two_decisions_that_differ_are_asked_about_again() {
    let (zero, one) = (born("zero", 1), born("one", 2));
    let undecided = join(&[&zero, &one]);
    let (here, there) = (taken(&zero, &one), taken(&one, &zero));
    for base in [Some(undecided.as_slice()), None] {
        assert_eq!(merged(base, &here, &there), apart(&["zero", "one"]));
    }
    assert_eq!(merged(Some(&undecided), &here, &here), clean("zero"));
}

#[test] // spec: MEM-49, MEM-5a
fn a_version_put_back_on_one_side_stays_when_what_was_written_over_it_was_dropped() {
    let one = born("one", 1);
    let (two, aside) = (over("two", 2, &[&one]), born("aside", 3));
    let undecided = join(&[&two, &aside]);
    assert_eq!(
        merged(Some(&two), &undecided, &one).0,
        ["aside", "one"],
        "the side that put one back dropped two, so two does not stand for it"
    );
    assert!(!merged(Some(&two), &undecided, &one).1);
    let stamped_two = stamped(&two, "medulla@cache@7");
    assert_eq!(
        merged(Some(&two), &stamped_two, &one),
        clean("one"),
        "a stamp keeps nothing from being dropped"
    );
    let three = over("three", 4, &[&two]);
    assert_eq!(merged(Some(&two), &three, &one), clean("three"), "it was written over both");
}

#[test] // spec: MEM-49, MEM-5a
fn a_name_that_one_side_kept_stays_when_what_was_written_over_it_was_dropped() {
    let base = born("one", 1);
    let [first, second, third] = ["first", "second", "third"].map(|label| renamed(&base, label));
    let labels = |base: &[u8], ours: &[u8], theirs: &[u8]| -> Vec<String> {
        let Merged::Apart(bytes) = merge(Some(base), ours, theirs) else { panic!("names differ") };
        versions_in(&bytes).expect("claims").into_iter().map(|version| version.label).collect()
    };
    let both = over("both", 2, &[&base, &first]);
    assert_eq!(
        labels(&both, &join(&[&both, &second]), &join(&[&first, &third])),
        ["second", "first", "third"],
        "names given to one version in the same moment are told apart"
    );
}

#[test] // spec: MEM-49, MEM-5a
fn a_version_under_its_old_name_stays_when_its_rename_was_dropped() {
    let base = born("one", 1);
    let first = renamed(&base, "first");
    let (here, there) = (by_hand(&base, "one", "uno"), by_hand(&base, "one", "eins"));
    let promoted = stamped(&first, "medulla@cache@7");
    let (ours, theirs) = (join(&[&here, &promoted]), join(&[&there, &base]));
    assert_eq!(merged(Some(&first), &ours, &theirs), apart(&["uno", "eins", "one"]));
}

#[test] // spec: MEM-49, MEM-5a
fn decisions_in_a_ring_are_all_asked_about_beside_a_version_they_do_not_touch() {
    let [one, two, three, aside] =
        [("one", 1), ("two", 2), ("three", 3), ("aside", 4)].map(|(text, at)| born(text, at));
    let ours = join(&[&taken(&one, &three), &aside]);
    let theirs = join(&[&taken(&two, &one), &taken(&three, &two)]);
    assert_eq!(merged(None, &ours, &theirs), apart(&["one", "aside", "two", "three"]));
}

#[test] // spec: MEM-49, MEM-5a
fn a_decision_holds_for_what_was_written_over_the_version_it_took() {
    let [zero, one, aside] = [("zero", 1), ("one", 2), ("aside", 3)].map(|(text, at)| born(text, at));
    let undecided = join(&[&zero, &one]);
    let taken = taken(&zero, &one);
    let newer = over("newer", 4, &[&zero]);
    assert_eq!(merged(Some(&undecided), &taken, &join(&[&newer, &one])), clean("newer"));
    // Beside another version too, the kept one names the versions that it replaces.
    let theirs = join(&[&newer, &one, &aside]);
    assert_eq!(merged(Some(&undecided), &taken, &theirs), apart(&["newer", "aside"]));
    let Merged::Apart(bytes) = merge(Some(&undecided), &taken, &theirs) else { panic!("aside waits") };
    let [newer, aside] = versions_in(&bytes).expect("claims").try_into().expect("two");
    assert!(newer.follows(&claim(&one)) && !aside.follows(&claim(&one)));
}

#[test] // spec: MEM-49, MEM-5a
fn two_decisions_that_differ_stay_open_when_one_of_the_versions_was_said_twice() {
    let [same, again, other, aside] =
        [("same", 1), ("same", 9), ("other", 2), ("aside", 3)].map(|(text, at)| born(text, at));
    let undecided = join(&[&taken(&again, &other), &taken(&other, &again)]);
    assert_eq!(merged(None, &same, &undecided), apart(&["same", "other"]));
    let Merged::Apart(bytes) = merge(None, &same, &undecided) else { panic!("they differ") };
    assert_eq!(merged(None, &bytes, &aside), apart(&["same", "other", "aside"]));
}

/// Each step makes a version of a random one that is there, by one of the ways there are.
fn grown(steps: &[(u8, u8, u8)]) -> Vec<Vec<u8>> {
    let mut versions = vec![born("0", 1)];
    for (n, (kind, of, other)) in steps.iter().enumerate() {
        let of = versions[usize::from(*of) % versions.len()].clone();
        let other = versions[usize::from(*other) % versions.len()].clone();
        let created = 2 + n as i64 / 2;
        let next = match kind % 7 {
            0 | 1 => over(&format!("text {n}"), created, &[&of]),
            2 => over(&format!("text {n}"), created, &[&of, &other]),
            3 => by_hand(&of, "---\n\n#", &format!("X-{n}: edited\n---\n\n#")),
            4 => stamped(&of, &format!("medulla@cache@{n}")),
            5 => renamed(&of, &format!("label {n}")),
            _ => taken(&of, &other),
        };
        versions.push(next);
    }
    versions
}

proptest! {
    #[test] // spec: MEM-49, MEM-5a
    fn no_merge_drops_what_neither_side_was_made_over(
        steps in proptest::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 1..8),
        picks in proptest::array::uniform6(any::<u8>()),
        has_base in any::<bool>(),
    ) {
        let versions = grown(&steps);
        let pick = |at: usize| versions[usize::from(picks[at]) % versions.len()].as_slice();
        let side = |a: usize, b: usize| match claim(pick(a)).is_version(&claim(pick(b))) {
            true => pick(a).to_vec(),
            false => join(&[pick(a), pick(b)]),
        };
        let (ours, theirs) = (side(0, 1), side(2, 3));
        let base = has_base.then(|| side(4, 5));
        merged(base.as_deref(), &ours, &theirs);
        let bytes = match merge(base.as_deref(), &ours, &theirs) {
            Merged::Ours => ours.clone(),
            Merged::Theirs => theirs.clone(),
            Merged::Together(bytes) | Merged::Apart(bytes) => bytes,
            Merged::TooLarge => panic!("these files are small"),
        };
        let kept = versions_in(&bytes).expect("claims");
        let before = base.as_deref().and_then(versions_in).unwrap_or_default();
        for version in [&ours, &theirs].into_iter().flat_map(|file| versions_in(file).expect("claims")) {
            let is_there = |other: &Claim| other.is_version(&version) || other.follows(&version);
            // One side may have the ancestor under a new name, which every version that is kept then has too.
            let is_renamed = |before: &Claim| {
                let label = Label::parse(&version.label).expect("a label");
                relabelled(before, &label).is_version(&version)
                    && kept.iter().all(|kept| kept.label == version.label)
            };
            let is_known = before.iter().any(|before| before.is_version(&version) || is_renamed(before));
            prop_assert!(kept.iter().any(is_there) || is_known, "{} vanished from {kept:?}", version.file.render());
        }
    }
}

/// A file as a reader of a store takes it: one claim, or several that wait.
fn is_read(bytes: &[u8]) -> bool {
    use crate::limits::CLAIM_LEN_READ_MAX;
    let is_claim = bytes.len() as u64 <= CLAIM_LEN_READ_MAX && Claim::parse(bytes).is_ok();
    is_claim || crate::undecided_file::sides(bytes).is_some()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test] // spec: MEM-49
    fn whatever_a_merge_writes_of_files_that_are_read_is_read(
        words in proptest::collection::vec(prop_oneof![20 => 1usize..40, 1 => Just(52_000)], 2..72),
        has_base in any::<bool>(),
    ) {
        let base = has_base.then(|| born("the first", 1));
        let mut ours = over("ours", 2, &base.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let mut large = 0;
        for (at, count) in words.into_iter().enumerate() {
            // A few of them are as large as a claim may be; all of them would take minutes.
            large += usize::from(count > 40);
            let count = if large > 2 { 1 } else { count };
            let theirs = born(&format!("number {at} {}", "word ".repeat(count)), at as i64 + 3);
            prop_assert!(is_read(&ours) && is_read(&theirs));
            match merge(base.as_deref(), &ours, &theirs) {
                Merged::Ours | Merged::TooLarge => {}
                Merged::Theirs => ours = theirs,
                Merged::Together(bytes) | Merged::Apart(bytes) => ours = bytes,
            }
            prop_assert!(is_read(&ours), "after {} merges", at + 1);
        }
    }
}

#[test] // spec: MEM-49
fn more_versions_than_a_file_can_hold_change_neither_side() {
    let mut ours = born("number 1", 1);
    for n in 2..=crate::limits::SIDES_MAX as i64 {
        match merge(None, &ours, &born(&format!("number {n}"), n)) {
            Merged::Apart(all) => ours = all,
            other => panic!("{n}: {other:?}"),
        }
    }
    assert_eq!(merge(None, &ours, &born("one too many", 99)), Merged::TooLarge);
}
