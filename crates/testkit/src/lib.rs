//! What the tests of several crates need: a home of their own with repositories beside it, a program
//! to run there in a clean environment, chances that can be drawn again, and how many of them to draw.

mod chance;
mod home;
mod size;

pub use chance::Chance;
pub use home::TestHome;
pub use size::cases;
