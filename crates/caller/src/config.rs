//! Settings as the files have them: `<home>/config.toml` and `<repo>/.brainstem/config.toml`.
//!
//! The owner of the home writes its file. A repository's file came with the repository, so other people may
//! have written it: settings that it may not have are left out and named. Keys that this program does not know
//! stay in the file, and are named too.

mod key;

pub use key::ConfigKey;
pub use toml_edit::Value;

use self::key::people;
use crate::limits::WRITES_PER_MINUTE_DEFAULT;
use brainstem_base::advice;
use brainstem_base::agent::AgentKind;
use brainstem_base::disk::FileKind;
use brainstem_base::next::calls;
use brainstem_base::{Advice, AgentId, Coded, Disk, DiskFault, ErrorCode, codes};
use brainstem_hygiene::secrets;
use brainstem_inbox::routing::{InboxRole, RoutingTable};
use std::path::{Path, PathBuf};
use toml_edit::{Document, DocumentMut, Item, TableLike};

/// The name of the file, in the home and in a repository's `.brainstem`.
pub const FILE: &str = "config.toml";

const FILE_LEN_MAX: u64 = 1024 * 1024;

/// Which of the two files of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigFile {
    /// The home's.
    Home,
    /// The repository's.
    Repository,
}

/// A value, and the file that sets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigValue {
    /// The setting.
    pub key: ConfigKey,
    /// Its value, as text.
    pub value: String,
    /// Which file.
    pub place: ConfigFile,
    /// The file.
    pub path: PathBuf,
}

/// A line of a file that has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredLine {
    /// The file.
    pub path: PathBuf,
    /// The line in that file.
    pub line: usize,
    /// The key.
    pub key: String,
    /// Why.
    pub why: IgnoredReason,
}

/// Why a line has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoredReason {
    /// No setting has this name.
    Unknown,
    /// A repository may not set it, for this reason.
    NotHere(&'static str),
}

/// The settings of both files. A missing file sets nothing.
#[derive(Clone, Debug, Default)]
pub struct Config {
    given: Vec<ConfigValue>,
    /// Lines that have no effect.
    pub ignored: Vec<IgnoredLine>,
    /// Files that cannot be read as settings. Their settings have no effect.
    pub broken: Vec<ConfigError>,
}

/// The limits that a person can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many claims one agent may write in a minute.
    pub writes_per_minute: u32,
}

/// A file that cannot be read as settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}`{} cannot be read as settings: {why}", path.display(), line.map(|line| format!(", line {line},")).unwrap_or_default())]
pub struct ConfigError {
    /// The file.
    pub path: PathBuf,
    /// Which file.
    pub place: ConfigFile,
    /// The line, if one is known.
    pub line: Option<usize>,
    /// The setting whose value is wrong, where it is one.
    pub key: Option<ConfigKey>,
    /// What is wrong.
    pub why: String,
}

impl Coded for ConfigError {
    fn code(&self) -> ErrorCode {
        codes::CONFIG_BROKEN
    }

    fn fix(&self) -> Option<Advice> {
        let path = self.path.display();
        let without = self.key.map(|key| match self.place {
            ConfigFile::Home => calls::config_unset(key.name()),
            ConfigFile::Repository => calls::config_unset_repo(key.name()),
        });
        Some(match (self.line, without) {
            (Some(line), Some(without)) => {
                advice![without, " takes the setting out; or mend line {line} of `{path}`"]
            }
            (Some(line), None) => advice!["mend line {line} of `{path}`, or move the file aside"],
            (None, _) => advice!["mend `{path}`, or move it aside"],
        })
    }

    fn rule(&self) -> Option<&'static str> {
        Some("IF-27")
    }
}

