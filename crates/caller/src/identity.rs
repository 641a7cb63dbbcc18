//! Which agent calls: one resolver for every door.

use crate::config::ConfigError;
use brainstem_base::agent::{AgentIdFault, AgentKind};
use brainstem_base::{Advice, advice};
use brainstem_base::{AgentId, Coded as _};
use brainstem_claims::unproven_header::is_person;
use brainstem_hosts::Host;
pub use brainstem_mail::limits::SESSION_TAGS_MAX;
use brainstem_mail::name::{MailboxName, NameFault};
use serde::Deserialize;
use std::path::PathBuf;

/// What a door knows about its caller, the strongest declaration first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// `agent_id` of this call.
    pub argument: Option<String>,
    /// `--as` on the command line.
    pub flag: Option<String>,
    /// `BRAINSTEM_AGENT`.
    pub env: Option<String>,
    /// `agent` of the settings; the service fills it in.
    pub config: Option<String>,
    /// The host that an MCP entry was written for, that called a hook, or that runs this command (`BRAINSTEM_HOST`).
    pub host: Option<String>,
    /// The name that a connected program gives itself; blank if it gives none. `None` for a command line.
    pub client: Option<String>,
    /// The login name of the person at the terminal.
    pub login: Option<String>,
    /// `--session`, or `BRAINSTEM_SESSION`.
    pub session: Option<String>,
    /// The name that the caller's connection was given.
    pub connection: Option<String>,
    /// The agent of the session of that name, sent by a process that asks for its caller.
    pub session_agent: Option<String>,
    /// `--tag`, or `BRAINSTEM_TAGS`.
    pub tags: Vec<String>,
    /// `--mail-root`, or `BRAINSTEM_MAIL_ROOT`.
    pub mail_root: Option<PathBuf>,
}

/// Where an identity came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentitySource {
    /// This call.
    Argument,
    /// The command line.
    Flag,
    /// The environment.
    Environment,
    /// The settings.
    Config,
    /// The host that it runs in.
    Host,
    /// The MCP client's own name.
    Client,
    /// The login name.
    Login,
    /// Nothing was declared, or an MCP client gave a name that makes no id.
    Nobody,
}

impl IdentitySource {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Argument => "argument",
            Self::Flag => "flag",
            Self::Environment => "environment",
            Self::Config => "config",
            Self::Host => "host",
            Self::Client => "client",
            Self::Login => "login",
            Self::Nobody => "nobody",
        }
    }
}

/// The caller, resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// Its id.
    pub agent: AgentId,
    /// Human, agent or system.
    pub kind: AgentKind,
    /// Where the id came from.
    pub source: IdentitySource,
    /// The name people know it by, from the register.
    pub display_name: Option<String>,
    /// Whether only the caller itself vouches for the id.
    pub self_declared: bool,
    /// Settings that cannot be read and might name another agent.
    pub unread: Vec<ConfigError>,
    /// Its names in mail.
    pub mail: Correspondent,
}

/// The names and the mail root that a caller declares for mail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Correspondent {
    /// The name that it gave its session.
    pub session: Option<MailboxName>,
    /// The name that its connection was given. Messages are held under it, and none is sent from it: no session reads a reply
    /// to it once the connection is gone.
    pub connection: Option<MailboxName>,
    /// An id that distinguishes its connection from every other; the command line has none.
    pub connection_id: Option<String>,
    /// The agent that named the session, if a call of this connection did, or its process says so.
    pub named_by: Option<AgentId>,
    /// The names that calls of this connection gave its session before. Messages taken, sent or read under them are its own.
    pub earlier: Vec<MailboxName>,
    /// The tags of its session.
    pub tags: Vec<MailboxName>,
    /// The mail root it named.
    pub root: Option<PathBuf>,
    /// The person that is logged in where the caller's process runs; `None` over HTTP.
    pub login: Option<AgentId>,
}

