//! What was found for one question.

use crate::screen::{bold, dim};
use crate::verbs::row::{Gap, Row, could_not_look, present_gaps};
use crate::{Present, Screen};
use schemars::JsonSchema;
use serde::Serialize;

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Found {
    /// The rows, best first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<Row>>,
    /// For all brains, the rows by the brain they came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<Group>>,
    /// How many claims the stores that could be counted hold; files that cannot be read are gaps. Null where it is not known.
    pub memory_exists: Option<usize>,
    /// What could not be looked at, or was not found.
    pub gaps: Vec<Gap>,
    /// Whether a terminal shows what each score is made of.
    #[serde(skip)]
    pub explain: bool,
    /// The same as a page for a model, if the door sends one.
    #[serde(skip)]
    pub page: Option<String>,
}

/// The rows of one brain.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Group {
    /// Which brain.
    pub origin_brain: String,
    /// Its root, which tells two clones of one repository apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Its rows, best first.
    pub rows: Vec<Row>,
    /// How many claims it holds.
    pub memory_exists: usize,
}

impl Found {
    fn present_row(&self, row: &Row, out: &mut Screen) {
        row.present_brief(out);
        if self.explain {
            row.present_score(out);
        }
    }
}

impl Present for Found {
    fn present(&self, out: &mut Screen) {
        for row in self.rows.iter().flatten() {
            out.blank();
            self.present_row(row, out);
        }
        for group in self.groups.iter().flatten().filter(|group| !group.rows.is_empty()) {
            out.blank();
            let root = group.root.as_ref().map(|root| dim(format!("  {root}")));
            out.line([bold(format!("── {}", group.origin_brain))].into_iter().chain(root));
            for row in &group.rows {
                self.present_row(row, out);
            }
        }
        if self.memory_exists == Some(0) && !could_not_look(&self.gaps) {
            out.line(["No claims here."]);
        }
        if !self.gaps.is_empty() {
            out.blank();
        }
        present_gaps(&self.gaps, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verbs::row::ScoreParts;
    use crate::verbs::row::tests::example;

    #[test] // spec: MEM-20, MEM-25
    fn a_score_is_explained_when_that_is_asked() {
        let parts = ScoreParts {
            lexical: 1.0,
            semantic: 0.5,
            cosine: 0.61,
            near: 0.25,
            named: 0.0,
            standing: 1.1,
            conversation: Some(4.2),
        };
        let row = Row { score: 0.88, score_parts: Some(parts), ..example("Retry", "three times") };
        let mut found = Found {
            rows: Some(vec![row]),
            groups: None,
            memory_exists: Some(1),
            gaps: Vec::new(),
            explain: false,
            page: None,
        };
        let shown = |found: &Found| {
            let mut out = Screen::plain();
            found.present(&mut out);
            out.into_string()
        };
        assert!(!shown(&found).contains("score"));
        found.explain = true;
        let text = shown(&found);
        let line = "score 0.880 · words 1.00 · meaning 0.50 (cosine 0.61) · near 0.25 · standing ×1.10";
        assert!(text.contains(line), "{text}");
    }
}
