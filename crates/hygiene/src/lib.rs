//! The hygiene floor: a text that carries a credential or an unfinished merge is refused.
//!
//! A use case calls [`check`] for each field before anything is written. [`inspect`] and [`inspect_all`] say what was
//! found and where. No code here keeps, prints or returns a byte of what was found: a [`SecretFinding`] is a kind and a
//! position, and so is the error.
//!
//! How it works, in reading order: the index finds the literals that every credential of a kind
//! carries, in one pass and without anything built at run time; the rows of the table say which check
//! belongs to which literal; the checks are short loops over bytes with a bounded reach. `docs/hygiene.md`
//! has the measurements, the limits, and how to add a kind.
//!
//! Everything is a pure function of its arguments: no file is opened, no clock is read.
//!
//! ```
//! assert!(brainstem_hygiene::check("text", "The password lives in the keychain.").is_ok());
//!
//! let pasted = format!("deploy with {}{}", "ghp_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro");
//! let fault = brainstem_hygiene::check("text", &pasted).expect_err("a token");
//! assert_eq!(fault.to_string(), "`text` carries a GitHub token (rule github_token, at byte 12); nothing was written");
//! ```

pub mod limits;

mod fault;
mod finding;
mod inspect;
mod mask;

mod bare_tokens;
mod bytes;
mod decode;
mod hit;
mod index;
mod table;
mod unescape;

mod conflict;
mod context;
mod harmless;
mod shapes;
mod value;
mod value_traits;
mod words;

pub use fault::{HygieneFault, check};
pub use finding::{Family, MASK, SecretFinding, SecretKind};
pub use inspect::{inspect, inspect_all, kinds};
pub use mask::{OWN_TOKEN, mask, secrets};
