//! Letters: from the spool into the boxes, and what is made of them.

mod battery;
mod boxes;
mod distribute;
mod doctor;
mod fixture;
mod hostile;
mod paths;
mod world;
