//! Which names a version had: a renamed claim stays the same version.

use super::work;
use crate::act::{Act, Deed, VersionRef};
use crate::{ClaimSlug, Label};
use brainstem_base::Timestamp;
use std::collections::{HashMap, HashSet};

/// The names that versions had, by the renamings on record.
#[derive(Clone, Debug, Default)]
pub struct NamesOnRecord {
    /// The group of each renamed version: all its names are in one group.
    groups: HashMap<VersionRef, usize>,
    /// The names of each group. A group that was joined to another is empty.
    members: Vec<Vec<VersionRef>>,
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
                names.join(VersionRef::new(old, *created), VersionRef::new(new, *created));
            }
        }
        names
    }

    /// Puts two names of one version into one group. The smaller group moves into the larger one, so that each name
    /// moves at most as often as the number of names can be halved, in whatever order a committer wrote the acts.
    fn join(&mut self, old: VersionRef, new: VersionRef) {
        let (old, new) = (self.group_of(old), self.group_of(new));
        if old == new {
            return;
        }
        let is_new_larger = self.members[old].len() < self.members[new].len();
        let (kept, moved) = if is_new_larger { (new, old) } else { (old, new) };
        for name in std::mem::take(&mut self.members[moved]) {
            work::step();
            self.groups.insert(name.clone(), kept);
            self.members[kept].push(name);
        }
    }

    fn group_of(&mut self, name: VersionRef) -> usize {
        let members = &mut self.members;
        *self.groups.entry(name).or_insert_with_key(|name| {
            members.push(vec![name.clone()]);
            members.len() - 1
        })
    }

    fn group(&self, version: &VersionRef) -> &[VersionRef] {
        self.groups.get(version).map_or(&[], |group| &self.members[*group])
    }

    /// One name of a version, the same for each name that it has or had: what is kept by this name is kept once,
    /// however many names there are.
    pub fn key<'a>(&'a self, version: &'a VersionRef) -> &'a VersionRef {
        self.group(version).first().unwrap_or(version)
    }

    /// Every slug that a version has or had, the one given first.
    pub fn of_version(&self, version: &VersionRef) -> Vec<ClaimSlug> {
        self.versions(version).map(|name| name.slug).collect()
    }

    /// The version under each of its names, the one given first.
    pub fn versions(&self, version: &VersionRef) -> impl Iterator<Item = VersionRef> {
        let others = self.group(version).iter().filter(|name| *name != version);
        let others = others.inspect(|_| work::step());
        [version].into_iter().chain(others).cloned().collect::<Vec<_>>().into_iter()
    }

    /// Whether two names are of one version.
    pub fn are_one(&self, one: &VersionRef, other: &VersionRef) -> bool {
        self.key(one) == self.key(other)
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

/// The labels that renamings gave to claims, and took from them.
#[derive(Clone, Debug, Default)]
pub struct LabelsOnRecord {
    /// The other labels of a claim, by the composed form of each label that leads to them.
    beside: HashMap<String, Vec<Label>>,
}

impl LabelsOnRecord {
    /// Those in these acts.
    pub fn of<'a>(acts: impl IntoIterator<Item = &'a Act>) -> Self {
        let mut all = Self::default();
        for renaming in acts.into_iter().filter_map(Relabelling::by) {
            let (Some(from), Some(to)) = (renaming.from, renaming.to) else { continue };
            if ClaimSlug::of(&from) == ClaimSlug::of(&to) {
                all.beside.entry(from.nfc()).or_default().push(to.clone());
            }
            all.beside.entry(to.nfc()).or_default().push(from);
        }
        all
    }

    /// A label, and every other label of its claim: those that it had before, and those that differ in their spelling
    /// alone, before and since.
    pub fn names_of(&self, label: &Label) -> Vec<Label> {
        let mut seen = HashSet::from([label.nfc()]);
        let mut names = vec![label.clone()];
        let mut at = 0;
        while let Some(name) = names.get(at).map(Label::nfc) {
            at += 1;
            for other in self.beside.get(&name).into_iter().flatten() {
                work::step();
                if seen.insert(other.nfc()) {
                    names.push(other.clone());
                }
            }
        }
        names
    }
}

/// A label, and every other label of its claim according to the acts ([`LabelsOnRecord::names_of`]).
pub fn names_of(label: &Label, acts: &[Act]) -> Vec<Label> {
    LabelsOnRecord::of(acts).names_of(label)
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