impl Config {
    /// Reads the files that exist. Their faults are in the answer.
    pub fn load(disk: &dyn Disk, home: &Path, repository: Option<&Path>) -> Self {
        let mut config = Self::default();
        // The repository's file first: its settings count before the home's.
        if let Some(root) = repository {
            config.add(disk, &path_in_repository(root), ConfigFile::Repository);
        }
        config.add(disk, &home.join(FILE), ConfigFile::Home);
        config
    }

    /// The owner of this home.
    pub fn owner(&self) -> Option<AgentId> {
        self.id(ConfigKey::Owner)
    }

    /// The agent that calls, if nothing nearer names one.
    pub fn agent(&self) -> Option<AgentId> {
        self.id(ConfigKey::Agent)
    }

    /// The other names of the person at the terminal.
    pub fn other_names(&self) -> Vec<AgentId> {
        let given = self.given(ConfigKey::OtherNames);
        given.and_then(|given| people(&given.value)).unwrap_or_default()
    }

    /// The value of `other_names` after a change that takes a person's name out of `owner` or `agent`: mail to that name still
    /// waits for the same person. `None` if the change takes none out.
    pub fn other_names_after(&self, key: ConfigKey, value: Option<&Value>) -> Option<Value> {
        let earlier = match key {
            ConfigKey::Owner | ConfigKey::Agent => self.id(key)?,
            _ => return None,
        };
        let is_kept = value.and_then(Value::as_str) == Some(earlier.as_str());
        let mut names = self.other_names();
        if is_kept || earlier.kind() != AgentKind::Human || names.contains(&earlier) {
            return None;
        }
        names.push(earlier);
        Some(names.iter().map(ToString::to_string).collect::<Vec<String>>().join(",").into())
    }

    /// The limits that are set, or the defaults.
    pub fn limits(&self) -> Limits {
        let writes = self.given(ConfigKey::WritesPerMinute).and_then(|given| given.value.parse().ok());
        Limits { writes_per_minute: writes.unwrap_or(WRITES_PER_MINUTE_DEFAULT) }
    }

    /// The tool sets that are set, with commas between them.
    pub fn toolsets(&self) -> Option<&str> {
        self.given(ConfigKey::McpToolsets).map(|given| given.value.as_str())
    }

    /// The agent that plays a role of the inbox; `None` if no setting maps it.
    pub fn inbox_role(&self, role: InboxRole) -> Option<AgentId> {
        match role {
            InboxRole::Owner => self.owner(),
            InboxRole::Orchestrator => self.id(ConfigKey::InboxOrchestrator),
            InboxRole::Engine => self.id(ConfigKey::InboxEngine),
        }
    }

    /// The routing table that is set, over the default.
    pub fn inbox_routes(&self) -> RoutingTable {
        let given = self.given(ConfigKey::InboxRoutes);
        given.and_then(|given| RoutingTable::parse(&given.value).ok()).unwrap_or_default()
    }

    /// The value of a setting in the files.
    pub fn given(&self, key: ConfigKey) -> Option<&ConfigValue> {
        self.given.iter().find(|given| given.key == key)
    }

    /// Refuses if one of these files cannot be read.
    pub fn sound(&self, place: impl Fn(ConfigFile) -> bool) -> Result<(), ConfigError> {
        self.broken.iter().find(|broken| place(broken.place)).map_or(Ok(()), |broken| Err(broken.clone()))
    }

    fn id(&self, key: ConfigKey) -> Option<AgentId> {
        self.given(key).and_then(|given| AgentId::parse(&given.value).ok())
    }

    fn add(&mut self, disk: &dyn Disk, path: &Path, place: ConfigFile) {
        match read(disk, path, place).and_then(|text| parse(&text, path, place)) {
            Ok((given, ignored)) => {
                self.given.extend(given);
                self.ignored.extend(ignored);
            }
            Err(broken) => self.broken.push(broken),
        }
    }
}

/// A repository's file.
pub fn path_in_repository(root: &Path) -> PathBuf {
    root.join(brainstem_vault::brain::REPO_FOLDER).join(FILE)
}

