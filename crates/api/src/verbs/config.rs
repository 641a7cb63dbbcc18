//! `config get|set|unset|list|path`: the settings, each with its source.

mod get;
mod list;
mod path;
mod set;
mod unset;

pub use get::ConfigGet;
pub use list::{ConfigList, ConfigListAnswer};
pub use path::{ConfigPath, ConfigPathAnswer};
pub use set::{ConfigSet, ConfigSetAnswer};
pub use unset::{ConfigUnset, ConfigUnsetAnswer};

use crate::Doors;
use crate::screen::{Screen, bold, dim};
use schemars::JsonSchema;
use serde::Serialize;

const DOORS: Doors =
    Doors::CommandLine { why: "settings are the word of the person, who agents are among them" };

/// A setting.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Setting {
    /// Its name.
    pub key: String,
    /// Its value; null when it is not set and has no default.
    pub value: Option<String>,
    /// Where the value comes from: flag, environment, repository, home or default.
    pub origin: String,
    /// The file, where it comes from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What the setting means.
    pub meaning: String,
}

impl From<brainstem_memory::Setting> for Setting {
    fn from(setting: brainstem_memory::Setting) -> Self {
        Self {
            key: setting.key.name().to_owned(),
            value: setting.value,
            origin: setting.origin.as_str().to_owned(),
            path: setting.origin.path().map(|path| path.display().to_string()),
            meaning: setting.key.meaning().to_owned(),
        }
    }
}

impl Setting {
    /// Writes it with its source.
    fn show(&self, out: &mut Screen) {
        let value = self.value.as_deref().unwrap_or("(not set)");
        out.flow(0, 2, [bold(self.key.as_str()), " = ".into(), value.into()]);
        let from = match &self.path {
            Some(path) => format!("  {}, {path}", self.origin),
            None => format!("  {}", self.origin),
        };
        out.line([dim(format!("{from} · {}", self.meaning))]);
    }
}
