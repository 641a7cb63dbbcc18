//! `config`: what is set, where it comes from, and setting it.

use crate::caller::error::CallerError;
use crate::error::MemoryError;
use crate::service::Memory;
use brainstem_base::disk::LockGuard;
use brainstem_base::near_names;
use brainstem_caller::config::{self, Config, ConfigFile, ConfigKey, Limits, Value};
use brainstem_caller::identity::Declared;
use brainstem_caller::place::CallerPlace;
use brainstem_vault::{StoreError, durable};
use std::path::{Path, PathBuf};
use std::time::Duration;

const LOCK_WAIT: Duration = Duration::from_secs(10);

/// Where a value comes from, nearest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A flag of this command line.
    Flag,
    /// The environment.
    Environment,
    /// The repository's file.
    Repository(PathBuf),
    /// The home's file.
    Home(PathBuf),
    /// It is not set; this is the default.
    Default,
}

impl Origin {
    /// The word on the wire.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Environment => "environment",
            Self::Repository(_) => "repository",
            Self::Home(_) => "home",
            Self::Default => "default",
        }
    }

    /// The file; `None` if the value does not come from one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Repository(path) | Self::Home(path) => Some(path),
            Self::Flag | Self::Environment | Self::Default => None,
        }
    }
}

/// A setting and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The setting.
    pub key: ConfigKey,
    /// Its value; `None` if it is not set and has no default.
    pub value: Option<String>,
    /// Where the value comes from.
    pub origin: Origin,
}

/// The files that hold settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigPaths {
    /// The home's.
    pub home: PathBuf,
    /// The repository's, if the caller is in one.
    pub repository: Option<PathBuf>,
}

impl Memory {
    /// The limits of this home.
    pub fn limits(&self) -> Limits {
        Config::load(&*self.disk, self.home.path(), None).limits()
    }

    /// Every setting, with the value that counts and where it comes from.
    pub fn settings(&self, declared: &Declared, place: &CallerPlace) -> Result<Vec<Setting>, MemoryError> {
        self.floor().check_declared(declared)?;
        let config = self.config(place);
        config.sound(|_| true)?;
        Ok(ConfigKey::ALL.iter().map(|key| setting(*key, declared, &config)).collect())
    }

    /// One setting by its name.
    pub fn setting(
        &self,
        name: &str,
        declared: &Declared,
        place: &CallerPlace,
    ) -> Result<Setting, MemoryError> {
        let key = known(name)?;
        let found = self.settings(declared, place)?.into_iter().find(|setting| setting.key == key);
        Ok(found.expect("every setting is among them"))
    }

    /// The paths of the files, whether they exist or not.
    pub fn config_paths(&self, at: &CallerPlace) -> ConfigPaths {
        ConfigPaths {
            home: self.home.path().join(config::FILE),
            repository: self.router.project_of(at).map(|root| config::path_in_repository(&root)),
        }
    }

    /// Writes a setting into one of the files and answers its path.
    pub fn set(
        &self,
        at: &CallerPlace,
        name: &str,
        value: &str,
        place: ConfigFile,
    ) -> Result<(ConfigKey, PathBuf), MemoryError> {
        self.floor().check_text("value", value)?;
        let key = known(name)?;
        let value = key.parse(value).ok_or_else(|| MemoryError::BadValue {
            field: "value",
            value: value.chars().take(40).collect(),
            what: "value of this setting",
            takes: key.takes().into(),
            rule: "IF-27",
        })?;
        let path = self.config_path(at, place)?;
        if place == ConfigFile::Repository
            && let Some(why) = key.refused_to_a_repository(&value)
        {
            return Err(CallerError::SettingOfHome { setting: name.to_owned(), why }.into());
        }
        self.home.ensure()?;
        let _guard = self.lock_settings()?;
        let text = config::read(&*self.disk, &path, place)?;
        let earlier = self.other_names_after(key, Some(&value), place);
        let text = config::with(&text, key, value, &path, place)?;
        let text = match earlier {
            Some(names) => config::with(&text, ConfigKey::OtherNames, names, &path, place)?,
            None => text,
        };
        let dir = path.parent().expect("the file lies in a folder");
        match (place, dir.parent()) {
            (ConfigFile::Repository, Some(root)) => {
                self.home.ready_repo_folder(root)?;
                durable::make_shared_dirs_below(&*self.disk, root, dir)?;
            }
            (ConfigFile::Repository | ConfigFile::Home, _) => durable::make_dirs(&*self.disk, dir)?,
        }
        durable::replace(&*self.disk, &*self.ids, &path, text.as_bytes())
            .map_err(StoreError::disk("cannot write the settings"))?;
        Ok((key, path))
    }