/// The text of a file; empty if it does not exist.
pub fn read(disk: &dyn Disk, path: &Path, place: ConfigFile) -> Result<String, ConfigError> {
    let broken = |why: String| ConfigError { path: path.to_owned(), place, line: None, key: None, why };
    // The target of a link did not come with the repository.
    let is_link = |dir: &Path| disk.stat(dir).is_ok_and(|stat| stat.kind == FileKind::Link);
    if place == ConfigFile::Repository && path.parent().is_some_and(is_link) {
        return Err(broken("its folder is a link".into()));
    }
    match disk.read(path, FILE_LEN_MAX) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| broken("it is not valid UTF-8".into())),
        Err(error) if error.fault() == DiskFault::NotFound => Ok(String::new()),
        Err(error) => Err(broken(error.fault().to_string())),
    }
}

/// The text with one value set. Every comment, every other line and their order stay.
pub fn with(
    text: &str,
    key: ConfigKey,
    value: Value,
    path: &Path,
    place: ConfigFile,
) -> Result<String, ConfigError> {
    let mut document: DocumentMut = text.parse().map_err(|error| syntax(text, &error, path, place))?;
    let (table, name): (&mut dyn TableLike, _) = match key.name().split_once('.') {
        None => (document.as_table_mut(), key.name()),
        Some((outer, name)) => {
            let no_table = || ConfigError {
                path: path.to_owned(),
                place,
                line: None,
                key: None,
                why: format!("`{outer}` is no table"),
            };
            let table = document.entry(outer).or_insert_with(toml_edit::table);
            (table.as_table_like_mut().ok_or_else(no_table)?, name)
        }
    };
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(there) => {
            let decor = there.decor().clone();
            *there = value;
            *there.decor_mut() = decor;
        }
        None => {
            table.insert(name, Item::Value(value));
        }
    }
    Ok(document.to_string())
}

/// The text without a setting; `None` if it does not have it.
pub fn without(
    text: &str,
    key: ConfigKey,
    path: &Path,
    place: ConfigFile,
) -> Result<Option<String>, ConfigError> {
    let mut document: DocumentMut = text.parse().map_err(|error| syntax(text, &error, path, place))?;
    let removed = match key.name().split_once('.') {
        None => document.remove(key.name()),
        Some((outer, name)) => {
            let table = document.get_mut(outer).and_then(Item::as_table_like_mut);
            table.and_then(|table| table.remove(name))
        }
    };
    Ok(removed.map(|_| document.to_string()))
}

fn parse(
    text: &str,
    path: &Path,
    place: ConfigFile,
) -> Result<(Vec<ConfigValue>, Vec<IgnoredLine>), ConfigError> {
    let document = Document::parse(text).map_err(|error| syntax(text, &error, path, place))?;
    let (mut given, mut ignored) = (Vec::new(), Vec::new());
    for (name, line, item) in entries(&document, text) {
        let mut ignore =
            |why| ignored.push(IgnoredLine { path: path.to_owned(), line, key: name.clone(), why });
        let Some(key) = ConfigKey::find(&name) else {
            ignore(IgnoredReason::Unknown);
            continue;
        };
        let broken =
            |why| ConfigError { path: path.to_owned(), place, line: Some(line), key: Some(key), why };
        let Some(value) = item.as_value().filter(|value| key.fits(value)) else {
            return Err(broken(format!("`{name}` takes {}", key.takes())));
        };
        if let Some(found) = value.as_str().and_then(|text| secrets(text).into_iter().next()) {
            return Err(broken(format!("`{name}` carries a secret: {}", found.kind.name)));
        }
        match key.refused_to_a_repository(value) {
            Some(why) if place == ConfigFile::Repository => ignore(IgnoredReason::NotHere(why)),
            _ if key.is_reserved(value) => return Err(broken(format!("`{name}` takes {}", key.takes()))),
            Some(_) | None => {
                given.push(ConfigValue { key, value: plain(value), place, path: path.to_owned() })
            }
        }
    }
    Ok((given, ignored))
}

