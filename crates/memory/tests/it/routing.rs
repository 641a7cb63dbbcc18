//! From the folder of a caller to its brain, in real folders with real repositories.

mod moved_roots;
mod never_projects;
mod repositories;
mod worktrees;
