//! What may be committed of a claim or of an act that names places outside its project.
//!
//! No absolute path of a machine, and no name of the folders above it, gets into a file that travels: such a place
//! keeps only its last name, as the address `outside://NAME`, which no code opens. Prose belongs to its writer and
//! stays as it is; [`prose`] returns it, so that an answer can name the paths in it.

use crate::evidence::Evidence;
use crate::light::{BodyMarker, keys};
use crate::promotion::PromotionBasis;
use crate::{Claim, LightFile, machine_path};
use std::borrow::Cow;
use std::path::{Component, Path};

/// How a place outside a project is written: as an address, which no code opens.
pub const OUTSIDE: &str = "outside://";

/// Evidence in the form in which it may be committed; `None` if it may be committed as it is.
pub fn committable_evidence(root: &Path, evidence: &Evidence) -> Option<Evidence> {
    let is_address =
        evidence.path.contains("://") && !evidence.path.to_ascii_lowercase().starts_with("file:");
    let leads_out = leads_out(&evidence.path) || evidence.path.split(['/', '\\']).any(|part| part == "..");
    let anchor = evidence.anchor.as_deref().and_then(|anchor| committable_text(root, anchor));
    let path = match !is_address && leads_out {
        true => Some(committable_path(root, &evidence.path)),
        false => committable_text(root, &evidence.path),
    };
    if path.is_none() && anchor.is_none() {
        return None;
    }
    let (path, anchor) = (path.unwrap_or_else(|| evidence.path.clone()), anchor.or(evidence.anchor.clone()));
    Some(Evidence { path, anchor, ..evidence.clone() })
}

/// A text with every path of this machine in the form in which it may be committed; `None` if it has none.
pub fn committable_text(root: &Path, text: &str) -> Option<String> {
    let mut text = Cow::Borrowed(text);
    let mut found = machine_path::find(&text, root);
    if found.is_empty() {
        text = Cow::Owned(machine_path::decoded(&text).into_owned());
        found = machine_path::find(&text, root);
    }
    let mut fitting = text.clone().into_owned();
    for range in found.iter().rev() {
        let found = &text[range.clone()];
        let path = match machine_path::opened_path(found, root) {
            Some(opened) => committable_path(root, &opened),
            None => committable_path(root, absolute(found)),
        };
        fitting.replace_range(range.clone(), &path);
    }
    (!found.is_empty()).then_some(fitting)
}

/// A text in the form in which any project may commit it: of each path below a folder of people, or below a first
/// folder that `is_first` accepts, only the last name is left. `None` if it has none.
pub fn committable_anywhere(text: &str, is_first: &dyn Fn(&str) -> bool) -> Option<String> {
    let decoded = machine_path::decoded(text);
    let found = machine_path::find_all(&decoded, is_first);
    let mut fitting = decoded.clone().into_owned();
    for range in found.iter().rev() {
        let name = format!("{OUTSIDE}{}", name_of(&decoded[range.clone()]));
        fitting.replace_range(range.clone(), &name);
    }
    // What was fitted before may still look like a path, and is left as it is.
    (!found.is_empty() && fitting != text).then_some(fitting)
}

/// The folder of a project in the form in which any project may commit it: its last name, if all of the text is a path.
/// `None` for a name.
pub fn committable_folder(text: &str) -> Option<String> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || "\"'`".contains(c));
    leads_out(text).then(|| format!("{OUTSIDE}{}", name_of(text)))
}

/// The name of a project or of its folder in the form in which it may be committed; `None` if it may be committed as it
/// is. If it begins like a path, all of it is one, whatever its first folder is.
pub fn committable_project(root: &Path, project: &str) -> Option<String> {
    match leads_out(project) {
        // The project itself is called by its name.
        true if Path::new(project) == root => Some(name_of(project).to_owned()),
        true => Some(format!("{OUTSIDE}{}", name_of(project))),
        false => committable_text(root, project),
    }
}

/// The basis of a promotion in the form in which it may be committed; `None` if it may be committed as it is.
pub fn committable_ground(root: &Path, ground: &str) -> Option<String> {
    match PromotionBasis::parse(ground) {
        Some(PromotionBasis::ObservedIn(project)) => {
            committable_project(root, &project).map(|project| PromotionBasis::ObservedIn(project).to_string())
        }
        Some(PromotionBasis::Doctrine | PromotionBasis::Telemetry) => None,
        None => committable_text(root, ground),
    }
}

