//! The hygiene floor of memory: no credential and no unfinished merge is ever written, wherever in a
//! request it stands. It is asked first, so that no other refusal repeats what it must not.

use crate::memorize::MemorizeRequest;
use crate::refusal::MemoryError;
use brainstem_claims::Claim;
use brainstem_hygiene::check;

/// Refuses a request that carries what must not be kept, naming the field and the rule.
pub(crate) fn request(request: &MemorizeRequest) -> Result<(), MemoryError> {
    check("label", &request.label)?;
    check("text", &request.text)?;
    let single = [
        ("title", &request.title),
        ("confidence", &request.confidence),
        ("state", &request.state),
        ("kind", &request.kind),
        ("group", &request.group),
        ("tier", &request.tier),
    ];
    for (field, value) in single {
        check(field, value.as_deref().unwrap_or_default())?;
    }
    let lists =
        [("evidence", &request.evidence), ("depends_on", &request.depends_on), ("tags", &request.tags)];
    for (field, values) in lists {
        for value in values {
            check(field, value)?;
        }
    }
    Ok(())
}

/// Refuses one text.
pub(crate) fn text(field: &'static str, text: &str) -> Result<(), MemoryError> {
    Ok(check(field, text)?)
}

/// Refuses a claim that is taken over as it is: its whole file is looked at, keys this program does not
/// know included.
pub(crate) fn claim(claim: &Claim) -> Result<(), MemoryError> {
    Ok(check("text", &claim.file.render())?)
}
