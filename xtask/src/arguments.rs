//! The words after a command's name, taken one option at a time.

use std::fmt;

/// What is left of a command line.
pub(crate) struct Arguments {
    words: Vec<String>,
}

/// A command line that cannot be understood. The program exits with status 2.
#[derive(Debug)]
pub(crate) struct Usage(String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

impl Arguments {
    /// Starts with every word unread.
    pub(crate) fn new(words: Vec<String>) -> Self {
        Self { words }
    }

    /// Takes a switch such as `--offline`, and says whether it was there.
    pub(crate) fn switch(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() < before
    }

    /// Takes an option with a number, `--runs 5` or `--runs=5`.
    pub(crate) fn number(&mut self, name: &str) -> Result<Option<u64>, Usage> {
        let Some(value) = self.take(name, "a number")? else { return Ok(None) };
        match value.parse() {
            Ok(number) if number > 0 => Ok(Some(number)),
            Ok(_) | Err(_) => Err(Usage(format!("`{name}` wants a number above 0, not `{value}`"))),
        }
    }

    /// Takes an option with a word, `--target config` or `--target=config`.
    pub(crate) fn word(&mut self, name: &str) -> Result<Option<String>, Usage> {
        self.take(name, "a word")
    }

    fn take(&mut self, name: &str, wanted: &str) -> Result<Option<String>, Usage> {
        let with_equals = format!("{name}=");
        let Some(at) = self.words.iter().position(|word| word == name || word.starts_with(&with_equals))
        else {
            return Ok(None);
        };
        let word = self.words.remove(at);
        match word.strip_prefix(&with_equals) {
            Some(value) => Ok(Some(value.to_owned())),
            None if at < self.words.len() => Ok(Some(self.words.remove(at))),
            None => Err(Usage(format!("`{name}` wants {wanted}"))),
        }
    }

    /// Refuses the arguments that are left.
    pub(crate) fn finish(self) -> Result<(), Usage> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => Err(Usage(format!("`{word}` is not understood here"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(text: &str) -> Arguments {
        Arguments::new(text.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn options_are_taken_in_any_order_and_both_spellings() {
        let mut given = arguments("--writes=7 --offline --runs 5 --target config");
        assert_eq!(given.word("--target").unwrap().as_deref(), Some("config"));
        assert_eq!(given.number("--runs").unwrap(), Some(5));
        assert_eq!(given.number("--writes").unwrap(), Some(7));
        assert_eq!(given.number("--processes").unwrap(), None);
        assert!(given.switch("--offline"));
        assert!(!given.switch("--offline"));
        given.finish().unwrap();
    }

    #[test]
    fn what_is_not_understood_is_named() {
        assert_eq!(arguments("--fast").finish().unwrap_err().to_string(), "`--fast` is not understood here");
        assert!(arguments("--runs").number("--runs").is_err());
        assert!(arguments("--runs many").number("--runs").is_err());
        assert!(arguments("--runs 0").number("--runs").is_err());
    }
}
