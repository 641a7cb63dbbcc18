//! `handshake`: whether the session has the brain that it expects.

use super::reception::Reception;
use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::wire::Exit;
use crate::{Context, Effect, Present, Screen, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_memory::HandshakeRequest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Say which brain you expect to work with, and learn whether you do.
///
/// A child that was given a packet calls this first, with the root and the fingerprint of its binding.
/// Over MCP a session that is elsewhere is moved to the expected brain, where that exists. On the command
/// line nothing is changed, and a mismatch ends with status 1.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Handshake {
    /// The root you expect.
    #[arg(long, value_name = "PATH")]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::absolute_path()))]
    pub expect_root: String,
    /// The fingerprint you expect.
    #[arg(long, value_name = "NAME")]
    #[schemars(extend("x-plain" = true))]
    pub expect_fingerprint: Option<String>,
}

/// Whether you are where you expect to be.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HandshakeAnswer {
    /// You work with the brain you expected.
    #[serde(rename = "match")]
    pub matched: bool,
    /// You do since this call: it moved your session there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rebound: bool,
    /// What you expected.
    pub expected: Expected,
    /// Where you are now.
    pub actual: Landed,
    /// Where your session was before, when it was moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Landed>,
    /// What to do about a mismatch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reception: Option<Reception>,
}

/// What was expected.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Expected {
    /// The root, as this program names it.
    pub root: String,
    /// The fingerprint, where one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// Where a caller is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Landed {
    /// The brain: name@id; null when there is none.
    pub brain: Option<String>,
    /// The root.
    pub root: Option<String>,
    /// The fingerprint of the brain.
    pub fingerprint: Option<String>,
    /// By which word: session, explicit, environment or working_directory.
    pub by: Option<String>,
}

impl From<brainstem_memory::Landed> for Landed {
    fn from(landed: brainstem_memory::Landed) -> Self {
        Self {
            brain: landed.brain,
            root: landed.root.map(|root| root.display().to_string()),
            fingerprint: landed.fingerprint,
            by: landed.by.map(|by| by.as_str().to_owned()),
        }
    }
}

impl Verb for Handshake {
    const SPEC: VerbSpec = VerbSpec {
        // It may move the session, so what comes after it waits.
        effect: Effect::Write,
        title: "Check where you are",
        when_to_use: "First, when you were told which brain to work with.",
        examples: &[
            "brainstem handshake --expect-root ~/src/cherry",
            "brainstem handshake --expect-root . --expect-fingerprint cherry-0123456789ab --json",
        ],
        ..VerbSpec::of(VerbId::Handshake)
    };
    type Output = HandshakeAnswer;

    fn run(self, cx: &Context) -> Result<HandshakeAnswer, Fault> {
        let request = HandshakeRequest {
            expect_root: cx.path("expect_root", &self.expect_root)?,
            expect_fingerprint: self.expect_fingerprint,
        };
        let told = cx.memory.handshake(&cx.reader()?, cx.session.as_deref(), &request)?;
        Ok(HandshakeAnswer {
            matched: told.matched,
            rebound: told.rebound,
            expected: Expected {
                root: told.expected_root.display().to_string(),
                fingerprint: told.expected_fingerprint,
            },
            actual: told.actual.into(),
            before: told.before.map(Landed::from),
            reception: told.reception.map(|reception| Reception::for_door(reception, cx.door)),
        })
    }
}

impl Present for HandshakeAnswer {
    fn present(&self, out: &mut Screen) {
        let word = if self.matched { styled(Look::Good, "match") } else { styled(Look::Bad, "mismatch") };
        let brain = self.actual.brain.as_deref().unwrap_or("no brain");
        let root = self.actual.root.as_deref().unwrap_or_default();
        out.flow(0, 2, [word, "  ".into(), bold(brain), dim(format!("  {root}"))]);
        if let Some(reception) = &self.reception {
            reception.present(out);
        }
    }

    /// A script that starts a child notices a mismatch.
    fn exit(&self) -> Exit {
        if self.matched { Exit::Done } else { Exit::Refused }
    }
}
