//! The known hosts, and what each has of ours. One file per host.

mod antigravity;
mod claude_code;
mod codex;
mod connect;
mod cursor;
mod gemini;
mod opencode;
mod vscode;

pub use crate::program::PROGRAM;
pub(crate) use crate::program::SERVER;

use crate::json::Dialect;
use crate::part::{WantedContent, WantedFile, WantedValue};
use serde_json::{Value, json};

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

/// What a host should have in a project.
#[derive(Clone, Debug, Default)]
pub struct Wiring {
    /// Its files.
    pub parts: Vec<WantedFile>,
    /// What the person has to do or know.
    pub notes: Vec<String>,
}

/// Why a host cannot be connected to a project, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectObstacle {
    /// What prevents it.
    pub message: String,
    /// What the person can do.
    pub fix: String,
}

/// Reads a file below the project's root; `None` if there is none.
pub type ReadProjectFile<'a> = &'a dyn Fn(&str) -> Option<String>;

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

    /// The host of that word.
    pub fn find(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|host| host.as_str() == word)
    }

    /// The agent id in this host, unless the caller says otherwise: one for its hooks, its MCP server and its mail
    /// (IF-25a).
    pub fn agent(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude:maker",
            Self::Codex => "codex:maker",
            Self::Cursor => "cursor:maker",
            Self::Gemini => "gemini:maker",
            Self::VsCode => "vscode:maker",
            Self::Antigravity => "antigravity:maker",
            Self::Opencode => "opencode:maker",
        }
    }

    /// The other names of its agent: the short name, the word of `--host`, and the name of its MCP client, spelled as a
    /// box.
    pub fn aliases(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &["claude", "claude-code"],
            Self::Codex => &["codex", "codex-mcp-client"],
            Self::Cursor => &["cursor", "cursor-vscode"],
            Self::Gemini => &["gemini", "gemini-cli", "gemini-cli-mcp-client"],
            Self::VsCode => &["vscode", "Visual-Studio-Code", "Visual-Studio-Code-Insiders"],
            Self::Antigravity => &["antigravity"],
            Self::Opencode => &["opencode"],
        }
    }

    /// The host of an agent's name: its agent id, that id as a box, or another of its names.
    pub fn called(name: &str) -> Option<Self> {
        let is = |known: &str| known.eq_ignore_ascii_case(name);
        Self::ALL.iter().copied().find(|host| {
            is(host.agent())
                || is(&host.agent().replace(':', "."))
                || host.aliases().iter().any(|alias| is(alias))
        })
    }

    /// The agent id for a name: that of its host, or the name itself.
    pub fn agent_called(name: &str) -> &str {
        Self::called(name).map_or(name, |host| host.agent())
    }

    /// The host whose MCP client has this name. Versions add words behind a dash or a blank.
    pub fn of_client(name: &str) -> Option<Self> {
        let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let name = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
        Self::ALL.iter().copied().find(|host| {
            let clients: &[&str] = match host {
                Self::ClaudeCode => &["claude-code"],
                Self::Codex => &["codex"],
                Self::Cursor => &["cursor"],
                Self::Gemini => &["gemini-cli"],
                Self::VsCode => &["visual-studio-code", "vscode"],
                Self::Antigravity => &["antigravity"],
                Self::Opencode => &["opencode"],
            };
            let is_it = |client: &&str| {
                name.strip_prefix(*client).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
            };
            clients.iter().any(is_it)
        })
    }

    /// Parses words, several of which may be in one text between commas; `all` means every host. The error is the word
    /// that is not a host.
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

    /// The file of instructions that only this host reads, if there is one.
    pub fn own_file(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("CLAUDE.md"),
            Self::Gemini => Some("GEMINI.md"),
            Self::Codex | Self::Cursor | Self::VsCode | Self::Antigravity | Self::Opencode => None,
        }
    }
}

/// The command of a hook: the same words everywhere, without special characters of a shell, so that a host which finds
/// them in another host's file too runs them once.
fn hook(event: &str) -> String {
    format!("{PROGRAM} hook {event}")
}

/// The variable that names the host of an entry. It is a variable and not a word of the command, because these files
/// are shared with people whose older program would refuse an unknown word.
pub const HOST_VARIABLE: &str = "BRAINSTEM_HOST";

/// The entry of a server on standard input and output, in the form of most hosts.
fn stdio_want(path: &'static [&'static str], host: Host) -> WantedValue {
    let entry = json!({ "type": "stdio", "command": PROGRAM, "args": ["mcp"], "env": { HOST_VARIABLE: host.as_str() } });
    WantedValue::value_at(path, entry).before(json!({ "type": "stdio", "command": PROGRAM, "args": ["mcp"] }))
}

/// The entry of a server for hosts that need no type.
fn plain_want(path: &'static [&'static str], host: Host) -> WantedValue {
    let entry = json!({ "command": PROGRAM, "args": ["mcp"], "env": { HOST_VARIABLE: host.as_str() } });
    WantedValue::value_at(path, entry).before(json!({ "command": PROGRAM, "args": ["mcp"] }))
}

fn json_part(file: &'static str, dialect: Dialect, wants: Vec<WantedValue>) -> WantedFile {
    WantedFile { file, content: WantedContent::Json { dialect, wants } }
}

fn section_part(file: &'static str, section: &str) -> WantedFile {
    WantedFile { file, content: WantedContent::Section { text: section.to_owned() } }
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

    #[test] // spec: IF-25a
    fn a_client_is_known_by_the_name_it_gives_itself() {
        for (client, host) in [
            ("claude-code", Host::ClaudeCode),
            ("Claude Code", Host::ClaudeCode),
            ("codex-mcp-client", Host::Codex),
            ("cursor-vscode", Host::Cursor),
            ("gemini-cli-mcp-client", Host::Gemini),
            ("Visual Studio Code - Insiders", Host::VsCode),
            ("antigravity", Host::Antigravity),
            ("opencode", Host::Opencode),
        ] {
            assert_eq!(Host::of_client(client), Some(host), "{client}");
        }
        for other in ["mcp", "claude-ai", "codexish", "my-codex", "gemini-code-assist", ""] {
            assert_eq!(Host::of_client(other), None, "{other}");
        }
    }

    #[test] // spec: IF-25a
    fn every_name_of_an_agent_means_one_host() {
        for host in Host::ALL {
            let names = host.aliases().iter().copied().chain([host.agent(), host.as_str()]);
            for name in names {
                assert_eq!(Host::called(name), Some(*host), "{name}");
                assert_eq!(Host::agent_called(name), host.agent(), "{name}");
                assert_eq!(Host::called(&name.to_uppercase()), Some(*host), "{name}");
            }
            assert_eq!(Host::called(&host.agent().replace(':', ".")), Some(*host));
            assert_eq!(Host::find(host.as_str()), Some(*host));
        }
        for other in ["codex:orchestrator", "codex-1", "human:ana", "worker"] {
            assert_eq!(Host::called(other), None, "{other}");
            assert_eq!(Host::agent_called(other), other);
        }
    }

    #[test] // spec: IF-15
    fn an_import_counts_outside_of_code_alone() {
        assert!(imports_agents("# Mine\n\nSee @AGENTS.md, and more\n") && imports_agents("@./AGENTS.md"));
        for not in ["see AGENTS.md", "write `@AGENTS.md` there", "```\n@AGENTS.md\n```", "@docs/AGENTS.md"] {
            assert!(!imports_agents(not), "{not}");
        }
    }
}
