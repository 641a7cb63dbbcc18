//! The hygiene floor of memory: no credential and no unfinished merge is ever written, wherever in a
//! request it stands. It is asked first, so that no other refusal repeats what it must not.

use crate::identity::Declared;
use crate::memorize::MemorizeRequest;
use crate::refusal::MemoryError;
use brainstem_base::{Disk, Fault, codes};
use brainstem_claims::limits::CLAIM_LEN_READ_MAX;
use brainstem_claims::{Claim, ClaimSlug};
use brainstem_hygiene::{Family, Finding, HygieneFault, check, inspect_all};
use brainstem_vault::Store;
use brainstem_vault::scan::CLAIM_SUFFIX;
use std::path::Path;

/// What stands in the place of a secret.
const MASK: &str = "[secret]";
/// So many bytes of a secret in a row are a repetition of it.
const REPEATED_LEN_MIN: usize = 8;

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

/// Refuses a text that carries what must not be kept, for the services beside memory.
pub fn check_text(field: &'static str, text: &str) -> Result<(), Fault> {
    Ok(check(field, text)?)
}

/// Refuses a text that is made of several fields: where it starts there says nothing about any of them.
pub fn check_whole(field: &'static str, text: &str) -> Result<(), Fault> {
    Ok(check(field, text).map_err(|fault| HygieneFault { at: None, ..fault })?)
}

/// Refuses a claim that is taken over as it is: its whole file is looked at, keys this program does not
/// know included.
pub(crate) fn claim(claim: &Claim) -> Result<(), MemoryError> {
    Ok(check("text", &claim.file.render())?)
}

/// Refuses a claim on its way to where it can be committed, naming its file.
pub(crate) fn commit(path: &Path, claim: &Claim) -> Result<(), MemoryError> {
    let Err(fault) = self::claim(claim) else { return Ok(()) };
    let fault = Fault::from(fault);
    let path = without_secrets(&path.display().to_string());
    let message = format!("`{path}` must not get into a repository: {}", fault.message);
    let fix = format!("take it out of `{path}`, or forget that claim (brainstem forget LABEL), then repeat");
    Err(Fault { message, fix: Some(fix), ..fault }.into())
}

/// Refuses a claim that still lies under the home, and that a write of its label would take along into
/// the repository.
pub(crate) fn adopted(disk: &dyn Disk, store: &Store, slug: &ClaimSlug) -> Result<(), MemoryError> {
    let owner = store.paths().placed.as_ref().and_then(|placed| placed.owner.as_ref());
    let Some(path) = owner.map(|claims| claims.join(format!("{slug}{CLAIM_SUFFIX}"))) else { return Ok(()) };
    let read = disk.read(&path, CLAIM_LEN_READ_MAX).ok();
    match read.and_then(|bytes| Claim::parse(&bytes).ok()) {
        Some(claim) => commit(&path, &claim),
        None => Ok(()),
    }
}

/// The secret that a claim's file carries: somebody wrote it there past the floor.
pub(crate) fn carried(claim: &Claim) -> Option<Finding> {
    secrets(&claim.file.render()).into_iter().next()
}

/// Refuses an id that carries what must not be kept, wherever the caller said it.
pub(crate) fn declared(declared: &Declared) -> Result<(), MemoryError> {
    let Declared {
        argument,
        flag,
        env,
        config,
        host,
        client,
        login,
        session,
        connection,
        tags,
        mail_root: _,
    } = declared;
    for said in [argument, flag, env, config, host, client, login].into_iter().flatten() {
        check("agent", said)?;
    }
    for said in session.iter().chain(connection).chain(tags) {
        check("session", said)?;
    }
    Ok(())
}

/// A fault that repeats no secret: what looks like one is masked, wherever it came from.
pub fn masked(fault: &Fault) -> Fault {
    Fault {
        code: fault.code,
        message: without_secrets(&fault.message),
        fix: fault.fix.as_deref().map(without_secrets),
        field: fault.field.as_deref().map(without_secrets),
        rule: fault.rule,
    }
}

/// A text in which every secret is masked.
pub fn without_secrets(text: &str) -> String {
    let mut shown = text.to_owned();
    for Finding { span, .. } in secrets(text).into_iter().rev() {
        if !text.is_char_boundary(span.start) || !text.is_char_boundary(span.end) {
            return MASK.to_owned();
        }
        shown.replace_range(span, MASK);
    }
    shown
}

/// A fault about a call with these fields and values, which repeats no secret among them, nor a part of
/// one: a part is no longer known as a secret by itself. Such a fault becomes the refusal of the secret.
pub fn unrepeated<'a>(fault: Fault, given: impl IntoIterator<Item = (&'a str, &'a str)>) -> Fault {
    let shown = [Some(&fault.message), fault.fix.as_ref(), fault.field.as_ref()];
    let shown: Vec<&[u8]> = shown.into_iter().flatten().map(|text| text.as_bytes()).collect();
    let is_shown = |part: &[u8]| shown.iter().any(|text| text.windows(part.len()).any(|at| at == part));
    for (field, value) in given {
        for Finding { kind, span } in secrets(value) {
            let secret = &value.as_bytes()[span];
            let len = secret.len().clamp(1, REPEATED_LEN_MIN);
            if secret.windows(len).any(is_shown) {
                let message = format!("`{field}` carries a secret: {} (rule {})", kind.name, kind.id);
                return Fault::new(codes::HYGIENE_SECRET, message)
                    .fix(kind.advice)
                    .field(field)
                    .rule("MEM-14");
            }
        }
    }
    fault
}

fn secrets(text: &str) -> Vec<Finding> {
    let mut found = inspect_all(text);
    found.retain(|finding| finding.kind.family != Family::Merge);
    found
}
