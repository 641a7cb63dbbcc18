//! `inbox fetch`.

use super::list::InboxListAnswer;
use crate::{Context, Effect, Toolset, Verb, VerbSpec, within};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_post::inbox::{FetchRequest, INBOX_LIMIT_MAX};
use schemars::JsonSchema;
use serde::Deserialize;

/// How many messages one call takes, if no number is given.
const FETCH_DEFAULT: usize = 10;

/// Take the next unread messages for this session, the most urgent first.
///
/// No other session of yours gets them while the lease lasts. Finish each with `inbox done`; what is not finished in time can be
/// taken again. A session with a name gets again what it holds; calls without a session name count as many sessions, and none of
/// them gets what another one took.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct InboxFetch {
    /// At most this many; default 10.
    #[arg(long)]
    #[schemars(extend("x-plain" = true, "x-range" = crate::schema::range(1..=INBOX_LIMIT_MAX, FETCH_DEFAULT)))]
    pub limit: Option<i64>,
    /// How many seconds you have them; default 600.
    #[arg(long, value_name = "SECONDS")]
    #[schemars(extend("x-rare" = true, "x-range" = crate::schema::range(1..=86_400, 600)))]
    pub lease_s: Option<u64>,
}

impl Verb for InboxFetch {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Mail,
        effect: Effect::Write,
        title: "Take messages from your inbox",
        when_to_use: "To work on what waits for you: no other session of yours gets these meanwhile.",
        examples: &["brainstem inbox fetch", "brainstem inbox fetch --limit 1 --lease-s 3600"],
        ..VerbSpec::of(VerbId::InboxFetch)
    };
    type Output = InboxListAnswer;

    fn run(self, cx: &Context) -> Result<InboxListAnswer, Fault> {
        let (post, caller) = (cx.post(), cx.caller()?);
        let limit = within("limit", self.limit, FETCH_DEFAULT, 1..=INBOX_LIMIT_MAX)?;
        let names = post.reference_names(&caller)?;
        let fetched = post.fetch_inbox(&caller, &FetchRequest { limit, lease_s: self.lease_s })?;
        Ok(InboxListAnswer::new(fetched, &names))
    }
}
