//! Changes that only insert, so that they can be taken back byte for byte.

/// One insertion, at a place of the text as the insertions before it left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where, in bytes.
    pub at: usize,
    /// What.
    pub text: String,
}

/// Takes insertions back, the last first. `None` where the text is not what they left.
pub fn undo(text: &str, steps: &[Step]) -> Option<String> {
    let mut text = text.to_owned();
    for step in steps.iter().rev() {
        let end = step.at.checked_add(step.text.len())?;
        if text.get(step.at..end)? != step.text {
            return None;
        }
        text.replace_range(step.at..end, "");
    }
    Some(text)
}

/// A text that remembers what was inserted into it.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) text: String,
    pub(crate) steps: Vec<Step>,
}

impl Draft {
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), steps: Vec::new() }
    }

    pub(crate) fn insert(&mut self, at: usize, text: impl Into<String>) {
        let text = text.into();
        self.text.insert_str(at, &text);
        self.steps.push(Step { at, text });
    }
}

/// The byte order mark that some editors put first.
pub(crate) const BOM: &str = "\u{feff}";

/// The line end that a text uses: that of its first line.
pub(crate) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Puts a block at the end of a text: after an empty line, and ended as the text is.
pub(crate) fn append_block(draft: &mut Draft, block: &str) {
    let end = line_end(&draft.text);
    let block = block.replace('\n', end);
    let body = draft.text.strip_prefix(BOM).unwrap_or(&draft.text);
    let added = if body.is_empty() {
        format!("{block}{end}")
    } else if body.ends_with('\n') {
        format!("{end}{block}{end}")
    } else {
        format!("{end}{end}{block}")
    };
    draft.insert(draft.text.len(), added);
}

/// Takes the block at `start..end` out, with the line ends that [`append_block`] put around it.
pub(crate) fn cut_block(text: &str, start: usize, end: usize) -> String {
    let (mut before, mut after) = (&text[..start], &text[end..]);
    let is_first = before.strip_prefix(BOM).unwrap_or(before).is_empty();
    let cut_end = |text: &mut &str| {
        let cut = text.strip_suffix('\n').map(|text| text.strip_suffix('\r').unwrap_or(text));
        *text = cut.unwrap_or(text);
    };
    let followed = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n'));
    match followed {
        Some(rest) => {
            after = rest;
            // The empty line before it, where the text before ends its own line.
            if !is_first && (before.ends_with("\n\n") || before.ends_with("\n\r\n")) {
                cut_end(&mut before);
            }
        }
        // The text before did not end its last line.
        None if !is_first => {
            cut_end(&mut before);
            cut_end(&mut before);
        }
        None => {}
    }
    format!("{before}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-15
    fn a_block_at_the_end_goes_without_a_trace() {
        for text in ["", "a", "a\n", "a\n\n", "a\r\n", "a\r\nb", "\u{feff}", "\u{feff}a\n", "\n", "\r\n\r\n"]
        {
            let mut draft = Draft::new(text);
            append_block(&mut draft, "BEGIN\nEND");
            let start = draft.text.find("BEGIN").unwrap();
            let end = draft.text.find("END").unwrap() + 3;
            assert_eq!(cut_block(&draft.text, start, end), text, "{text:?}");
            assert_eq!(undo(&draft.text, &draft.steps).as_deref(), Some(text));
        }
    }

    #[test] // spec: IF-15
    fn what_changed_since_is_not_taken_back_blindly() {
        let steps = [Step { at: 1, text: "bc".into() }];
        assert_eq!(undo("abcd", &steps).as_deref(), Some("ad"));
        assert_eq!(undo("axcd", &steps), None);
        assert_eq!(undo("é", &steps), None, "not even at the edge of a letter");
    }
}
