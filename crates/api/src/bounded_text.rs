//! A document written as text up to a length.

use crate::answer::no_json;
use brainstem_base::advice;
use brainstem_base::next::field;
use brainstem_base::{Fault, codes};
use std::io;

/// Returns what `write` writes, or the refusal of an answer that is longer than `len_max`; `write` is stopped there.
pub(crate) fn written(
    len_max: usize,
    write: impl FnOnce(&mut BoundedText) -> serde_json::Result<()>,
) -> Result<String, Fault> {
    let mut text = BoundedText { bytes: Vec::new(), len_max, is_full: false };
    let done = write(&mut text);
    if text.is_full {
        return Err(too_long(len_max));
    }
    done.map_err(|error| no_json(&error))?;
    Ok(String::from_utf8(text.bytes).expect("JSON is written as UTF-8"))
}

/// Takes what is written up to a length.
pub(crate) struct BoundedText {
    bytes: Vec<u8>,
    len_max: usize,
    is_full: bool,
}

impl io::Write for BoundedText {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + piece.len() > self.len_max {
            self.is_full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn too_long(len_max: usize) -> Fault {
    let message = format!("the answer would be longer than {} MiB", len_max >> 20);
    Fault::new(codes::OUTPUT_TOO_LARGE, message)
        .fix(advice![
            "ask for less at a time: with `",
            field("limit"),
            "` and `",
            field("cursor"),
            "` where the verb has them, or with a narrower question"
        ])
        .rule("IF-14")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-14a
    fn an_answer_is_written_up_to_its_limit_and_no_further() {
        let words = vec!["word"; 100];
        let upto = |len_max| written(len_max, |text| serde_json::to_writer(text, &words));
        let whole = upto(usize::MAX).expect("it fits");
        assert_eq!(upto(whole.len()).as_deref(), Ok(whole.as_str()));
        assert_eq!(upto(whole.len() - 1).expect_err("too long").code, codes::OUTPUT_TOO_LARGE);
    }
}
