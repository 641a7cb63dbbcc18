//! Two versions of one label that grew apart: when one plainly follows, and how both are kept when
//! someone has to decide.

use crate::Claim;

/// What becomes of two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merged {
    /// Ours stands.
    Ours,
    /// Theirs stands.
    Theirs,
    /// Neither follows from the other: someone has to decide.
    Conflict,
}

/// One of the two sides of a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What was here.
    Ours,
    /// What came.
    Theirs,
}

impl Side {
    /// The word on the wire, and on the markers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Theirs => "theirs",
        }
    }
}

/// Merges two versions with their common ancestor, if there is one. The same on both machines, up
/// to who is called ours.
pub fn merge(base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> Merged {
    if ours == theirs || base == Some(theirs) {
        return Merged::Ours;
    }
    if base == Some(ours) {
        return Merged::Theirs;
    }
    let (Ok(mine), Ok(other)) = (Claim::parse(ours), Claim::parse(theirs)) else {
        return Merged::Conflict;
    };
    if follows(&mine, &other) {
        return Merged::Ours;
    }
    if follows(&other, &mine) {
        return Merged::Theirs;
    }
    if says_the_same(&mine, &other) {
        // The older birth stands, so that both machines choose the same file.
        let first = (mine.created, ours) <= (other.created, theirs);
        return if first { Merged::Ours } else { Merged::Theirs };
    }
    Merged::Conflict
}

/// Merges files of which one or both are already undecided: what another version follows or repeats is
/// dropped, and of what is left at most two sides stand, the youngest. `None` when a file is no claim and
/// has no sides.
pub fn flatten(ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let mut versions: Vec<Claim> = Vec::new();
    for bytes in [ours, theirs] {
        match Claim::parse(bytes) {
            Ok(claim) => versions.push(claim),
            Err(_) => {
                let (first, second) = sides(bytes)?;
                versions.extend([first, second]);
            }
        }
    }
    let mut heads: Vec<Claim> = Vec::new();
    for (at, version) in versions.iter().enumerate() {
        let repeated = heads.iter().any(|head| head.file == version.file);
        let followed =
            versions.iter().enumerate().any(|(other, later)| other != at && follows(later, version));
        if !repeated && !followed {
            heads.push(version.clone());
        }
    }
    // The youngest two are kept, and what was here stays the first of them.
    while heads.len() > 2 {
        let oldest = (0..heads.len()).min_by_key(|at| heads[*at].created).expect("there are some");
        heads.remove(oldest);
    }
    match heads.as_slice() {
        [] => None,
        [one] => Some(one.file.render().into_bytes()),
        [first, second, ..] => {
            Some(conflict(first.file.render().as_bytes(), second.file.render().as_bytes()))
        }
    }
}

/// Whether `later` was written over exactly `earlier`.
fn follows(later: &Claim, earlier: &Claim) -> bool {
    let stamp = later.supersedes.as_deref().and_then(|before| before.rsplit_once('@'));
    stamp
        .and_then(|(_, ms)| ms.parse().ok())
        .is_some_and(|ms: i64| earlier.created.is_some_and(|at| at.ms() == ms))
}

/// Whether two versions say the same, with the same strength, by the same author.
pub fn says_the_same(a: &Claim, b: &Claim) -> bool {
    a.label == b.label
        && a.title == b.title
        && a.text == b.text
        && a.strength() == b.strength()
        && a.evidence == b.evidence
        && a.depends_on == b.depends_on
        && a.tags == b.tags
        && a.source_agent == b.source_agent
}

/// A file that holds both versions whole, between the markers git uses.
pub fn conflict(ours: &[u8], theirs: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut part = |head: &str, bytes: &[u8]| {
        file.extend_from_slice(head.as_bytes());
        file.extend_from_slice(bytes);
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            file.push(b'\n');
        }
    };
    part("<<<<<<< ours\n", ours);
    part("=======\n", theirs);
    part(">>>>>>> theirs\n", b"");
    file
}

