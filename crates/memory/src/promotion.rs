//! How a finding of one project becomes doctrine for all, and is taken back.

pub(crate) mod answer;
pub(crate) mod audit;
pub(crate) mod consolidate;
pub(crate) mod copies_left;
pub(crate) mod dispute;
pub(crate) mod error;
pub(crate) mod lineage;
pub(crate) mod promote;
pub(crate) mod propose;
pub(crate) mod sharing;
pub(crate) mod stamps;
pub(crate) mod warnings;
