//! What an agent is told about this server: the `instructions` of MCP. Their source is
//! [`guidance`](crate::guidance) (IF-9a).

/// The text, in at most [`INSTRUCTIONS_LEN_MAX`](crate::limits::INSTRUCTIONS_LEN_MAX) bytes.
pub const INSTRUCTIONS: &str = crate::guidance::TEXT;

#[cfg(test)]
mod tests {
    use super::INSTRUCTIONS;
    use crate::limits::INSTRUCTIONS_LEN_MAX;

    #[test] // spec: IF-9a
    fn the_instructions_name_only_verbs_and_tiers_that_exist() {
        for word in INSTRUCTIONS.split('`').skip(1).step_by(2) {
            assert!(crate::verbs::find(word).is_some() || ["project", "medulla"].contains(&word), "{word}");
        }
    }

    #[test] // spec: IF-9a
    fn the_instructions_are_short() {
        assert!(INSTRUCTIONS.len() <= INSTRUCTIONS_LEN_MAX, "{} bytes", INSTRUCTIONS.len());
    }
}
