//! What each host should have in a project.

use super::{
    ConnectObstacle, Host, ReadProjectFile, Wiring, antigravity, claude_code, codex, cursor, gemini,
    opencode, vscode,
};

impl Host {
    /// Why it cannot be connected to a project with its present files; `None` if it can.
    pub fn obstacle(self, look: ReadProjectFile<'_>) -> Option<ConnectObstacle> {
        match self {
            Self::Opencode => opencode::obstacle(look),
            Self::ClaudeCode
            | Self::Codex
            | Self::Cursor
            | Self::Gemini
            | Self::VsCode
            | Self::Antigravity => None,
        }
    }

    /// What it should have in a project, with this section of instructions.
    pub fn wiring(self, section: &str, look: ReadProjectFile<'_>) -> Wiring {
        match self {
            Self::ClaudeCode => claude_code::wiring(section, look),
            Self::Codex => codex::wiring(section),
            Self::Cursor => cursor::wiring(section),
            Self::Gemini => gemini::wiring(section, look),
            Self::VsCode => vscode::wiring(section),
            Self::Antigravity => antigravity::wiring(section),
            Self::Opencode => opencode::wiring(section, look),
        }
    }
}