/// The two versions in a file with conflict markers, ours or git's own; `None` when a side is no
/// claim by itself.
pub fn sides(bytes: &[u8]) -> Option<(Claim, Claim)> {
    enum At {
        Both,
        Ours,
        Base,
        Theirs,
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let (mut ours, mut theirs, mut at) = (String::new(), String::new(), At::Both);
    let mut marked = false;
    for line in text.split_inclusive('\n') {
        let mark = line.trim_end_matches(['\r', '\n']);
        match at {
            At::Both if mark.starts_with("<<<<<<< ") => at = At::Ours,
            At::Ours if mark.starts_with("||||||| ") => at = At::Base,
            At::Ours | At::Base if mark == "=======" => at = At::Theirs,
            At::Theirs if mark.starts_with(">>>>>>> ") => {
                at = At::Both;
                marked = true;
            }
            At::Both => {
                ours.push_str(line);
                theirs.push_str(line);
            }
            At::Ours => ours.push_str(line),
            At::Base => {}
            At::Theirs => theirs.push_str(line),
        }
    }
    let whole = marked && matches!(at, At::Both);
    whole
        .then(|| Some((Claim::parse(ours.as_bytes()).ok()?, Claim::parse(theirs.as_bytes()).ok()?)))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::tests::{author, draft};
    use brainstem_base::Timestamp;
    use proptest::prelude::*;

    fn version(text: &str, created: i64, supersedes: Option<&str>) -> Vec<u8> {
        let file =
            draft("cache", text).file(&author(), Timestamp::from_ms(created), supersedes.map(str::to_owned));
        file.render().into_bytes()
    }

    #[test] // spec: MEM-49
    fn what_plainly_follows_stands_and_the_rest_waits() {
        let base = version("one", 1, None);
        let ours = version("two", 2, Some("cache@1"));
        let theirs = version("three", 3, Some("cache@1"));
        let later = version("four", 4, Some("cache@2"));
        assert_eq!(merge(Some(&base), &ours, &ours), Merged::Ours);
        assert_eq!(merge(Some(&base), &ours, &base), Merged::Ours);
        assert_eq!(merge(Some(&base), &base, &theirs), Merged::Theirs);
        assert_eq!(merge(Some(&base), &ours, &later), Merged::Theirs, "written over ours");
        assert_eq!(merge(Some(&base), &later, &ours), Merged::Ours);
        assert_eq!(merge(Some(&base), &ours, &theirs), Merged::Conflict);
        assert_eq!(merge(None, &ours, &theirs), Merged::Conflict, "born on both sides");
        let again = version("two", 9, Some("cache@1"));
        assert_eq!(merge(Some(&base), &ours, &again), Merged::Ours);
        assert_eq!(merge(Some(&base), &again, &ours), Merged::Theirs, "the same file on both machines");
        assert_eq!(merge(Some(&base), &ours, b"not a claim"), Merged::Conflict);
    }

    #[test] // spec: MEM-49
    fn a_third_version_never_nests() {
        let (one, two) = (version("one", 1, None), version("two", 2, None));
        let undecided = conflict(&one, &two);
        let three = version("three", 3, None);
        let merged = flatten(&undecided, &three).expect("claims");
        let (first, second) = sides(&merged).expect("two sides, no more");
        assert_eq!(
            (first.text.as_str(), second.text.as_str()),
            ("two", "three"),
            "what was here comes first"
        );
        let decided = version("decided", 4, Some("cache@2"));
        let (first, second) = sides(&flatten(&undecided, &decided).expect("claims")).expect("two sides");
        assert_eq!(
            (first.text.as_str(), second.text.as_str()),
            ("one", "decided"),
            "what is followed is dropped"
        );
        assert_eq!(flatten(&undecided, &undecided).expect("claims"), undecided);
        for (ours, theirs) in [(&one, &two), (&two, &one)] {
            let merged = flatten(ours, theirs).expect("claims");
            assert_eq!(merged, conflict(ours, theirs), "which is younger decides nothing");
        }
        assert_eq!(flatten(b"no claim", &three), None);
    }

    #[test] // spec: MEM-49
    fn gits_own_markers_are_read_too() {
        let text = "---\nProtocol: L1GHT/1.0\nNode: x\n<<<<<<< HEAD\nCreated: 1\n||||||| base\nCreated: 0\n=======\nCreated: 2\n>>>>>>> other\n---\n\n# x\n";
        let (ours, theirs) = sides(text.as_bytes()).expect("two claims");
        assert_eq!(
            (ours.created, theirs.created),
            (Some(Timestamp::from_ms(1)), Some(Timestamp::from_ms(2)))
        );
        assert!(sides(&version("plain", 1, None)).is_none(), "a claim without markers has no sides");
        assert!(sides(b"<<<<<<< a\nno claim\n=======\nnone\n>>>>>>> b\n").is_none());
    }

    proptest! {
        #[test] // spec: MEM-49
        fn both_sides_of_a_conflict_come_back_byte_for_byte(a in "[^<>=|]{0,40}", b in "[^<>=|]{0,40}") {
            let (ours, theirs) = (version(&a, 1, None), version(&b, 2, None));
            let (mine, other) = sides(&conflict(&ours, &theirs)).expect("two claims");
            prop_assert_eq!(mine.file.render().into_bytes(), ours);
            prop_assert_eq!(other.file.render().into_bytes(), theirs);
        }

        #[test] // spec: MEM-49
        fn both_machines_decide_alike(a in "[ab]{0,2}", b in "[ab]{0,2}", at in 1..4i64, bt in 1..4i64) {
            let (ours, theirs) = (version(&a, at, None), version(&b, bt, None));
            let mirrored = match merge(None, &theirs, &ours) {
                Merged::Ours => Merged::Theirs,
                Merged::Theirs => Merged::Ours,
                Merged::Conflict => Merged::Conflict,
            };
            let here = merge(None, &ours, &theirs);
            prop_assert!(here == mirrored || ours == theirs, "{here:?} {mirrored:?}");
        }
    }
}
