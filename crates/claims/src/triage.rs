//! Triage: where a claim of a mixed store belongs, from its own content.
//!
//! A doubtful claim stays: a claim goes to a project only if everything in it points to that one.

use crate::Claim;
use crate::conflict::DOCTRINE_TAGS;
use crate::lifecycle::MEDULLA;
use std::path::{Path, PathBuf};

/// A shorter name of a project is an ordinary word.
const NAME_LEN_MIN: usize = 3;

/// A project that claims may belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriageProject {
    /// `<name>@<8 hex>`, as `Origin-Brain` names it.
    pub origin: String,
    /// Its name.
    pub name: String,
    /// Its root.
    pub root: PathBuf,
}

/// Facts from outside the claim: which projects contain what it points to. Each is the index of a project in the list,
/// and the text that points there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TriageFacts {
    /// By its evidence.
    pub evidence: Vec<(usize, String)>,
    /// By a path in its title or text.
    pub text: Vec<(usize, String)>,
}

/// Where a claim belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimDestination {
    /// To a project: its index in the list.
    Project(usize),
    /// To no project: it is doctrine, and stays.
    Doctrine,
    /// It is unknown, so it stays and is reported.
    Doubt,
}

/// A destination, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriageResult {
    /// Where it belongs.
    pub destination: ClaimDestination,
    /// Why, in a few words.
    pub reason: String,
}

/// Decides where a claim of the medulla belongs.
pub fn sort(claim: &Claim, projects: &[TriageProject], found: &TriageFacts) -> TriageResult {
    let doctrine = |reason: String| TriageResult { destination: ClaimDestination::Doctrine, reason };
    let doubt = |reason: String| TriageResult { destination: ClaimDestination::Doubt, reason };
    if let Some(origin) = &claim.origin_claim {
        return doctrine(format!("it was promoted; its witness is {origin}"));
    }
    if claim.absolute {
        return doctrine("it says that it holds in every project".into());
    }
    match claim.origin_brain.as_deref() {
        Some(MEDULLA) => return doctrine("it was born in the medulla".into()),
        Some(origin) => {
            return match written_in(origin, projects).as_slice() {
                [at] => TriageResult {
                    destination: ClaimDestination::Project(*at),
                    reason: format!("it was written in {}", projects[*at].origin),
                },
                [] => doubt(format!("it was written in `{origin}`, which is not a brain of this home")),
                several => {
                    doubt(format!("it was written in `{origin}`, which {} brains could be", several.len()))
                }
            };
        }
        None => {}
    }
    let signs = signs(claim, projects, found);
    let is_doctrine = claim.tags.iter().any(|tag| DOCTRINE_TAGS.contains(&tag.to_lowercase().as_str()));
    let Some(first) = signs.first() else {
        return match (is_doctrine, named_loosely(claim, projects)) {
            (true, None) => doctrine("it is tagged as doctrine, and nothing ties it to a project".into()),
            (_, Some(name)) => doubt(format!("its label names {name}, and nothing else does")),
            (false, None) => doubt("nothing says where it belongs".into()),
        };
    };
    if let Some(other) = signs.iter().find(|sign| sign.project != first.project) {
        return doubt(format!("{}, but {}", first.why, other.why));
    }
    if is_doctrine {
        return doubt(format!("{}, but it is tagged as doctrine", first.why));
    }
    TriageResult { destination: ClaimDestination::Project(first.project), reason: first.why.clone() }
}

/// The paths that a text mentions: words that begin with `/` or `~/`.
pub fn paths_in(text: &str) -> impl Iterator<Item = &str> {
    const AROUND: &[char] =
        &['`', '"', '\'', '(', ')', '[', ']', '<', '>', ',', ';', ':', '.', '!', '?', '*'];
    let words = text.split_whitespace().map(|word| word.trim_matches(AROUND));
    words.filter(|word| word.starts_with("~/") || word.starts_with('/') && word.len() > 1)
}

/// The project whose root covers a path most closely.
pub fn covering(path: &Path, projects: &[TriageProject]) -> Option<usize> {
    let covers = projects.iter().enumerate().filter(|(_, project)| path.starts_with(&project.root));
    covers.max_by_key(|(_, project)| project.root.as_os_str().len()).map(|(at, _)| at)
}

/// Something that points to a project.
struct Sign {
    project: usize,
    why: String,
}

/// The signs that point to projects, strongest first.
fn signs(claim: &Claim, projects: &[TriageProject], found: &TriageFacts) -> Vec<Sign> {
    let mut signs = Vec::new();
    for (project, path) in &found.evidence {
        let why = format!("its evidence `{path}` is in {}", projects[*project].origin);
        signs.push(Sign { project: *project, why });
    }
    for (project, path) in &found.text {
        let why = format!("its text names `{path}` in {}", projects[*project].origin);
        signs.push(Sign { project: *project, why });
    }
    for (at, project) in projects.iter().enumerate().filter(|(_, project)| is_a_name(&project.name)) {
        if claim.tags.iter().any(|tag| tag.eq_ignore_ascii_case(&project.name)) {
            signs.push(Sign { project: at, why: format!("it is tagged {}", project.name) });
        }
        let rest = without_name(&claim.label, &project.name);
        if rest.is_some_and(|rest| rest.trim_start().starts_with([':', '/'])) {
            signs.push(Sign { project: at, why: format!("its label begins with {}", project.name) });
        }
    }
    signs
}

/// The brains that an `Origin-Brain` may name: an origin, a path, or a name alone.
fn written_in(origin: &str, projects: &[TriageProject]) -> Vec<usize> {
    let all = |is_it: &dyn Fn(&TriageProject) -> bool| -> Vec<usize> {
        projects.iter().enumerate().filter(|(_, project)| is_it(project)).map(|(at, _)| at).collect()
    };
    if Path::new(origin).is_absolute() {
        return covering(Path::new(origin), projects).into_iter().collect();
    }
    let exact = all(&|project| project.origin == origin);
    if exact.is_empty() && !origin.contains('@') { all(&|project| project.name == origin) } else { exact }
}

/// The project that a label names as its first word or words.
fn named_loosely<'a>(claim: &Claim, projects: &'a [TriageProject]) -> Option<&'a str> {
    let is_first = |project: &&TriageProject| {
        is_a_name(&project.name)
            && without_name(&claim.label, &project.name)
                .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    projects.iter().find(is_first).map(|project| project.name.as_str())
}

fn without_name<'a>(label: &'a str, name: &str) -> Option<&'a str> {
    let (head, rest) = label.trim_start().split_at_checked(name.len())?;
    head.eq_ignore_ascii_case(name).then_some(rest)
}

fn is_a_name(name: &str) -> bool {
    name.len() >= NAME_LEN_MIN
}

#[cfg(test)]
#[path = "triage_tests.rs"]
mod tests;
