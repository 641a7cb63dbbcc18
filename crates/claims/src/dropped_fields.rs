//! What a new version no longer has: each version is stated whole, and its writer should know what the previous one
//! had.

use crate::light::BodyMarker;
use crate::{Claim, ClaimDraft, Confidence};

/// How many entries of a list are named.
const NAMED_MAX: usize = 3;

/// What the previous version has and the draft that replaces it does not, each in a few words: `evidence (src/a.rs)`,
/// `tags (net)`, `the title "…"`. This includes header keys and markers that no writer can state.
pub fn dropped_fields(before: &Claim, draft: &ClaimDraft) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(title) = before.title.as_ref().filter(|_| draft.title.is_none()) {
        found.push(format!("the title {title:?}"));
    }
    // A missing confidence and the default are the same.
    let stated = before.confidence.filter(|confidence| *confidence != Confidence::UNSTATED);
    if let Some(confidence) = stated.filter(|_| draft.confidence.is_none()) {
        found.push(format!("confidence {confidence}"));
    }
    let has_path = |path: &str| draft.evidence.iter().any(|entry| entry.path == path);
    let evidence = before.evidence.iter().filter(|entry| !has_path(&entry.path));
    found.extend(listed("evidence", evidence.map(|entry| entry.place()).collect()));
    let tags = before.tags.iter().filter(|tag| !draft.tags.contains(tag));
    found.extend(listed("tags", tags.cloned().collect()));
    let labels = before.depends_on.iter().filter(|label| !draft.depends_on.contains(label));
    found.extend(listed("what it rests on", labels.map(|label| format!("{label:?}")).collect()));
    if before.absolute && !draft.absolute {
        found.push("the mark of absolute doctrine".to_owned());
    }
    let mut keys: Vec<String> = Vec::new();
    for line in before.file.unknown_lines().filter(|line| !line.trim().is_empty()) {
        let key = line.split(':').next().unwrap_or(line).trim();
        keys.push(format!("`{}`", key.chars().take(40).collect::<String>()));
    }
    let is_ambiguity = |marker: &BodyMarker| matches!(marker, BodyMarker::Ambiguity(_));
    if before.file.body().markers.iter().any(is_ambiguity) {
        keys.push("`ambiguity`".to_owned());
    }
    found.extend(listed("what another tool wrote", keys));
    found
}

fn listed(what: &str, mut entries: Vec<String>) -> Option<String> {
    let more = entries.len().saturating_sub(NAMED_MAX);
    entries.truncate(NAMED_MAX);
    if more > 0 {
        entries.push(format!("{more} more"));
    }
    (!entries.is_empty()).then(|| format!("{what} ({})", entries.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::tests::{author, draft};
    use crate::evidence::Evidence;
    use crate::light::keys;
    use brainstem_base::Timestamp;

    #[test] // spec: MEM-6, MEM-11
    fn what_a_new_version_does_not_have_is_named() {
        let mut full = draft("Refund window", "30 days");
        full.title = Some("How long".into());
        full.confidence = Confidence::parse("0.5").ok();
        full.evidence = ["a.py#L1", "b.py"].iter().map(|text| Evidence::parse(text)).collect();
        full.tags = ["net", "pay", "shop", "web"].iter().map(|tag| (*tag).to_owned()).collect();
        full.depends_on = vec!["Orders".into()];
        let mut file = full.file(&author(), Timestamp::from_ms(1), None);
        file.set(keys::DOCTRINE, "absolute");
        let text = file.render().replacen("---\n\n", "Priority: 3\n---\n\n", 1) + "[𝔻 ambiguity: 0.2]\n";
        let before = Claim::parse(text.as_bytes()).expect("a claim");
        let bare = draft("Refund window", "60 days");
        let unstated = Claim { confidence: Some(Confidence::UNSTATED), ..before.clone() };
        let told = dropped_fields(&unstated, &bare);
        assert!(!told.iter().any(|what| what.contains("confidence")), "the default is no loss: {told:?}");
        let expected = [
            "the title \"How long\"",
            "confidence 0.5",
            "evidence (a.py#L1, b.py)",
            "tags (net, pay, shop, 1 more)",
            "what it rests on (\"Orders\")",
            "the mark of absolute doctrine",
            "what another tool wrote (`Priority`, `ambiguity`)",
        ];
        assert_eq!(dropped_fields(&before, &bare), expected);
        let again = ClaimDraft { text: "60 days".into(), absolute: true, ..full.clone() };
        assert_eq!(dropped_fields(&before, &again), expected[6..], "what no writer can state");
        let moved = ClaimDraft { evidence: vec![Evidence::parse("a.py#L7")], ..again };
        assert_eq!(
            dropped_fields(&before, &moved)[0],
            "evidence (b.py)",
            "the same file at other lines is not dropped"
        );
    }
}