/// A claim's file in the form in which it may be committed in a project: header lines and markers name no path of this
/// machine. Its label, its title, its text and the reason of a promotion are prose and stay.
pub fn committable_file(root: &Path, file: &LightFile) -> LightFile {
    let mut file = file.clone();
    let label = file.get(keys::NODE).unwrap_or_default();
    file.change_values(|key, value| match key {
        keys::NODE | keys::PROMOTION_REASON => None,
        keys::ORIGIN_BRAIN => committable_project(root, value),
        keys::PROMOTION_GROUND => committable_ground(root, value),
        _ => committable_text(root, value),
    });
    file.change_markers(|marker| match marker {
        BodyMarker::Evidence(text) => {
            let fitting = committable_evidence(root, &Evidence::parse(text))?;
            Some(BodyMarker::Evidence(fitting.to_string()))
        }
        BodyMarker::DependsOn(on) => committable_text(root, on).map(BodyMarker::DependsOn),
        BodyMarker::Ambiguity(text) => committable_text(root, text).map(BodyMarker::Ambiguity),
        BodyMarker::Confidence(text) => committable_text(root, text).map(BodyMarker::Confidence),
        // The marker repeats the label, and follows it in a rename.
        BodyMarker::Kind(_, name) if *name == label => None,
        BodyMarker::Kind(kind, name) => {
            committable_text(root, name).map(|name| BodyMarker::Kind(*kind, name))
        }
    });
    file
}

/// The prose of a claim, which stays as it was written.
pub fn prose(claim: &Claim) -> [String; 4] {
    let reason = claim.file.get(keys::PROMOTION_REASON).unwrap_or_default();
    [claim.label.clone(), claim.title.clone().unwrap_or_default(), claim.text.clone(), reason]
}

/// The paths of this machine that texts name, each once.
pub fn paths_in<'a>(root: &Path, texts: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut paths: Vec<&str> = Vec::new();
    for text in texts {
        for path in machine_path::find(text, root).into_iter().map(|range| absolute(&text[range])) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    paths
}

/// The path in a text: the first path of this machine that it names, or all of it.
pub fn meant_path<'a>(root: &Path, text: &'a str) -> &'a str {
    let found = machine_path::find(text, root).into_iter().next();
    found.filter(|_| !Path::new(text).is_absolute()).map_or(text, |range| absolute(&text[range]))
}

/// Whether a text is a path that begins outside any project: at a root, a drive, a share or a person's home.
fn leads_out(text: &str) -> bool {
    let is_drive = matches!(text.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    Path::new(text).is_absolute()
        || is_drive
        || text.starts_with(['~', '\\'])
        || text.to_ascii_lowercase().starts_with("file:")
}

/// A path that leads out of the project, in the form in which it may be committed: relative to the root if it is below
/// it, otherwise its name.
fn committable_path(root: &Path, text: &str) -> String {
    let path = Path::new(text);
    // A file of the project that does not exist yet, or no longer.
    let is_plain = !path.components().any(|part| part == Component::ParentDir);
    let inside = path.strip_prefix(root).ok().filter(|_| is_plain).and_then(Path::to_str);
    match inside.filter(|inside| !inside.is_empty()) {
        Some(inside) => inside.to_owned(),
        None => format!("{OUTSIDE}{}", name_of(text)),
    }
}

/// The last name in a path.
fn name_of(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).find(|part| !["", "..", ".", "~"].contains(part));
    name.unwrap_or("file")
}