    /// Takes a setting out of the home's file or the repository's; answers whether it was in it.
    pub fn unset(
        &self,
        at: &CallerPlace,
        name: &str,
        place: ConfigFile,
    ) -> Result<(ConfigKey, PathBuf, bool), MemoryError> {
        let key = known(name)?;
        let path = self.config_path(at, place)?;
        if self.disk.stat(self.home.path()).is_err() && place == ConfigFile::Home {
            return Ok((key, path, false));
        }
        self.home.ensure()?;
        let _guard = self.lock_settings()?;
        let text = config::read(&*self.disk, &path, place)?;
        let earlier = self.other_names_after(key, None, place);
        let Some(text) = config::without(&text, key, &path, place)? else { return Ok((key, path, false)) };
        let text = match earlier {
            Some(names) => config::with(&text, ConfigKey::OtherNames, names, &path, place)?,
            None => text,
        };
        durable::replace(&*self.disk, &*self.ids, &path, text.as_bytes())
            .map_err(StoreError::disk("cannot write the settings"))?;
        Ok((key, path, true))
    }

    /// What `other_names` is after a change of a setting in the home's file. `None` if it stays as it is.
    fn other_names_after(&self, key: ConfigKey, value: Option<&Value>, place: ConfigFile) -> Option<Value> {
        let config = Config::load(&*self.disk, self.home.path(), None);
        (place == ConfigFile::Home).then(|| config.other_names_after(key, value)).flatten()
    }

    fn config_path(&self, at: &CallerPlace, place: ConfigFile) -> Result<PathBuf, MemoryError> {
        let paths = self.config_paths(at);
        match place {
            ConfigFile::Home => Ok(paths.home),
            ConfigFile::Repository => paths.repository.ok_or_else(|| CallerError::InNoProject.into()),
        }
    }

    fn lock_settings(&self) -> Result<Box<dyn LockGuard>, MemoryError> {
        let lock = self.home.path().join("agent-memory/.locks/config");
        Ok(durable::lock(&*self.disk, &lock, LOCK_WAIT)
            .map_err(StoreError::disk("cannot lock the settings"))?)
    }
}

/// Finds a setting by its name, or says which there are.
fn known(name: &str) -> Result<ConfigKey, MemoryError> {
    let all = "owner, agent, other_names, writes_per_minute, mcp.toolsets, inbox.orchestrator, inbox.engine or inbox.routes";
    let near = || ConfigKey::ALL.iter().find(|key| near_names::is_typo(name, key.name()));
    ConfigKey::find(name).ok_or_else(|| MemoryError::BadValue {
        field: "key",
        value: name.chars().take(40).collect(),
        what: "setting",
        takes: match near() {
            Some(near) => format!("{} if you meant that; the settings are {all}", near.name()).into(),
            None => all.into(),
        },
        rule: "IF-27",
    })
}

fn setting(key: ConfigKey, declared: &Declared, config: &Config) -> Setting {
    let said = |text: &Option<String>| {
        text.clone().filter(|text| key == ConfigKey::Agent && !text.trim().is_empty())
    };
    if let Some(value) = said(&declared.flag) {
        return Setting { key, value: Some(value), origin: Origin::Flag };
    }
    if let Some(value) = said(&declared.env) {
        return Setting { key, value: Some(value), origin: Origin::Environment };
    }
    if let Some(given) = config.given(key) {
        let origin = match given.place {
            ConfigFile::Home => Origin::Home(given.path.clone()),
            ConfigFile::Repository => Origin::Repository(given.path.clone()),
        };
        return Setting { key, value: Some(given.value.clone()), origin };
    }
    let value = match key {
        ConfigKey::Owner
        | ConfigKey::Agent
        | ConfigKey::OtherNames
        | ConfigKey::InboxOrchestrator
        | ConfigKey::InboxEngine => None,
        ConfigKey::InboxRoutes => Some(config.inbox_routes().to_string()),
        ConfigKey::WritesPerMinute => Some(config.limits().writes_per_minute.to_string()),
        ConfigKey::McpToolsets => Some("default".to_owned()),
    };
    Setting { key, value, origin: Origin::Default }
}
