//! `edit`: a claim's text in the caller's own editor, or its tags.

use crate::error::MemoryError;
use crate::reading::evidence::HASHED_LEN_MAX;
use crate::service::Memory;
use crate::writing::error::WriteError;
use crate::writing::memorize::{Memorized, Remembered, Terms, check_names};
use crate::writing::memorize_request::{DoctrineWeight, MemorizeRequest};
use crate::writing::target::{Target, WriteTier};
use brainstem_caller::Caller;
use brainstem_claims::Claim;
use brainstem_claims::evidence::{Evidence, Freshness};
use brainstem_claims::light::ClaimBody;
use brainstem_vault::store::LiveFile;

/// A claim that is being edited.
pub struct Editing {
    target: Target,
    claim: Claim,
    /// What the editor opens: the label, the title and the text.
    pub page: String,
}

impl Editing {
    /// The claim's label.
    pub fn label(&self) -> &str {
        &self.claim.label
    }
}

impl Memory {
    /// Opens the live claim of a label.
    pub fn begin_edit(
        &self,
        caller: &Caller,
        label: &str,
        tier: Option<WriteTier>,
    ) -> Result<Editing, MemoryError> {
        let label = self.floor().label("label", label)?;
        let target = self.target(caller, tier)?;
        let slug = self.slug_named(&target.store, &label, &target.name())?;
        let LiveFile::Claim(claim) = target.store.live(&slug) else {
            return Err(self.not_found(&target.store, &label, &target.name()));
        };
        let body = ClaimBody { title: claim.title.clone(), text: claim.text.clone(), markers: Vec::new() };
        let page = body.render(&claim.label).trim_start_matches('\n').to_owned();
        Ok(Editing { target, claim: *claim, page })
    }

    /// Writes what the editor gave back as a version by the caller, with the strength and the evidence
    /// of the one before; the hashes of the evidence are taken anew. `None` when nothing changed.
    pub fn finish_edit(
        &self,
        caller: &Caller,
        editing: &Editing,
        page: &str,
    ) -> Result<Option<Memorized>, MemoryError> {
        if page == editing.page {
            return Ok(None);
        }
        self.floor().check_text("text", page)?;
        let claim = &editing.claim;
        let body = edited_text(&claim.label, page)?;
        if body.title == claim.title && body.text == claim.text {
            return Ok(None);
        }
        if body.title.is_none() && body.text.trim().is_empty() {
            return Err(WriteError::CameBackEmpty.into());
        }
        let request =
            MemorizeRequest { title: body.title, text: body.text, ..self.as_it_is(caller, editing) };
        self.write_edited(caller, editing, &request)
    }

    /// Writes the claim with these tags in the place of those that it has, as a version by the caller. `None` when it has
    /// them already.
    pub fn retag(
        &self,
        caller: &Caller,
        editing: &Editing,
        tags: Vec<String>,
    ) -> Result<Option<Memorized>, MemoryError> {
        let request = MemorizeRequest { tags, ..self.as_it_is(caller, editing) };
        if request.draft(&self.floor())?.tags == editing.claim.tags {
            return Ok(None);
        }
        check_names(&editing.target, &request)?;
        self.write_edited(caller, editing, &request)
    }

    /// What a claim says, with the hashes of its evidence taken anew.
    fn as_it_is(&self, caller: &Caller, editing: &Editing) -> MemorizeRequest {
        let claim = &editing.claim;
        let root = editing.target.root.as_deref().map(|root| self.at(caller).checkout(root));
        let root = root.as_deref();
        let floor = self.floor();
        let fresh = |old: &Evidence| {
            let mut bare = old.clone().bare();
            // Lines that moved within their file are meant at their present place.
            if let Freshness::Moved(lines) = self.hashes.freshness(&*self.disk, root, old, HASHED_LEN_MAX) {
                bare.anchor = Some(lines.to_string());
            }
            let (found, _) =
                crate::reading::evidence::anchored(&*self.disk, &floor, root, None, &[bare.to_string()]);
            let found = found.into_iter().next().filter(|found| found.hash.is_some());
            found.unwrap_or_else(|| old.clone()).to_string()
        };
        MemorizeRequest {
            label: claim.label.clone(),
            title: claim.title.clone(),
            text: claim.text.clone(),
            confidence: claim.confidence,
            state: claim.state,
            kind: claim.kind,
            evidence: claim.evidence.iter().map(fresh).collect(),
            depends_on: claim.depends_on.clone(),
            tags: claim.tags.clone(),
            group: claim.group.clone(),
            doctrine: match claim.absolute {
                true => DoctrineWeight::Absolute,
                false => DoctrineWeight::Ordinary,
            },
            ..MemorizeRequest::default()
        }
    }

    fn write_edited(
        &self,
        caller: &Caller,
        editing: &Editing,
        request: &MemorizeRequest,
    ) -> Result<Option<Memorized>, MemoryError> {
        self.check_write_quota(&caller.principal.agent)?;
        let draft = request.draft(&self.floor())?;
        let terms = Terms { over: Some(&editing.claim), ..Terms::default() };
        let agent = caller.principal.agent.clone();
        match self.remember(caller, &editing.target, agent, request, draft, &terms)? {
            Remembered::Now(done) => Ok(Some(*done)),
            Remembered::Known => Ok(None),
        }
    }
}

/// Reads what an editor gave back: the heading is the label and stays, `## ` is the title, the rest is
/// the text.
pub fn edited_text(label: &str, page: &str) -> Result<ClaimBody, MemoryError> {
    let page = page.strip_prefix('\u{feff}').unwrap_or(page).replace("\r\n", "\n");
    if page.trim().is_empty() {
        return Err(WriteError::CameBackEmpty.into());
    }
    let lines: Vec<&str> = page.split('\n').collect();
    let heading = ClaimBody { title: None, text: String::new(), markers: Vec::new() }.render(label);
    let first = lines.iter().find(|line| !line.trim().is_empty()).copied().unwrap_or_default();
    if first.starts_with("# ") && first.trim() != heading.trim() {
        return Err(WriteError::HeadingChanged.into());
    }
    let body = ClaimBody::parse(&lines);
    if !body.markers.is_empty() {
        return Err(WriteError::ReadsAsMarker.into());
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::Coded as _;

    #[test] // spec: MEM-48
    fn the_page_of_an_editor_is_read_back() {
        let read = |page: &str| {
            edited_text("Retry", page).map(|body| (body.title, body.text)).map_err(|e| e.code().name())
        };
        assert_eq!(
            read("# Retry\n\n## T\n\nthree\n\nfour\n"),
            Ok((Some("T".into()), "three\n\nfour".into()))
        );
        assert_eq!(read("three\r\nfour"), Ok((None, "three\nfour".into())), "the heading may go");
        assert_eq!(read("# Other\n\nthree"), Err("input.bad_value"));
        assert_eq!(read("# Retry\n\n[𝔻 confidence: 1]"), Err("input.bad_value"));
        assert_eq!(read(" \n"), Err("input.missing"));
    }
}
