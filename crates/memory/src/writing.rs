//! What changes a claim, its history or a boot key.

pub(crate) mod batch;
pub(crate) mod boot;
pub(crate) mod edit;
pub(crate) mod error;
pub(crate) mod forget;
pub(crate) mod learn;
pub(crate) mod memorize;
pub(crate) mod memorize_request;
pub(crate) mod outside;
pub(crate) mod rename;
pub(crate) mod renamed_spans;
pub(crate) mod resolve;
pub(crate) mod retract;
pub(crate) mod target;
