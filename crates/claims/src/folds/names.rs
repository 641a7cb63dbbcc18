//! Which names a version had: a claim that is renamed stays the same version.

use crate::ClaimSlug;
use crate::act::{Act, Deed, VersionRef};
use std::collections::HashMap;

/// The names that versions had, by the renamings on record.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The slugs beside each slug of a version.
    beside: HashMap<VersionRef, Vec<ClaimSlug>>,
    /// The labels that renamings gave, by their slugs.
    labels: HashMap<ClaimSlug, String>,
}

impl Names {
    /// Those that these acts tell.
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::act::Mention;
    use brainstem_base::{AgentId, Timestamp};

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
            let found = Names::of(&acts).of_version(&version(text));
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
        let all = Names::of(&acts);
        assert!(
            all.are_one(&version("c@5"), &version("a@5")) && !all.are_one(&version("c@6"), &version("a@6"))
        );
        assert_eq!(all.label(&ClaimSlug::parse("d").unwrap()), Some("D"));
    }
}
