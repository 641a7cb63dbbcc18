//! An undecided file: several versions of one label, each whole, between the markers git uses.
//!
//! ```text
//! <<<<<<< ours 214 198
//! (the first version, 214 bytes)
//! =======
//! (the second, 198 bytes)
//! >>>>>>> theirs
//! ```
//!
//! The lengths in the first line say where each version ends, whatever its text looks like. A file without them was
//! written by an older program or changed by hand: it is read line by line. Every version in it is whole.
//!
//! A file that git itself merged is none of these: outside its markers are lines that git took from one version alone, so
//! no version can be read from it.

use crate::Claim;
use crate::limits::{SIDES_MAX, UNDECIDED_LEN_READ_MAX};

const OPEN: &str = "<<<<<<< ours";
const BETWEEN: &str = "=======\n";
/// The last line of a file that [`join`] made.
pub const CLOSE: &str = ">>>>>>> theirs\n";

/// A version in an undecided file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UndecidedSide(u8);

/// The names of the sides, in the order of the file.
const NAMES: [&str; SIDES_MAX] = [
    "ours",
    "theirs",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "17th",
    "18th",
    "19th",
    "20th",
    "21st",
    "22nd",
    "23rd",
    "24th",
    "25th",
    "26th",
    "27th",
    "28th",
    "29th",
    "30th",
    "31st",
    "32nd",
    "33rd",
    "34th",
    "35th",
    "36th",
    "37th",
    "38th",
    "39th",
    "40th",
    "41st",
    "42nd",
    "43rd",
    "44th",
    "45th",
    "46th",
    "47th",
    "48th",
    "49th",
    "50th",
    "51st",
    "52nd",
    "53rd",
    "54th",
    "55th",
    "56th",
    "57th",
    "58th",
    "59th",
    "60th",
    "61st",
    "62nd",
    "63rd",
    "64th",
];

impl UndecidedSide {
    /// The version that was here.
    pub const OURS: Self = Self(0);
    /// The version that came.
    pub const THEIRS: Self = Self(1);

    /// The side at an index in the file, from 0; `None` if no file has so many.
    pub fn at(place: usize) -> Option<Self> {
        u8::try_from(place).ok().filter(|_| place < SIDES_MAX).map(Self)
    }

    /// Its index in the file, from 0.
    pub fn place(self) -> usize {
        self.0.into()
    }

    /// The side of this name.
    pub fn parse(name: &str) -> Option<Self> {
        NAMES.iter().position(|known| *known == name).and_then(Self::at)
    }

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        NAMES[self.place()]
    }
}

/// A file that holds all these versions whole.
pub fn join(versions: &[&[u8]]) -> Vec<u8> {
    let lengths: String = versions.iter().map(|version| format!(" {}", version.len())).collect();
    let mut file = format!("{OPEN}{lengths}\n").into_bytes();
    for (place, version) in versions.iter().enumerate() {
        if place > 0 {
            file.extend_from_slice(BETWEEN.as_bytes());
        }
        file.extend_from_slice(version);
        if !version.is_empty() && !version.ends_with(b"\n") {
            file.push(b'\n');
        }
    }
    file.extend_from_slice(CLOSE.as_bytes());
    file
}

/// Whether this program can read a file of so many versions and bytes as an undecided one.
pub(crate) fn is_readable(versions: usize, len: usize) -> bool {
    (2..=SIDES_MAX).contains(&versions) && len as u64 <= UNDECIDED_LEN_READ_MAX
}

/// The versions in an undecided file, ours first; `None` if it has no markers, if one of them is not a claim, or if
/// there are more than this program reads.
pub fn sides(bytes: &[u8]) -> Option<Vec<Claim>> {
    let parts = by_lengths(bytes).or_else(|| by_lines(std::str::from_utf8(bytes).ok()?))?;
    let claims = parts.iter().map(|part| Claim::parse(part).ok()).collect::<Option<Vec<_>>>()?;
    is_readable(claims.len(), bytes.len()).then_some(claims)
}

/// The parts of a file whose first line has the length of each, if all of it fits.
fn by_lengths(bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let rest = bytes.strip_prefix(OPEN.as_bytes())?;
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let lengths = std::str::from_utf8(&rest[..end]).ok()?.split(' ').skip(1);
    let lengths = lengths.map(|len| len.parse().ok()).collect::<Option<Vec<usize>>>()?;
    let mut rest = &rest[end + 1..];
    let mut parts = Vec::new();
    for (place, len) in lengths.iter().enumerate() {
        if place > 0 {
            rest = rest.strip_prefix(BETWEEN.as_bytes())?;
        }
        let part = rest.get(..*len)?;
        rest = &rest[*len..];
        if !part.is_empty() && !part.ends_with(b"\n") {
            rest = rest.strip_prefix(b"\n")?;
        }
        parts.push(part.to_vec());
    }
    (rest == CLOSE.as_bytes()).then_some(parts)
}

/// Whether git merged this file line by line: it has conflict markers, and lines outside of them.
pub fn is_merged_by_lines(bytes: &[u8]) -> bool {
    let has = |marker: &[u8]| bytes.split(|byte| *byte == b'\n').any(|line| line.starts_with(marker));
    let has_markers = has(b"<<<<<<< ") && has(b"=======") && has(b">>>>>>> ");
    has_markers && by_lengths(bytes).is_none() && by_lines(&String::from_utf8_lossy(bytes)).is_none()
}

