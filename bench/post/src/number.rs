//! A number among the words of the command line.

/// Reads it, and ends the program where the word is none.
pub fn number(word: &str) -> usize {
    word.parse().unwrap_or_else(|_| panic!("`{word}` is no number"))
}
