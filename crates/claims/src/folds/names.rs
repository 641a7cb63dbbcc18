//! Which names a version had: a renamed claim stays the same version.

use crate::act::{Act, Deed, VersionRef};
use crate::{ClaimSlug, Label};
use brainstem_base::Timestamp;
use std::collections::HashMap;

/// The names that versions had, by the renamings on record.
#[derive(Clone, Debug, Default)]
pub struct NamesOnRecord {
    /// The slugs beside each slug of a version.
    beside: HashMap<VersionRef, Vec<ClaimSlug>>,
    /// The labels that renamings gave, by their slugs.
    labels: HashMap<ClaimSlug, String>,
}

impl NamesOnRecord {
    /// The names in these acts.
    pub fn of<'a>(acts: impl IntoIterator<Item = &'a Act>) -> Self {
        let mut names = Self::default();
        for act in acts {
            if let Deed::Rename { upon, to, to_slug: Some(new), created, from: _ } = act.deed() {
                names.labels.extend(to.clone().map(|label| (new.clone(), label)));
                let Some(old) = upon.slug() else { continue };
                names.beside.entry(VersionRef::new(old, *created)).or_default().push(new.clone());
                names.beside.entry(VersionRef::new(new, *created)).or_default().push(old.clone());
            }
        }
        names
    }

    /// Every slug that a version has or had, the one given first.
    pub fn of_version(&self, version: &VersionRef) -> Vec<ClaimSlug> {
        let mut names = vec![version.slug.clone()];
        let mut at = 0;
        while let Some(name) = names.get(at) {
            for beside in self.beside.get(&version.under(name)).into_iter().flatten() {
                if !names.contains(beside) {
                    names.push(beside.clone());
                }
            }
            at += 1;
        }
        names
    }

    /// The version under each of its names, the one given first.
    pub fn versions(&self, version: &VersionRef) -> impl Iterator<Item = VersionRef> {
        self.of_version(version).into_iter().map(|name| version.under(&name))
    }

    /// Whether two names are of one version.
    pub fn are_one(&self, one: &VersionRef, other: &VersionRef) -> bool {
        one.created == other.created && self.of_version(one).contains(&other.slug)
    }

    /// The label that a renaming gave together with this slug.
    pub fn label(&self, slug: &ClaimSlug) -> Option<&str> {
        self.labels.get(slug).map(String::as_str)
    }
}

/// A renaming, by the labels that its act has.
#[derive(Clone, Debug)]
pub struct Relabelling<'a> {
    /// The act.
    pub act: &'a Act,
    /// The label that the claim had; `None` if the act has no valid one.
    pub from: Option<Label>,
    /// The label that it got.
    pub to: Option<Label>,
    /// The slug that it got.
    pub to_slug: Option<&'a ClaimSlug>,
    /// When the version was born that was live then.
    pub born: Option<Timestamp>,
}

impl<'a> Relabelling<'a> {
    /// The renaming that an act records; `None` for every other act.
    pub fn by(act: &'a Act) -> Option<Self> {
        let Deed::Rename { from, to, to_slug, created, upon: _ } = act.deed() else { return None };
        let label = |text: &Option<String>| Label::parse(text.as_deref()?).ok();
        Some(Self { act, from: label(from), to: label(to), to_slug: to_slug.as_ref(), born: *created })
    }
}

