//! What holds for a file of settings whatever its bytes. The fuzz target uses this file too.

use brainstem_base::disk::SimDisk;
use brainstem_caller::config::{Config, ConfigFile, ConfigKey, FILE, with, without};
use std::path::Path;

/// Reads bytes as the settings of a home and of a repository, and changes each setting. `false`: the home's file cannot
/// be read.
pub(crate) fn check(bytes: &[u8]) -> bool {
    let config = load(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else {
        assert_eq!(config.broken.len(), 2);
        return false;
    };
    let repository = ConfigKey::ALL
        .iter()
        .filter_map(|key| config.given(*key))
        .find(|given| given.place == ConfigFile::Repository);
    let is_lifted = repository.is_some_and(|given| given.key != ConfigKey::Agent);
    assert!(!is_lifted, "a repository sets its agent alone: {repository:?}");
    if !config.broken.is_empty() {
        return false;
    }
    for key in ConfigKey::ALL {
        check_change(text, *key);
    }
    true
}

fn load(bytes: &[u8]) -> Config {
    let disk = SimDisk::new();
    disk.write_raw(Path::new("/home").join(FILE).to_str().expect("text"), bytes);
    disk.write_raw("/repo/.brainstem/config.toml", bytes);
    Config::load(&disk, Path::new("/home"), Some(Path::new("/repo")))
}

fn home(text: &str) -> Config {
    let disk = SimDisk::new();
    disk.write_raw("/home/config.toml", text.as_bytes());
    Config::load(&disk, Path::new("/home"), None)
}

/// Setting a key sets that key alone, and taking it out leaves the others.
fn check_change(text: &str, key: ConfigKey) {
    let path = Path::new("/home/config.toml");
    let word = match key {
        ConfigKey::Owner => "human:ana",
        ConfigKey::Agent => "codex:maker",
        ConfigKey::OtherNames => "human:anna",
        ConfigKey::WritesPerMinute => "7",
        ConfigKey::McpToolsets => "memory,mail",
        ConfigKey::InboxOrchestrator | ConfigKey::InboxEngine => "codex:orchestrator",
        ConfigKey::InboxRoutes => "task.blocked=owner/1",
    };
    let value = key.parse(word).expect("it takes that");
    let others = |config: &Config| -> Vec<_> {
        let others = ConfigKey::ALL.iter().filter(|other| **other != key);
        others
            .filter_map(|other| config.given(*other))
            .map(|given| (given.key, given.value.clone()))
            .collect()
    };
    let before = home(text);
    let Ok(changed) = with(text, key, value, path, ConfigFile::Home) else { return };
    let after = home(&changed);
    assert_eq!(after.broken, [], "{changed:?}");
    assert_eq!(after.given(key).map(|given| given.value.as_str()), Some(word), "{changed:?}");
    assert_eq!(others(&after), others(&before), "{changed:?}");
    let ignored = |config: &Config| config.ignored.iter().map(|line| line.key.clone()).collect::<Vec<_>>();
    assert_eq!(ignored(&after), ignored(&before), "what is not known stays: {changed:?}");
    let taken = without(&changed, key, path, ConfigFile::Home).expect("it can be read").expect("it is there");
    let left = home(&taken);
    assert_eq!((left.given(key), left.broken.len()), (None, 0), "{taken:?}");
    assert_eq!(others(&left), others(&before), "{taken:?}");
}