impl Correspondent {
    /// Reads the declared names. Refuses a name that no box can have.
    pub fn parse(declared: &Declared) -> Result<Self, NameFault> {
        let session = said(&declared.session).map(MailboxName::parse).transpose()?;
        if let Some(name) = session.as_ref().filter(|name| name.is_broadcast()) {
            return Err(NameFault::everybodys(name));
        }
        Ok(Self {
            session,
            connection: said(&declared.connection).map(MailboxName::parse).transpose()?,
            connection_id: None,
            // An agent that makes no id is left out; the session's name is still looked up.
            named_by: said(&declared.session_agent).and_then(|agent| AgentId::parse(agent).ok()),
            earlier: Vec::new(),
            tags: parse_tags(declared.tags.iter().map(String::as_str))?,
            root: declared.mail_root.clone(),
            login: said(&declared.login).and_then(|login| AgentId::from_display(Some("human"), login)),
        })
    }
}

/// Reads tags; one text may have several, with commas between them. Refuses more than a session may carry: a message to a tag
/// that was left out would reach no reader.
pub fn parse_tags<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Vec<MailboxName>, NameFault> {
    let mut tags: Vec<MailboxName> = Vec::new();
    for word in texts.flat_map(|text| text.split(',')).map(str::trim).filter(|word| !word.is_empty()) {
        let tag = MailboxName::parse(word)?;
        if tag.is_broadcast() {
            return Err(NameFault::everybodys(&tag));
        }
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    if tags.len() > SESSION_TAGS_MAX {
        return Err(NameFault::too_many_tags(tags.len()));
    }
    Ok(tags)
}

impl Principal {
    /// Notes for the caller about its own name: settings that could not be read.
    pub fn notes(&self) -> Vec<Advice> {
        let note = |broken: &ConfigError| {
            let (agent, source) = (&self.agent, self.source.as_str());
            let fix = broken.fix().unwrap_or_default();
            advice!["{broken}, so what it sets does not count and this is signed {agent} ({source}); ", fix]
        };
        self.unread.iter().map(note).collect()
    }
}

/// The principals a person wrote into `principals.json` of the home.
#[derive(Clone, Debug, Default)]
pub struct Register(Vec<Registered>);

#[derive(Clone, Debug, Deserialize)]
struct Registered {
    agent_id: String,
    #[serde(default)]
    display_name: Option<String>,
}

impl Register {
    /// Reads the register. A missing or damaged one has no principals.
    pub fn parse(bytes: &[u8]) -> Self {
        Self(serde_json::from_slice(bytes).unwrap_or_default())
    }

    /// Checks a register, and returns what is wrong with it.
    pub fn check(bytes: &[u8]) -> Result<(), String> {
        serde_json::from_slice::<Vec<Registered>>(bytes).map(drop).map_err(|error| error.to_string())
    }
}

/// Whether two names mean one agent: `codex`, `codex-mcp-client` and `codex:maker` do (IF-25a).
pub fn is_same_agent(a: &str, b: &str) -> bool {
    Host::agent_called(a) == Host::agent_called(b)
}

/// Resolves a caller. A text that was declared as an id must be one, and any name of a host's agent means that agent. A name
/// that was not declared as an id, of an MCP client or a login, is made into one.
pub fn resolve(declared: &Declared, register: &Register) -> Result<Principal, AgentIdFault> {
    let meant = [
        (&declared.argument, IdentitySource::Argument),
        (&declared.flag, IdentitySource::Flag),
        (&declared.env, IdentitySource::Environment),
        (&declared.config, IdentitySource::Config),
    ];
    let host = declared.host();
    // An empty option is a mistake, often a variable that is not set.
    if declared.flag.as_deref().is_some_and(|flag| flag.trim().is_empty()) {
        AgentId::parse("")?;
    }
    for (text, source) in meant {
        if let Some(text) = said(text) {
            let agent = AgentId::parse(Host::agent_called(text))?;
            // No caller can sign as this program.
            if agent.as_str().eq_ignore_ascii_case("system") {
                return Err(AgentIdFault::reserved(&agent));
            }
            // Settings that name a person mean the person at the terminal, never the agent of a host or an MCP client.
            let is_program = host.is_some() || declared.client.is_some();
            if source == IdentitySource::Config && is_person(agent.as_str()) && is_program {
                continue;
            }
            return Ok(principal(agent, source, register));
        }
    }
    if let Some(host) = host {
        return Ok(principal(AgentId::parse(host.agent())?, IdentitySource::Host, register));
    }
    // An MCP client whose name makes no id, or the id of a person or of this program, is an unknown agent. The login does not
    // count: it is a person's.
    let named = match &declared.client {
        Some(name) => AgentId::from_display(None, name)
            .filter(|agent| !is_person(agent.as_str()))
            .map(|agent| (agent, IdentitySource::Client)),
        None => declared
            .login
            .as_deref()
            .and_then(|name| AgentId::from_display(Some("human"), name))
            .map(|agent| (agent, IdentitySource::Login)),
    };
    if let Some((agent, source)) = named {
        return Ok(principal(agent, source, register));
    }
    Ok(principal(AgentId::parse("unknown")?, IdentitySource::Nobody, register))
}

impl Declared {
    /// The host that the caller runs in. The client's own name counts before the one in a file: hosts read the files of other
    /// hosts.
    pub fn host(&self) -> Option<Host> {
        let client = self.client.as_deref().and_then(Host::of_client);
        client.or_else(|| said(&self.host).and_then(Host::find))
    }

    /// Whether the call, a flag or a variable names an id.
    pub fn names_an_id(&self) -> bool {
        [&self.argument, &self.flag, &self.env].into_iter().any(|text| said(text).is_some())
    }
}

/// A text that is not blank, without the blanks around it.
fn said(text: &Option<String>) -> Option<&str> {
    text.as_deref().map(str::trim).filter(|text| !text.is_empty())
}

fn principal(agent: AgentId, source: IdentitySource, register: &Register) -> Principal {
    let known = register.0.iter().find(|known| is_same_agent(&known.agent_id, agent.as_str()));
    Principal {
        kind: agent.kind(),
        source,
        display_name: known.and_then(|known| known.display_name.clone()),
        self_declared: known.is_none(),
        unread: Vec::new(),
        mail: Correspondent::default(),
        agent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(text: &str) -> Option<String> {
        Some(text.into())
    }

    #[test] // spec: IF-3, IF-25
    fn the_nearest_declaration_wins() {
        let mut declared = Declared {
            argument: some("codex:maker"),
            flag: some("human:ana"),
            env: some("claude:orchestrator"),
            config: some("gemini:maker"),
            host: some("codex"),
            client: some("Some Client"),
            login: some("ana"),
            ..Declared::default()
        };
        let mut resolved = || {
            let got = resolve(&declared, &Register::default()).expect("valid");
            match got.source {
                IdentitySource::Argument => declared.argument = None,
                IdentitySource::Flag => declared.flag = None,
                IdentitySource::Environment => declared.env = None,
                IdentitySource::Config => declared.config = None,
                IdentitySource::Host => declared.host = None,
                IdentitySource::Client => declared.client = None,
                IdentitySource::Login => declared.login = None,
                IdentitySource::Nobody => {}
            }
            (got.agent.to_string(), got.self_declared)
        };
        for expected in [
            "codex:maker",
            "human:ana",
            "claude:orchestrator",
            "gemini:maker",
            "codex:maker",
            "Some-Client",
            "human:ana",
            "unknown",
        ] {
            assert_eq!(resolved(), (expected.to_owned(), true));
        }
    }

    #[test] // spec: IF-25, MAIL-4
    fn no_caller_goes_by_the_name_of_this_program() {
        for name in ["system", "System", " system "] {
            let given: [Declared; 4] = [
                Declared { argument: some(name), ..Declared::default() },
                Declared { flag: some(name), ..Declared::default() },
                Declared { env: some(name), client: some("codex"), ..Declared::default() },
                Declared { config: some(name), ..Declared::default() },
            ];
            for declared in given {
                let fault = resolve(&declared, &Register::default()).expect_err("reserved");
                assert!(fault.to_string().contains("this program itself goes by that name"), "{fault}");
            }
        }
    }

    #[test] // spec: IF-25a
    fn the_agent_of_a_host_has_one_name_whatever_calls() {
        let name =
            |declared: Declared| resolve(&declared, &Register::default()).expect("valid").agent.to_string();
        let login = some("ana");
        let hook = Declared { host: some("codex"), login: login.clone(), ..Declared::default() };
        let server = Declared { client: some("codex-mcp-client"), ..hook.clone() };
        let alone = Declared { client: some("codex-mcp-client"), ..Declared::default() };
        // An unknown client, started by the entry that was written for the host.
        let other = Declared { client: some("mcp"), ..hook.clone() };
        for declared in [&hook, &server, &alone, &other] {
            assert_eq!(name(declared.clone()), "codex:maker");
        }
        // Another host reads that entry and is known by its own name.
        assert_eq!(name(Declared { client: some("Visual Studio Code"), ..hook.clone() }), "vscode:maker");
        assert_eq!(name(Declared { client: some("mcp"), login, ..Declared::default() }), "mcp");
        assert_eq!(
            name(Declared { host: some("emacs"), login: some("ana"), ..Declared::default() }),
            "human:ana"
        );
    }

    #[test] // spec: IF-25a
    fn every_name_of_a_hosts_agent_signs_as_that_agent() {
        let login = some("ana");
        for name in ["codex", "codex:maker", "codex-mcp-client", "Codex"] {
            for declared in [
                Declared { argument: some(name), ..Declared::default() },
                Declared { flag: some(name), ..Declared::default() },
                Declared { env: some(name), ..Declared::default() },
                Declared { config: some(name), ..Declared::default() },
            ] {
                let declared = Declared { login: login.clone(), ..declared };
                let got = resolve(&declared, &Register::default()).expect("valid");
                assert_eq!(got.agent.as_str(), "codex:maker", "{declared:?}");
            }
        }
        for name in ["codex:orchestrator", "codex-1", "human:codex"] {
            let declared = Declared { flag: some(name), ..Declared::default() };
            assert_eq!(resolve(&declared, &Register::default()).expect("valid").agent.as_str(), name);
        }
    }

    #[test] // spec: IF-25a
    fn settings_that_name_a_person_are_not_about_the_agent_of_a_host() {
        let declared =
            |config: &str| Declared { config: some(config), host: some("codex"), ..Declared::default() };
        let name =
            |declared: &Declared| resolve(declared, &Register::default()).expect("valid").agent.to_string();
        assert_eq!(name(&declared("human:ana")), "codex:maker");
        assert_eq!(name(&declared("codex:orchestrator")), "codex:orchestrator");
        assert_eq!(name(&Declared { host: None, ..declared("human:ana") }), "human:ana");
    }

    #[test] // spec: IF-25
    fn an_mcp_client_never_signs_as_the_person() {
        let of = |client: Option<&str>, config: Option<&str>| {
            let declared = Declared {
                client: client.map(str::to_owned),
                config: config.map(str::to_owned),
                login: some("ana"),
                ..Declared::default()
            };
            let got = resolve(&declared, &Register::default()).expect("valid");
            (got.agent.to_string(), got.source)
        };
        let blank = ["", "   ", "\u{200b}", "\u{2060}\u{feff}", "\t\n", "...", "\u{65e5}\u{672c}"];
        for name in blank.into_iter().chain(["human.ana", "Human.ana", "human", "system"]) {
            assert_eq!(of(Some(name), None), ("unknown".to_owned(), IdentitySource::Nobody), "{name:?}");
            assert_eq!(of(Some(name), Some("human:ana")).0, "unknown", "{name:?}");
            assert_eq!(of(Some(name), Some("codex:maker")).0, "codex:maker", "{name:?}");
        }
        for person in ["human:ana", "human.ana"] {
            assert_eq!(of(Some("Some Client"), Some(person)).0, "Some-Client", "{person}");
        }
        let settings = Declared { config: some("system"), client: some("x"), ..Declared::default() };
        assert!(resolve(&settings, &Register::default()).is_err(), "this program goes by that name");
        assert_eq!(of(None, None), ("human:ana".to_owned(), IdentitySource::Login));
    }

    #[test] // spec: IF-25
    fn a_registered_id_is_not_marked_as_self_declared() {
        let register =
            Register::parse(br#"[{"agent_id":"human:ana","display_name":"Ana"},{"agent_id":"x"}]"#);
        let declared = Declared { flag: some("human:ana"), ..Declared::default() };
        let got = resolve(&declared, &register).expect("valid");
        assert_eq!((got.self_declared, got.display_name.as_deref()), (false, Some("Ana")));
    }

    #[test] // spec: IF-25
    fn a_bad_id_is_refused_and_not_passed_over() {
        let declared = Declared { argument: some("../x"), login: some("ana"), ..Declared::default() };
        assert!(resolve(&declared, &Register::default()).is_err());
        let blank = Declared { env: some("  "), login: some("ana"), ..Declared::default() };
        assert_eq!(resolve(&blank, &Register::default()).expect("valid").source, IdentitySource::Login);
    }
}
