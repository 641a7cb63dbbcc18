//! What is shown, listed, found and carried into the beat, and what a reader has to know of it.

pub(crate) mod compose;
pub(crate) mod conflicts;
pub(crate) mod error;
pub(crate) mod evidence;
pub(crate) mod facts;
pub(crate) mod failed_reads;
pub(crate) mod feed;
pub(crate) mod filter;
pub(crate) mod freshness;
pub(crate) mod list;
pub(crate) mod misnamed;
pub(crate) mod missing_cache;
pub(crate) mod missing_from_checkout;
pub(crate) mod north;
pub(crate) mod row;
pub(crate) mod seek;
pub(crate) mod several_claims;
pub(crate) mod shared_rows;
pub(crate) mod show;
pub(crate) mod tags;
pub(crate) mod time_ahead;
pub(crate) mod verify;
pub(crate) mod withheld;
pub(crate) mod worthiest;
