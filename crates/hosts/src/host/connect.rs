//! What each host is to have in a project.

use super::{
    ConnectObstacle, Host, ReadProjectFile, Wiring, antigravity, claude_code, codex, cursor, gemini,
    opencode, vscode,
};

impl Host {
    /// Why it cannot be connected to a project as the files stand; `None` where nothing is in the way.
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

    /// What it is to have in a project, with this section of instructions.
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
