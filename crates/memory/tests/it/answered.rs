//! What memory answers in sentences, as a snapshot: each under a title, whole.

use brainstem_base::{Advice, Coded};
use std::fmt;

/// Sentences that were answered, in their order. The disk and the clock of a test are simulated, so that nothing but the
/// id of a brain differs from run to run.
#[derive(Default)]
pub(crate) struct Answered(String);

impl Answered {
    /// Adds a sentence.
    pub(crate) fn add(&mut self, title: &str, sentence: impl fmt::Display) {
        self.0.push_str(&format!("# {title}\n{sentence}\n\n"));
    }

    /// Adds the notes of an answer, a line each.
    pub(crate) fn notes(&mut self, title: &str, notes: &[Advice]) {
        let lines: Vec<String> = notes.iter().map(ToString::to_string).collect();
        self.add(title, if lines.is_empty() { "(no note)".to_owned() } else { lines.join("\n") });
    }

    /// Adds a refusal with its fix.
    pub(crate) fn refusal(&mut self, title: &str, error: &impl Coded) {
        let fix = error.fix().unwrap_or_default();
        self.add(title, format!("{error} [{}]\nfix: {fix}", error.code().name()));
    }
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = self.0.split('@');
        f.write_str(parts.next().unwrap_or_default())?;
        for part in parts {
            // The id in cherry@1a2b3c4d.
            let is_id = part.len() >= 8 && part.bytes().take(8).all(|byte| byte.is_ascii_hexdigit());
            match is_id {
                true => write!(f, "@[brain]{}", &part[8..])?,
                false => write!(f, "@{part}")?,
            }
        }
        Ok(())
    }
}

/// Compares what was answered with the snapshot of the test.
macro_rules! assert_answered {
    ($answered:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($answered.to_string()) })
    };
}
pub(crate) use assert_answered;
