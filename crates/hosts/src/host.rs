//! The hosts that are known, and what each has of ours. One file a host.

mod antigravity;
mod claude_code;
mod codex;
mod cursor;
mod gemini;
mod opencode;
mod vscode;

use crate::json::Dialect;
use crate::part::{Content, Part, Want};
use serde_json::{Value, json};

/// This program, as hosts start it: by name, because these files are shared with people who have it elsewhere.
pub const PROGRAM: &str = "brainstem";
/// The name of our server in every host. No underscore: one host splits names there.
pub(crate) const SERVER: &str = "brainstem";
/// How long a host may wait for a hook, in seconds; a hook itself gives up sooner.
pub const HOOK_TIMEOUT_S: u64 = 10;

/// The file of instructions that most hosts read.
pub(crate) const AGENTS_FILE: &str = "AGENTS.md";

/// A program that agents run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Host {
    /// Claude Code.
    ClaudeCode,
    /// Codex CLI.
    Codex,
    /// Cursor, the editor and its command line.
    Cursor,
    /// Gemini CLI.
    Gemini,
    /// VS Code.
    VsCode,
    /// Antigravity CLI.
    Antigravity,
    /// opencode.
    Opencode,
}

/// What a host is to have in a project.
#[derive(Clone, Debug, Default)]
pub struct Wiring {
    /// Its files.
    pub parts: Vec<Part>,
    /// What the person has to do or know.
    pub notes: Vec<String>,
}

/// Looks at a file below the project's root; `None` where there is none.
pub type Look<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Host {
    /// Every host.
    pub const ALL: &[Self] = &[
        Self::ClaudeCode,
        Self::Codex,
        Self::Cursor,
        Self::Gemini,
        Self::VsCode,
        Self::Antigravity,
        Self::Opencode,
    ];

    /// The word of `--host`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
            Self::VsCode => "vscode",
            Self::Antigravity => "antigravity",
            Self::Opencode => "opencode",
        }
    }

    /// Parses words, several of which may stand in one text between commas; `all` means every host.
    /// The word that is no host comes back.
    pub fn parse_list<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Vec<Self>, String> {
        let mut hosts = Vec::new();
        for word in texts.into_iter().flat_map(|text| text.split(',')).map(str::trim) {
            let found = Self::ALL.iter().copied().filter(|host| word == "all" || host.as_str() == word);
            let before = hosts.len();
            hosts.extend(found);
            if hosts.len() == before {
                return Err(word.to_owned());
            }
        }
        hosts.sort();
        hosts.dedup();
        Ok(hosts)
    }

    /// The file of instructions that no other host reads, if there is one.
    pub fn own_file(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("CLAUDE.md"),
            Self::Gemini => Some("GEMINI.md"),
            Self::Codex | Self::Cursor | Self::VsCode | Self::Antigravity | Self::Opencode => None,
        }
    }

    /// What it is to have in a project, with this section of instructions.
    pub fn wiring(self, section: &str, look: Look<'_>) -> Wiring {
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

/// The command of a hook: the same words everywhere, without anything a shell would read, so that a host which
/// finds them in another's file too runs them once.
fn hook(event: &str) -> String {
    format!("{PROGRAM} hook {event}")
}

/// The entry of a server on standard input and output, as most hosts have it.
fn stdio_entry() -> Value {
    json!({ "type": "stdio", "command": PROGRAM, "args": ["mcp"] })
}

fn json_part(file: &'static str, dialect: Dialect, wants: Vec<Want>) -> Part {
    Part { file, content: Content::Json { dialect, wants } }
}

fn section_part(file: &'static str, section: &str) -> Part {
    Part { file, content: Content::Section { text: section.to_owned() } }
}

/// A group of hooks in the shape that Claude Code began and others took over.
fn group(matcher: Option<&str>, handler: Value) -> Value {
    match matcher {
        Some(matcher) => json!({ "matcher": matcher, "hooks": [handler] }),
        None => json!({ "hooks": [handler] }),
    }
}

/// Whether a file of instructions takes `AGENTS.md` in, outside of code.
fn imports_agents(text: &str) -> bool {
    let mut in_fence = false;
    text.lines().any(|line| {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        }
        let plain: String = line.split('`').step_by(2).collect();
        let named =
            |word: &str| ["@AGENTS.md", "@./AGENTS.md"].contains(&word.trim_end_matches([',', ';', ')']));
        !in_fence && plain.split_whitespace().any(named)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-15
    fn words_name_hosts() {
        assert_eq!(Host::parse_list(["codex,claude-code", "codex"]), Ok(vec![Host::ClaudeCode, Host::Codex]));
        assert_eq!(Host::parse_list(["all"]), Ok(Host::ALL.to_vec()));
        assert_eq!(Host::parse_list(["codex,emacs"]), Err("emacs".to_owned()));
    }

    #[test] // spec: IF-15
    fn an_import_counts_outside_of_code_alone() {
        assert!(imports_agents("# Mine\n\nSee @AGENTS.md, and more\n") && imports_agents("@./AGENTS.md"));
        for not in ["see AGENTS.md", "write `@AGENTS.md` there", "```\n@AGENTS.md\n```", "@docs/AGENTS.md"] {
            assert!(!imports_agents(not), "{not}");
        }
    }
}