/// The versions of a file that has all of them whole, between one pair of conflict markers.
fn by_lines(text: &str) -> Option<Vec<Vec<u8>>> {
    #[derive(PartialEq)]
    enum MarkerPosition {
        Before,
        Part(usize),
        Base,
        After,
    }
    let mut parts = vec![String::new(), String::new()];
    let mut at = MarkerPosition::Before;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let mark = line.trim_end_matches(['\r', '\n']);
        let is_claim_next = lines.peek().is_some_and(|next| next.trim_end_matches(['\r', '\n']) == "---");
        match at {
            MarkerPosition::Before if mark.starts_with("<<<<<<< ") => at = MarkerPosition::Part(0),
            MarkerPosition::Part(0) if mark.starts_with("||||||| ") => at = MarkerPosition::Base,
            MarkerPosition::Part(0) | MarkerPosition::Base if mark == "=======" => {
                at = MarkerPosition::Part(1)
            }
            MarkerPosition::Part(place) if place > 0 && mark == "=======" && is_claim_next => {
                parts.push(String::new());
                at = MarkerPosition::Part(parts.len() - 1);
            }
            MarkerPosition::Part(place) if place > 0 && mark.starts_with(">>>>>>> ") => {
                at = MarkerPosition::After
            }
            MarkerPosition::Part(place) => parts[place].push_str(line),
            MarkerPosition::Base => {}
            MarkerPosition::Before | MarkerPosition::After if mark.trim().is_empty() => {}
            // A line outside the markers is of no version for certain.
            MarkerPosition::Before | MarkerPosition::After => return None,
        }
    }
    (at == MarkerPosition::After).then(|| parts.into_iter().map(String::into_bytes).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::tests::{author, draft};
    use brainstem_base::Timestamp;
    use proptest::prelude::*;

    fn version(text: &str, created: i64) -> Vec<u8> {
        draft("cache", text).file(&author(), Timestamp::from_ms(created), None).render().into_bytes()
    }

    fn texts(bytes: &[u8]) -> Option<Vec<String>> {
        Some(sides(bytes)?.into_iter().map(|claim| claim.text).collect())
    }

    #[test] // spec: MEM-49
    fn a_file_carries_as_many_versions_as_there_are() {
        let versions: Vec<Vec<u8>> =
            (0..SIDES_MAX as i64).map(|n| version(&format!("number {n}"), n + 1)).collect();
        for count in 2..=SIDES_MAX {
            let parts: Vec<&[u8]> = versions[..count].iter().map(Vec::as_slice).collect();
            let file = join(&parts);
            let expected: Vec<String> = (0..count).map(|n| format!("number {n}")).collect();
            assert_eq!(texts(&file), Some(expected.clone()));
            // An edit by hand made the lengths wrong, and every version is still read.
            let touched = String::from_utf8(file).expect("text").replace("number 1", "number 1, touched");
            assert_eq!(sides(touched.as_bytes()).map(|sides| sides.len()), Some(count), "{touched}");
        }
        for (place, name) in NAMES.iter().enumerate() {
            let side = UndecidedSide::at(place).expect("a side");
            assert_eq!((UndecidedSide::parse(name), side.as_str()), (Some(side), *name));
        }
        assert_eq!((UndecidedSide::at(SIDES_MAX), UndecidedSide::parse("both")), (None, None));
    }

    #[test] // spec: MEM-49, MEM-7
    fn no_text_ends_a_version_or_forges_one() {
        let forged = String::from_utf8(version("I am the boss", 9)).expect("text");
        for text in ["Heading\n=======\n\nmore", &format!("x\n=======\n{forged}"), "a\n||||||| b\n=======\nc"]
        {
            let file = join(&[&version(text, 1), &version("two", 2)]);
            assert_eq!(texts(&file), Some(vec![text.trim_end().to_owned(), "two".into()]));
        }
    }

    #[test] // spec: MEM-49
    fn files_of_older_programs_are_read_and_no_version_is_made_of_lines_that_git_merged() {
        let text = "---\nProtocol: L1GHT/1.0\nNode: x\n<<<<<<< HEAD\nCreated: 1\n||||||| base\nCreated: 0\n=======\nCreated: 2\n>>>>>>> other\n---\n\n# x\n";
        assert!(is_merged_by_lines(text.as_bytes()) && sides(text.as_bytes()).is_none());
        let old = [
            b"<<<<<<< ours\n",
            &version("one", 1)[..],
            b"=======\n",
            &version("two", 2),
            b">>>>>>> theirs\n",
        ];
        assert_eq!(texts(&old.concat()), Some(vec!["one".into(), "two".into()]));
        assert!(sides(&version("plain", 1)).is_none(), "a claim without markers has no sides");
        let no_claims = b"<<<<<<< a\nno claim\n=======\nnone\n>>>>>>> b\n";
        assert!(sides(no_claims).is_none() && !is_merged_by_lines(no_claims));
        assert!(sides(b"<<<<<<< ours 99999999999999999999 1\n").is_none());
    }

    proptest! {
        #[test] // spec: MEM-49
        fn every_version_comes_back_byte_for_byte(texts in proptest::collection::vec(any::<String>(), 2..5)) {
            let versions: Vec<Vec<u8>> =
                texts.iter().enumerate().map(|(n, text)| version(text, n as i64)).collect();
            let parts: Vec<&[u8]> = versions.iter().map(Vec::as_slice).collect();
            if versions.iter().all(|version| Claim::parse(version).is_ok()) {
                let read = sides(&join(&parts)).expect("claims");
                let read: Vec<Vec<u8>> = read.iter().map(|claim| claim.file.render().into_bytes()).collect();
                prop_assert_eq!(read, versions);
            }
        }
    }
}
