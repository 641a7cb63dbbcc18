//! The verbs: wire types, schemas, help and terminal output, each defined once.

/// Reference pages generated from the definitions.
pub mod reference {
    /// Every generated page: its path from the root of the repository, and its content.
    pub fn pages() -> Vec<(String, String)> {
        Vec::new()
    }
}
