//! Which agent calls.

use crate::error::MemoryError;
use crate::limits::REGISTER_LEN_MAX;
use crate::service::Memory;
use brainstem_caller::config::{Config, ConfigFile};
use brainstem_caller::identity::{self, Register};
use brainstem_caller::{CallerPlace, Declared, Principal};
use std::sync::Arc;

impl Memory {
    /// Returns the calling agent, for a call that signs something. Settings that cannot be read are refused, because
    /// they may name another agent.
    pub fn identify(&self, declared: &Declared, place: &CallerPlace) -> Result<Principal, MemoryError> {
        let config = self.asked_config(declared, place);
        // A repository's file came with the repository: it stops no call, and the answer names it.
        config.sound(|place| place == ConfigFile::Home)?;
        self.resolve_caller(declared, &config)
    }

    /// Returns the calling agent, for a call that only reads. Settings that cannot be read are left out.
    pub fn identify_reader(
        &self,
        declared: &Declared,
        place: &CallerPlace,
    ) -> Result<Principal, MemoryError> {
        self.resolve_caller(declared, &self.asked_config(declared, place))
    }

    /// The settings, as far as the caller has not given the values itself.
    fn asked_config(&self, declared: &Declared, place: &CallerPlace) -> Arc<Config> {
        if declared.names_an_id() { Arc::default() } else { self.config(place) }
    }

    fn resolve_caller(&self, declared: &Declared, config: &Config) -> Result<Principal, MemoryError> {
        let register = self
            .disk
            .read(&self.home.path().join("principals.json"), REGISTER_LEN_MAX)
            .map(|bytes| Register::parse(&bytes))
            .unwrap_or_default();
        let declared = Declared { config: config.agent().map(|agent| agent.to_string()), ..declared.clone() };
        self.floor().check_declared(&declared)?;
        let principal = identity::resolve(&declared, &register)?;
        Ok(Principal {
            unread: config.broken.clone(),
            mail: identity::Correspondent::parse(&declared)?,
            ..principal
        })
    }
}
