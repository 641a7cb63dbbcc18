//! The operator of a message: `{inbound topic}@{account}`.

use brainstem_ledger::{AccountId, TopicId};
use std::fmt;
use std::str::FromStr;

/// Which agent sent a message, as HCS-10 names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperatorId {
    /// Its inbound topic.
    pub inbound: TopicId,
    /// Its account.
    pub account: AccountId,
}

/// Why a text is no operator id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an operator has the form `{{inbound topic}}@{{account}}`, as in 0.0.1003@0.0.1001")]
pub struct OperatorIdFault;

impl FromStr for OperatorId {
    type Err = OperatorIdFault;

    fn from_str(text: &str) -> Result<Self, OperatorIdFault> {
        let (inbound, account) = text.split_once('@').ok_or(OperatorIdFault)?;
        let inbound = inbound.parse().map_err(|_| OperatorIdFault)?;
        Ok(Self { inbound, account: account.parse().map_err(|_| OperatorIdFault)? })
    }
}

impl fmt::Display for OperatorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.inbound, self.account)
    }
}
