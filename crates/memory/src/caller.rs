//! What memory does with a caller: the handshake, what it hears about its place, its quota, its settings, and the check of
//! its words for secrets. Which brain it is served from is for `brainstem-caller`.

pub(crate) mod bound;
pub(crate) mod error;
pub(crate) mod follow;
pub(crate) mod handshake;
pub(crate) mod identify;
pub(crate) mod location_notice;
pub(crate) mod path_inside;
pub(crate) mod project;
pub(crate) mod quota;
pub(crate) mod secrets;
pub(crate) mod settings;
