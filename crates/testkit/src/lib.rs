//! What the tests of several crates need: a home of their own with repositories beside it, a program
//! to run there in a clean environment, and chances that can be drawn again.

mod chance;
mod home;

pub use chance::Chance;
pub use home::TestHome;
