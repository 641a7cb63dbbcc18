//! Stores on a simulated disk, beside programs that know nothing of locks.

mod acts;
mod editor;
