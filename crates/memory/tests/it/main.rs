//! Memory as its callers meet it: several layers at once, on a disk that loses power, fills up, hangs
//! or is real.
#![allow(
    clippy::disallowed_methods,
    reason = "these tests look at real files and run git, beside the ports of the program"
)]
#![allow(clippy::unwrap_used, reason = "everything here is a test")]

mod act_line;
mod acts_along;
mod answered;
#[allow(dead_code, reason = "the tests of transfer use more of it")]
mod one_file;
mod place;
mod power_loss;
mod world;

mod at_once;
mod audit;
mod bare_branch;
mod bare_names;
mod beats;
mod boot;
mod brain_names;
mod broken_brains;
mod callers;
mod carried_over;
mod checkout;
mod clock;
mod clones;
mod clones_named;
mod conflicts;
mod copies;
mod copies_alone;
mod copies_left;
mod cost;
mod crash;
mod crash_texts;
mod cut_short;
mod damage;
mod delegation;
mod doctor;
mod dry_runs;
mod eject_beside_git;
mod failing_disk;
mod failing_file;
mod fixes_elsewhere;
mod forget;
mod forgotten_acts;
mod full_disk;
mod git_leaves_out;
mod gone_counts;
mod half_merged;
mod hearsay;
mod honest;
mod index;
mod kept_elsewhere;
mod learn;
mod left_behind;
mod lifecycle;
mod lineage;
mod linked_stores;
mod list;
mod many_brains;
mod many_users;
mod medulla_hangs;
mod missing_locks;
mod moved;
mod moved_meanwhile;
mod names;
mod newer_home;
mod news;
mod no_leak;
mod not_checked_out;
mod one_open;
mod one_slug;
mod other_names;
mod out_of_reach;
mod outside;
mod packages;
mod private;
mod private_after_shared;
mod promote;
mod provenance;
mod quota;
mod quoted_once;
mod reading;
mod reception;
mod refused;
mod relocation;
mod rename;
mod replaced;
mod routing;
mod said_before;
mod tag_slips;
mod texts;
mod unconfirmed;
mod undecided_moves;
mod undecided_pairs;
mod unread;
mod unrecorded;
mod unset;
mod verify;
mod whose_history;