/// A label, and every other label of its claim according to the acts: those that it had before, and those that differ
/// in their spelling alone, before and since.
pub fn names_of(label: &Label, acts: &[Act]) -> Vec<Label> {
    let labels = |renaming: Relabelling<'_>| Some((renaming.from?, renaming.to?));
    let renames: Vec<(Label, Label)> = acts.iter().filter_map(Relabelling::by).filter_map(labels).collect();
    let mut names = vec![label.clone()];
    let mut at = 0;
    while let Some(name) = names.get(at).cloned() {
        at += 1;
        let other = |(from, to): &(Label, Label)| {
            let is_spelled_anew = ClaimSlug::of(from) == ClaimSlug::of(to);
            match (*to == name, is_spelled_anew && *from == name) {
                (true, _) => Some(from.clone()),
                (false, true) => Some(to.clone()),
                (false, false) => None,
            }
        };
        for other in renames.iter().filter_map(other) {
            if !names.contains(&other) {
                names.push(other);
            }
        }
    }
    names
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::act::Mention;
    use brainstem_base::AgentId;

    pub(crate) fn version(text: &str) -> VersionRef {
        VersionRef::parse(text).unwrap()
    }

    /// An act of `human:ana` at a time.
    pub(crate) fn act(at_ms: i64, deed: Deed) -> Act {
        Act::new(deed, &AgentId::parse("human:ana").unwrap(), Timestamp::from_ms(at_ms))
    }

    pub(crate) fn renamed(from: &str, to: &str, at_ms: i64) -> Act {
        let from = version(from);
        let created = from.created;
        act(
            at_ms,
            Deed::Rename {
                from: Some(from.slug.to_string()),
                to: Some(to.to_uppercase()),
                to_slug: ClaimSlug::parse(to),
                created,
                upon: Mention::from(from),
            },
        )
    }

    #[test] // spec: MEM-48
    fn a_version_has_every_name_that_renamings_gave_it_and_no_other_version_has_them() {
        let acts =
            [renamed("a@5", "b", 1), renamed("b@5", "c", 2), renamed("c@5", "a", 3), renamed("c@6", "d", 4)];
        let names = |text: &str| -> Vec<String> {
            let found = NamesOnRecord::of(&acts).of_version(&version(text));
            found.iter().map(ToString::to_string).collect()
        };
        let table: [(&str, &[&str]); 5] = [
            ("a@5", &["a", "b", "c"]),
            ("b@5", &["b", "a", "c"]),
            ("c@6", &["c", "d"]),
            ("a@6", &["a"]),
            ("a", &["a"]),
        ];
        for (text, expected) in table {
            assert_eq!(names(text), expected, "{text}");
        }
        let all = NamesOnRecord::of(&acts);
        assert!(
            all.are_one(&version("c@5"), &version("a@5")) && !all.are_one(&version("c@6"), &version("a@6"))
        );
        assert_eq!(all.label(&ClaimSlug::parse("d").unwrap()), Some("D"));
    }

    #[test] // spec: MEM-48
    fn a_claim_had_the_labels_from_which_renamings_led_to_its_own() {
        let renamed = |from: Option<&str>, to: Option<&str>| {
            let upon = version("cache@5").into();
            let (from, to) = (from.map(str::to_owned), to.map(str::to_owned));
            act(1, Deed::Rename { upon, from, to, to_slug: None, created: None })
        };
        let acts = [
            renamed(Some("Page"), Some("Store")),
            renamed(Some("Cache"), Some("Page")),
            renamed(Some("Store"), Some("Cache")),
            renamed(Some("Queue"), Some("Other")),
            renamed(Some("Other"), Some("other!")),
            renamed(Some(""), Some("Store")),
            renamed(None, Some("Store")),
            renamed(Some("Gone"), None),
        ];
        let names = |label: &str| names_of(&Label::parse(label).unwrap(), &acts);
        let texts = |label: &str| names(label).iter().map(|name| name.to_string()).collect::<Vec<_>>();
        assert_eq!(texts("Store"), ["Store", "Page", "Cache"]);
        assert_eq!(texts("store"), ["store"], "two labels differ by their letters");
        assert_eq!(texts("Other"), ["Other", "Queue", "other!"], "two spellings are one claim");
        assert_eq!(texts("other!"), ["other!", "Other", "Queue"]);
        assert_eq!(texts("Queue"), ["Queue"], "what a claim was called later is another label");
    }
}
