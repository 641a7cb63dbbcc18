//! What holds for the parser whatever the bytes. The fuzz targets use this file too.

use brainstem_claims::light::keys;
use brainstem_claims::{Claim, State};

/// Reads bytes that may be a claim and checks what must hold of the result. Returns false if they are not a claim.
pub(crate) fn check(bytes: &[u8]) -> bool {
    let Ok(claim) = Claim::parse(bytes) else { return false };
    assert_eq!(claim.file.render().as_bytes(), bytes, "rendering gives the same bytes");
    check_fields(&claim);

    let outdated = claim.outdated();
    let text = outdated.render();
    let read = Claim::parse(text.as_bytes()).expect("an outdated claim is still one");
    assert_eq!(read.file, outdated);
    assert_eq!(read.state, Some(State::Outdated));
    assert_eq!(without_state(&text), without_state(&claim.file.render()), "only the State line differs");
    assert_eq!(Claim { state: claim.state, file: claim.file.clone(), ..read }, claim, "it says the same");
    true
}

fn check_fields(claim: &Claim) {
    let file = &claim.file;
    assert!(!claim.label.trim().is_empty(), "a claim has a label");
    assert_eq!(file.get(keys::NODE).as_deref(), Some(claim.label.as_str()));
    if let Some(created) = claim.created {
        assert_eq!(file.get(keys::CREATED).and_then(|text| text.parse().ok()), Some(created.ms()));
    }
    if let Some(state) = claim.state {
        assert_eq!(file.get(keys::STATE).as_deref(), Some(state.as_str()));
    }
    if let Some(confidence) = claim.confidence {
        assert!((0.0..=1.0).contains(&confidence.value()));
    }
    assert!(claim.tags.iter().all(|tag| !tag.is_empty() && !tag.contains(',')));
    assert!(claim.source_agent.as_deref() != Some("") && claim.origin_brain.as_deref() != Some(""));
    let ends = [claim.text.split('\n').next(), claim.text.rsplit('\n').next()];
    let blank = |line: &Option<&str>| line.is_none_or(|line| line.trim().is_empty());
    assert!(claim.text.is_empty() || !ends.iter().any(blank), "no blank lines at the ends of a text");
    assert_eq!(&Claim::from(file.clone()), claim, "reading is a function of the file");
}

/// The lines of a file but for the `State` line of its header.
fn without_state(text: &str) -> Vec<&str> {
    // Only one line end: `---` with two carriage returns is not a fence.
    let is_fence = |line: &str| {
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line) == "---"
    };
    let mut in_header = true;
    let mut lines = text.split_inclusive('\n');
    let mut kept: Vec<&str> = lines.next().into_iter().collect();
    for line in lines {
        in_header &= !is_fence(line);
        if !(in_header && line.starts_with("State:")) {
            kept.push(line);
        }
    }
    kept
}
