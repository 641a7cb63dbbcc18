//! A section between markers in a file that people write. The first marker carries a hash of the text, so that a
//! section that a person changed can be distinguished from one that is only older.

use crate::edit::{InsertedPart, RemovedPart, UnfitFile, appended};
use crate::steps::cut_block;
use brainstem_base::hash::sha256_hex;
use std::ops::Range;

const BEGIN: &str = "<!-- brainstem:begin ";
const BEGIN_END: &str = " (written by brainstem init --host; brainstem eject --host takes it out) -->";
const END: &str = "<!-- brainstem:end -->";

struct FoundSection<'a> {
    span: Range<usize>,
    text: String,
    hash: &'a str,
}

impl FoundSection<'_> {
    fn is_untouched(&self) -> bool {
        hash(&self.text) == self.hash
    }
}

pub(crate) fn insert(text: &str, wanted: &str) -> Result<InsertedPart, UnfitFile> {
    let wanted = wanted.trim_matches('\n');
    let block = format!("{BEGIN}{}{BEGIN_END}\n{wanted}\n{END}", hash(wanted));
    let Some(found) = find(text)? else { return Ok(appended(text, &block)) };
    let mut there = InsertedPart { text: text.to_owned(), was_there: true, ..InsertedPart::default() };
    if !found.is_untouched() {
        there.notes.push("the section of brainstem was changed by hand and is left as it is".into());
    } else if found.text != wanted {
        // An older program wrote it.
        let end = crate::steps::line_end(text);
        there.text.replace_range(found.span, &block.replace('\n', end));
    }
    Ok(there)
}

pub(crate) fn remove(text: &str) -> Result<RemovedPart, UnfitFile> {
    let kept = |notes| RemovedPart { text: Some(text.to_owned()), found: false, notes };
    match find(text)? {
        None => Ok(kept(Vec::new())),
        Some(found) if !found.is_untouched() => {
            Ok(kept(vec!["the section of brainstem was changed by hand and stays".into()]))
        }
        Some(found) => {
            let rest = cut_block(text, found.span.start, found.span.end);
            let gone = rest.is_empty();
            Ok(RemovedPart { text: (!gone).then_some(rest), found: true, notes: Vec::new() })
        }
    }
}

fn hash(text: &str) -> String {
    sha256_hex(text.as_bytes(), 12)
}

/// The markers, each on a line of its own.
fn find(text: &str) -> Result<Option<FoundSection<'_>>, UnfitFile> {
    let mut at = 0;
    let mut begin: Option<(Range<usize>, &str)> = None;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        if let Some(rest) = bare.strip_prefix(BEGIN) {
            if begin.is_some() {
                return Err(unfit());
            }
            begin = Some((at..at + line.len(), rest.split(' ').next().unwrap_or_default()));
        } else if bare == END {
            let Some((first, hash)) = begin else { return Err(unfit()) };
            let inner = text[first.end..at].replace("\r\n", "\n");
            let inner = inner.strip_suffix('\n').unwrap_or(&inner).to_owned();
            return Ok(Some(FoundSection { span: first.start..at + bare.len(), text: inner, hash }));
        }
        at += line.len();
    }
    if begin.is_some() { Err(unfit()) } else { Ok(None) }
}

fn unfit() -> UnfitFile {
    UnfitFile {
        what: "one of the markers of the section of brainstem is missing".into(),
        fix: format!("put both markers back, or delete what is left of the section up to `{END}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::undo;

    #[test] // spec: IF-15
    fn a_section_comes_goes_and_grows_older_without_touching_the_rest() {
        for text in ["", "# Mine\n\nText.\n", "# Mine", "# Mine\r\n\r\nText.\r\n", "\u{feff}# Mine\n"] {
            let inserted = insert(text, "## Memory\n\nPull.\n").unwrap();
            assert_eq!(undo(&inserted.text, &inserted.steps).as_deref(), Some(text));
            assert_eq!(insert(&inserted.text, "## Memory\n\nPull.").unwrap().text, inserted.text);
            let newer = insert(&inserted.text, "## Memory\n\nPull more.").unwrap();
            assert!(
                newer.text.contains("Pull more.") && !newer.text.contains("Pull.") && newer.notes.is_empty()
            );
            for written in [inserted.text, newer.text] {
                assert_eq!(remove(&written).unwrap().text.unwrap_or_default(), text);
                assert_eq!(written.contains("\r\n"), text.contains("\r\n"));
            }
        }
    }

    #[test] // spec: IF-15
    fn words_that_somebody_put_into_the_section_stay() {
        let mine = insert("# Mine\n", "Pull.").unwrap().text.replace("Pull.", "Pull.\nMy own line.");
        let again = insert(&mine, "Pull.").unwrap();
        assert!(again.text == mine && again.notes.len() == 1);
        let removed = remove(&mine).unwrap();
        assert!(removed.text.as_deref() == Some(&*mine) && removed.notes.len() == 1);
    }

    #[test] // spec: IF-15
    fn half_a_section_is_refused() {
        let whole = insert("# Mine\n", "Pull.").unwrap().text;
        let half = whole.replace(END, "");
        assert!(insert(&half, "Pull.").is_err() && remove(&half).is_err());
        assert!(insert(END, "Pull.").is_err());
    }
}