/// A path that [`machine_path::find`] found, without the text before its root.
fn absolute(found: &str) -> &str {
    match found.find('/') {
        // One of several separators in a row is the root.
        Some(at) if found.get(1..2) != Some(":") => {
            let rest = &found[at..];
            &rest[rest.len() - rest.trim_start_matches('/').len() - 1..]
        }
        Some(_) | None => found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "/home/ana/src/cherry";

    #[test] // spec: MEM-2, MEM-34
    fn a_project_that_is_named_by_its_folder_keeps_the_name_alone() {
        let fitted = |text: &str| committable_project(Path::new(ROOT), text);
        for (text, expected) in [
            ("/home/ana/clients/secret", "outside://secret"),
            ("/opt/clients/secret/", "outside://secret"),
            ("/secret", "outside://secret"),
            ("~/clients/secret", "outside://secret"),
            (r"D:\clients\secret", "outside://secret"),
            (ROOT, "cherry"),
        ] {
            assert_eq!(fitted(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["plum@0a1b2c3d", "plum", "medulla", "outside://secret"] {
            assert_eq!(fitted(text), None, "{text}");
        }
        let ground = |text: &str| committable_ground(Path::new(ROOT), text);
        assert_eq!(ground("observed-in:/opt/secret").as_deref(), Some("observed-in:outside://secret"));
        assert_eq!((ground("doctrine"), ground("observed-in:plum@0a1b2c3d")), (None, None));
    }

    #[test] // spec: MEM-2
    fn no_line_but_prose_keeps_a_path_of_a_machine() {
        let file = |secret: &str| {
            format!(
                "---\r\nProtocol: L1GHT/1.0\r\nNode: /home/ana/label\r\nOrigin-Brain: {secret}\r\nTags: x, {secret}\r\nCwd: {secret}\r\n{secret} no pair\r\n\
                 Promotion-Reason: see /home/ana/why\r\n---\r\n\r\n# /home/ana/label\r\n\r\n## /home/ana/title\r\n\r\nread /home/ana/text\r\n\
                 [⍂ entity: /home/ana/label]\r\n[⍐ state: {secret}]\r\n[𝔻 ambiguity: {secret}]\r\n[𝔻 evidence: {secret}]\r\n[⟁ depends_on: {secret}]\r\n"
            )
        };
        let given = LightFile::parse(file("/home/ana/secret").as_bytes()).expect("a claim");
        let fitted = committable_file(Path::new(ROOT), &given);
        assert_eq!(fitted.render(), file("outside://secret"));
        assert_eq!(committable_file(Path::new(ROOT), &fitted), fitted, "twice is once");
        let claim = Claim::from(fitted);
        let prose = prose(&claim);
        assert_eq!(
            paths_in(Path::new(ROOT), prose.iter().map(String::as_str)),
            ["/home/ana/label", "/home/ana/title", "/home/ana/text", "/home/ana/why"]
        );
    }

    #[test] // spec: MEM-2
    fn no_path_of_a_machine_is_left_in_evidence() {
        let fitted =
            |text: &str| committable_evidence(Path::new(ROOT), &Evidence::parse(text)).map(|e| e.to_string());
        for (text, expected) in [
            ("/home/ana/out/f.txt#L3", "outside://f.txt#L3"),
            ("~/out/f.txt", "outside://f.txt"),
            ("../plum/src/x.rs#retry", "outside://x.rs#retry"),
            ("src/../../plum", "outside://plum"),
            ("file:///home/ana/f.txt", "outside://f.txt"),
            (r"C:\Users\ana\f.txt", "outside://f.txt"),
            ("/", "outside://file"),
            ("/home/ana/src/cherry/src/gone.rs", "src/gone.rs"),
            ("/home/ana/src/cherry/../plum/x", "outside://x"),
            ("x.rs#/home/ana/plum", "x.rs#outside://plum"),
            ("x.rs#/home/ana/src/cherry/src/y.rs", "x.rs#src/y.rs"),
            (".//home/ana/plum/x.rs", "outside://x.rs"),
            (".//home/ana/src/cherry/src/gone.rs", "src/gone.rs"),
            ("see /home/ana/plum/x.rs, line 3", "see outside://x.rs, line 3"),
            (r"see C:\Users\ana\f.txt", "see outside://f.txt"),
            ("vscode://file/home/ana/plum/x.rs:3", "outside://x.rs:3"),
            ("cursor://file/home/ana/src/cherry/src/y.rs:3", "src/y.rs:3"),
            ("idea://open?file=%2Fopt%2Fplum%2Fx.rs&line=3", "outside://x.rs"),
            ("jetbrains://idea/navigate/reference?project=cherry&path=/home/ana/plum/x.rs", "outside://x.rs"),
        ] {
            assert_eq!(fitted(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "src/x.rs#L1",
            "https://example.org/a/b",
            "outside://f.txt",
            "a..b/c",
            "notes on ~",
            "src/x.rs#/api/users",
        ] {
            assert_eq!(fitted(text), None, "{text}");
        }
    }

    #[test] // spec: MEM-2
    fn evidence_keeps_no_path_of_this_machine_however_it_is_spelled() {
        for text in [
            "outside:///home/ana/secret/y.rs",
            "OUTSIDE:///home/ana/secret/y.rs",
            r"..\..\ana\secret\y.rs",
            "../../ana/secret/y.rs",
            "vscode%3A%2F%2Ffile%2Fhome%2Fana%2Fsecret%2Fy.rs",
            "vscode:%2F%2Ffile%2Fhome%2Fana%2Fsecret%2Fy.rs",
            r"\/home\/ana\/secret\/y.rs",
            "/./home/ana/secret/y.rs",
        ] {
            let fitted = committable_evidence(Path::new(ROOT), &Evidence::parse(text));
            assert_eq!(fitted.map(|evidence| evidence.path).as_deref(), Some("outside://y.rs"), "{text}");
        }
        for text in ["outside://y.rs", "src/100%/y.rs", "https://example.org/a%2Fb"] {
            assert_eq!(committable_evidence(Path::new(ROOT), &Evidence::parse(text)), None, "{text}");
        }
    }
}