/// Every key with its line and its value. A key in a table of settings has the table's name before its own.
fn entries<'a>(document: &'a Document<&str>, text: &str) -> Vec<(String, usize, &'a Item)> {
    let line = |table: &dyn TableLike, name: &str| {
        let span = table.key(name).and_then(|key| key.span());
        span.map_or(1, |span| line_of(text, span.start))
    };
    let is_ours = |table: &str| {
        ConfigKey::ALL.iter().any(|key| key.name().split_once('.').is_some_and(|(t, _)| t == table))
    };
    let mut found = Vec::new();
    for (name, item) in document.iter() {
        match item.as_table_like().filter(|_| is_ours(name)) {
            None => found.push((name.to_owned(), line(document.as_table(), name), item)),
            Some(table) => found.extend(
                table.iter().map(|(inner, item)| (format!("{name}.{inner}"), line(table, inner), item)),
            ),
        }
    }
    found
}

fn plain(value: &Value) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None => value.clone().decorated("", "").to_string(),
    }
}

fn syntax(text: &str, error: &toml_edit::TomlError, path: &Path, place: ConfigFile) -> ConfigError {
    let why = error.message().lines().collect::<Vec<_>>().join(", ");
    let line = error.span().map(|span| line_of(text, span.start));
    ConfigError { path: path.to_owned(), place, line, key: None, why }
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::disk::SimDisk;

    fn load(home: &str, repository: &str) -> Config {
        let disk = SimDisk::new();
        disk.write_raw("/home/config.toml", home.as_bytes());
        disk.write_raw("/repo/.brainstem/config.toml", repository.as_bytes());
        Config::load(&disk, Path::new("/home"), Some(Path::new("/repo")))
    }

    #[test] // spec: IF-27
    fn the_nearer_file_stands_and_what_nobody_says_has_a_default() {
        let config = load("owner = \"human:ana\"\nagent = 'codex:maker'\n", "agent = \"claude:maker\"\n");
        assert_eq!(config.owner().map(|id| id.to_string()).as_deref(), Some("human:ana"));
        assert_eq!(config.agent().map(|id| id.to_string()).as_deref(), Some("claude:maker"));
        assert_eq!(config.given(ConfigKey::Agent).map(|given| given.place), Some(ConfigFile::Repository));
        assert_eq!(config.limits(), Limits { writes_per_minute: 1_000 });
        assert_eq!(load("writes_per_minute = 5", "").limits(), Limits { writes_per_minute: 5 });
        let nothing = Config::load(&SimDisk::new(), Path::new("/home"), None);
        assert!(nothing.owner().is_none() && nothing.broken.is_empty() && nothing.ignored.is_empty());
    }

    #[test] // spec: IF-27, IF-6, MAIL-4
    fn the_name_of_this_program_is_no_agents_and_the_error_names_the_call_that_takes_it_out() {
        for name in ["system", "System", " SYSTEM ", "human.ana", "Human.ana"] {
            assert!(ConfigKey::Agent.parse(name).is_none(), "{name:?}");
            let config = load(&format!("writes_per_minute = 5\nagent = {name:?}\n"), "");
            assert!(config.agent().is_none());
            let [broken] = &config.broken[..] else { panic!("{:?}", config.broken) };
            assert!(broken.to_string().contains("line 2"), "{broken}");
            let fix = broken.fix().unwrap().to_string();
            assert!(fix.contains("config unset agent"), "{fix}");
        }
        let config = load("", "agent = \"system\"\n");
        assert!(
            config.broken.is_empty() && config.ignored.len() == 1,
            "a repository's is left out and named"
        );
    }

    #[test] // spec: IF-27, MAIL-4
    fn a_repository_gives_nobody_the_box_of_a_bare_name() {
        for name in ["orchestrator", "reviewer", "w1"] {
            let config = load("", &format!("agent = {name:?}\n"));
            assert!(config.agent().is_none() && config.ignored.len() == 1, "{name}");
            assert!(load(&format!("agent = {name:?}\n"), "").agent().is_some(), "a person's own file may");
        }
        for name in ["codex", "codex:reviewer", "tool:maker"] {
            assert!(load("", &format!("agent = {name:?}\n")).agent().is_some(), "{name}");
        }
    }

    #[test] // spec: IF-27
    fn a_repository_does_not_set_what_is_the_homes() {
        let config = load(
            "",
            "owner = \"human:eve\"\nwrites_per_minute = 1000000\nagent = \"human:ana\"\nnew_key = [1]\n",
        );
        assert!(config.owner().is_none() && config.agent().is_none());
        assert_eq!(config.limits().writes_per_minute, 1_000);
        let told: Vec<_> = config.ignored.iter().map(|line| format!("{} {}", line.line, line.key)).collect();
        assert_eq!(told, ["1 owner", "2 writes_per_minute", "3 agent", "4 new_key"]);
        assert_eq!(config.ignored[3].why, IgnoredReason::Unknown);
        for lifted in ["claude:orchestrator", "system", "human.root", "Human:root", "human", "System"] {
            assert_eq!(load("", &format!("agent = {lifted:?}")).ignored.len(), 1, "{lifted}");
        }
    }

    #[test] // spec: IF-27
    fn a_broken_file_is_named_with_its_line_and_breaks_nothing_else() {
        let secret = format!("\nagent = \"{}\"", ["gh", "p_q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat());
        for (text, line) in [
            ("owner = \"human:ana\"\nagent = \n", Some(2)),
            ("\n\nowner = \"ana\"", Some(3)),
            ("agent = \"two words\"", Some(1)),
            ("writes_per_minute = 0", Some(1)),
            ("writes_per_minute = \"5\"", Some(1)),
            ("[owner]\nname = 1", Some(1)),
            ("owner = \"human:a\"\nowner = \"human:b\"", Some(2)),
            ("= = =", Some(1)),
            (secret.as_str(), Some(2)),
        ] {
            let config = load(text, "agent = \"codex:maker\"");
            let [broken] = config.broken.as_slice() else { panic!("{text:?}: {config:?}") };
            assert_eq!((broken.place, broken.line), (ConfigFile::Home, line), "{text:?}: {broken}");
            assert_eq!(broken.code(), codes::CONFIG_BROKEN);
            assert!(!broken.to_string().contains("q7Zt"), "{broken}");
            assert!(config.agent().is_some() && config.owner().is_none(), "{text:?}");
            assert!(config.sound(|place| place == ConfigFile::Repository).is_ok());
            assert!(config.sound(|_| true).is_err());
        }
        let disk = SimDisk::new();
        disk.make_dirs("/home/config.toml");
        let config = Config::load(&disk, Path::new("/home"), None);
        assert_eq!(config.broken.len(), 1, "a folder of that name");
        disk.write_raw("/other/config.toml", b"\xFF");
        assert_eq!(Config::load(&disk, Path::new("/other"), None).broken.len(), 1);
    }

    #[test] // spec: IF-27
    fn setting_a_value_keeps_every_other_byte() {
        let text = "# mine\nowner = \"human:ana\" # me\n\nfuture = { a = 1 }\n\n[table]\nx = 1\n";
        let set = |text: &str, key: ConfigKey, value: &str| {
            let value = key.parse(value).expect("it fits");
            with(text, key, value, Path::new("/c"), ConfigFile::Home).expect("sound")
        };
        let changed = set(text, ConfigKey::Owner, "human:ben");
        assert_eq!(changed, text.replace("human:ana", "human:ben"));
        let added = set(text, ConfigKey::WritesPerMinute, "7");
        assert_eq!(added, text.replace("\n\n[table]", "\nwrites_per_minute = 7\n\n[table]"));
        assert_eq!(set("", ConfigKey::Agent, "codex:maker"), "agent = \"codex:maker\"\n");
    }

    #[test] // spec: IF-8, IF-27
    fn a_setting_of_a_table_is_read_and_written_however_the_table_is_spelt() {
        let set = |text: &str, value: &str| {
            let value = ConfigKey::McpToolsets.parse(value).expect("it fits");
            with(text, ConfigKey::McpToolsets, value, Path::new("/c"), ConfigFile::Home)
        };
        assert_eq!(set("", "all").as_deref(), Ok("[mcp]\ntoolsets = \"all\"\n"));
        for text in [
            "[mcp]\n# mine\ntoolsets = \"memory\"\nlater = 1\n",
            "mcp.toolsets = \"memory\" # mine\n",
            "mcp = { toolsets = \"memory\" }\n",
        ] {
            assert_eq!(load(text, "").toolsets(), Some("memory"), "{text}");
            assert_eq!(set(text, "all").as_deref(), Ok(text.replace("memory", "all").as_str()));
        }
        let config = load("[mcp]\ntoolsets = \"all\"\nlater = 1\n", "mcp.toolsets = \"all\"");
        let told: Vec<_> = config.ignored.iter().map(|line| format!("{} {}", line.line, line.key)).collect();
        assert_eq!(told, ["1 mcp.toolsets", "3 mcp.later"], "a repository chooses no tools");
        assert!(set("mcp = 5\n", "all").is_err_and(|error| error.why.contains("no table")));
        for (text, line) in [("[mcp]\ntoolsets = 5", 2), ("mcp.toolsets = \"../x\"", 1)] {
            assert_eq!(load(text, "").broken.first().and_then(|broken| broken.line), Some(line), "{text}");
        }
    }

    #[test] // spec: INB-10, IF-27
    fn roles_and_routes_are_the_homes_and_have_the_default_until_they_are_set() {
        let text = "[inbox]\norchestrator = \"codex:orchestrator\"\nroutes = \"task.complete=owner/2\"\n";
        let config = load(text, "inbox.engine = \"codex:maker\"\ninbox.routes = \"task.blocked=none\"\n");
        let role = |role| config.inbox_role(role).map(|id| id.to_string());
        assert_eq!(role(InboxRole::Orchestrator).as_deref(), Some("codex:orchestrator"));
        assert_eq!(role(InboxRole::Engine), None, "a repository plays no part");
        assert_eq!(config.ignored.len(), 2);
        assert_eq!(config.inbox_routes(), RoutingTable::parse("task.complete=owner/2").unwrap());
        assert_eq!(load("", "").inbox_routes(), RoutingTable::default());
    }

    #[test] // spec: IF-27
    fn a_value_that_does_not_fit_is_none() {
        for (key, text) in [
            (ConfigKey::Owner, "codex:maker"),
            (ConfigKey::Owner, ""),
            (ConfigKey::Agent, "a b"),
            (ConfigKey::WritesPerMinute, "0"),
            (ConfigKey::WritesPerMinute, "-5"),
            (ConfigKey::WritesPerMinute, "many"),
            (ConfigKey::WritesPerMinute, "1000001"),
            (ConfigKey::McpToolsets, ""),
            (ConfigKey::McpToolsets, "memory,,upkeep"),
            (ConfigKey::McpToolsets, "Memory"),
            (ConfigKey::InboxOrchestrator, "two words"),
            (ConfigKey::InboxEngine, "system"),
            (ConfigKey::InboxEngine, "human.ana"),
            (ConfigKey::InboxRoutes, "task.blocked"),
            (ConfigKey::InboxRoutes, "task.note=owner"),
        ] {
            assert!(key.parse(text).is_none(), "{key:?} {text:?}");
        }
    }
}
