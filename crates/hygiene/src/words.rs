//! A few dozen words, looked for in one pass over a value.

/// Words in lower case, sorted, with the place where each first letter starts.
pub(crate) struct WordSet<const N: usize> {
    words: [&'static str; N],
    starts: [u8; 129],
}

impl<const N: usize> WordSet<N> {
    /// Sorts out the first letters. The words must be sorted and ASCII.
    pub(crate) const fn new(words: [&'static str; N]) -> Self {
        let mut starts = [0; 129];
        let (mut at, mut letter) = (0, 0);
        while letter < 129 {
            while at < N && (words[at].as_bytes()[0] as usize) < letter {
                assert!(
                    at == 0 || words[at - 1].as_bytes()[0] <= words[at].as_bytes()[0],
                    "the words are not sorted"
                );
                at += 1;
            }
            starts[letter] = at as u8;
            letter += 1;
        }
        assert!(at == N, "the words are not sorted");
        Self { words, starts }
    }

    /// Whether any of the words is in the value, in any case.
    pub(crate) fn any_in(&self, value: &[u8]) -> bool {
        value.iter().enumerate().any(|(at, byte)| {
            let letter = byte.to_ascii_lowercase() as usize;
            letter < 128
                && self.words[self.starts[letter] as usize..self.starts[letter + 1] as usize].iter().any(
                    |word| {
                        value[at..]
                            .get(..word.len())
                            .is_some_and(|here| here.eq_ignore_ascii_case(word.as_bytes()))
                    },
                )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_anywhere_and_in_any_case() {
        const WORDS: WordSet<4> = WordSet::new(["***", "dummy", "example", "{{"]);
        for value in ["an-EXAMPLE", "example", "x***", "a{{", "dummydumm"] {
            assert!(WORDS.any_in(value.as_bytes()), "{value}");
        }
        for value in ["", "exampl", "**", "dumm\u{e9}"] {
            assert!(!WORDS.any_in(value.as_bytes()), "{value}");
        }
    }
}
