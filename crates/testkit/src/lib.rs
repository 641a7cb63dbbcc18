//! What the tests of several crates need: a home of their own with repositories beside it, a program
//! to run there in a clean environment, chances that can be drawn again, how many of them to draw, and
//! damaged files.

mod chance;
mod damage;
mod home;
mod size;

pub use chance::Chance;
pub use damage::try_damaged;
pub use home::TestHome;
pub use size::cases;
