//! Dependencies point to an earlier layer or, within a layer, to a crate written earlier.

use super::finding::Finding;
use serde_json::Value;
use std::collections::BTreeMap;

const RULE: &str = "layers";
const HERE: &str = "xtask/src/tidy/layers.rs";

/// The layers and their crates, in the only order in which dependencies may look back.
const ORDER: &[(&str, &[&str])] = &[
    ("base", &["brainstem-base"]),
    (
        "core",
        &[
            "brainstem-claims",
            "brainstem-hygiene",
            "brainstem-ledger",
            "brainstem-letters",
            "brainstem-recall-model",
            "brainstem-recall",
            "brainstem-hosts",
            "brainstem-mail",
            "brainstem-inbox",
            "brainstem-agents",
            "brainstem-wake",
        ],
    ),
    (
        "storage",
        &[
            "brainstem-sqlite",
            "brainstem-ledger-sqlite",
            "brainstem-inbox-sqlite",
            "brainstem-agent-store",
            "brainstem-vault",
            "brainstem-index",
        ],
    ),
    (
        "service",
        &[
            "brainstem-caller",
            "brainstem-memory",
            "brainstem-transfer",
            "brainstem-connect",
            "brainstem-post",
        ],
    ),
    ("transport", &["brainstem-api", "brainstem-server"]),
    ("binary", &["brainstem"]),
    ("dev", &["brainstem-testkit", "xtask"]),
];

/// A crate whose tests need a later one: what memory keeps is tested over an export and its import, too.
const TESTS_LOOK_AHEAD: &[(&str, &str)] = &[("brainstem-memory", "brainstem-transfer")];

/// A package of the workspace, as far as this rule cares.
struct Package<'a> {
    name: &'a str,
    place: String,
    layer: Option<&'a str>,
    /// Names of other packages of the workspace, and whether tests alone need them.
    needs: Vec<(&'a str, For)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    Code,
    Tests,
}

/// Checks what `cargo metadata` says about the workspace.
pub(super) fn check(metadata: &Value) -> Vec<Finding> {
    let packages = packages(metadata);
    let layer_of: BTreeMap<&str, &str> =
        packages.iter().filter_map(|package| Some((package.name, package.layer?))).collect();
    let mut findings = Vec::new();
    for package in &packages {
        findings.extend(check_place(package));
        for &(needed, purpose) in &package.needs {
            if let Some(what) = wrong_edge(package, needed, purpose, &layer_of) {
                let fix = "turn the dependency round, or move the shared part to an earlier crate (ARCHITECTURE.md)";
                findings.push(Finding::error(RULE, package.place.clone(), what, fix));
            }
        }
    }
    findings
}

/// A package must say a layer, and the list above must say the same.
fn check_place(package: &Package<'_>) -> Option<Finding> {
    let names = || ORDER.iter().map(|(layer, _)| *layer).collect::<Vec<_>>().join(", ");
    let Some(layer) = package.layer else {
        let what = format!("`{}` does not say its layer", package.name);
        let fix = format!("add `[package.metadata.brainstem] layer = \"…\"`, one of {}", names());
        return Some(Finding::error(RULE, package.place.clone(), what, fix));
    };
    if !ORDER.iter().any(|(known, _)| *known == layer) {
        let what = format!("`{}` says the layer `{layer}`, which does not exist", package.name);
        return Some(Finding::error(RULE, package.place.clone(), what, format!("use one of {}", names())));
    }
    let listed = ORDER.iter().find(|(_, crates)| crates.contains(&package.name)).map(|(layer, _)| *layer);
    if listed == Some(layer) {
        return None;
    }
    let what = match listed {
        None => format!("`{}` is in no list of crates", package.name),
        Some(listed) => format!("`{}` says the layer `{layer}` but is listed under `{listed}`", package.name),
    };
    let fix = format!("write it at its place under `{layer}` in {HERE}, and in ARCHITECTURE.md");
    Some(Finding::error(RULE, package.place.clone(), what, fix))
}

/// Says what is wrong with an edge, if anything is.
fn wrong_edge(
    package: &Package<'_>,
    needed: &str,
    purpose: For,
    layer_of: &BTreeMap<&str, &str>,
) -> Option<String> {
    let (from, to) = (package.layer?, *layer_of.get(needed)?);
    if from == "dev" || needed == package.name {
        return None;
    }
    if to == "dev" {
        return (purpose == For::Code)
            .then(|| format!("`{}` ({from}) needs `{needed}` (dev) outside its tests", package.name));
    }
    if purpose == For::Tests && TESTS_LOOK_AHEAD.contains(&(package.name, needed)) {
        return None;
    }
    let (from_at, to_at) = (position(package.name)?, position(needed)?);
    (to_at > from_at).then(|| {
        format!("`{}` ({from}) needs `{needed}` ({to}), which comes later in the order", package.name)
    })
}

fn position(name: &str) -> Option<usize> {
    ORDER.iter().flat_map(|(_, crates)| *crates).position(|known| *known == name)
}

fn packages(metadata: &Value) -> Vec<Package<'_>> {
    let root = metadata["workspace_root"].as_str().unwrap_or("");
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    packages
        .iter()
        .map(|package| {
            let manifest = package["manifest_path"].as_str().unwrap_or("");
            let dependencies = package["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
            Package {
                name: package["name"].as_str().unwrap_or(""),
                place: manifest.strip_prefix(root).unwrap_or(manifest).trim_start_matches('/').to_owned(),
                layer: package["metadata"]["brainstem"]["layer"].as_str(),
                needs: dependencies
                    .iter()
                    .filter(|dependency| dependency["path"].is_string())
                    .filter_map(|dependency| {
                        let tests = dependency["kind"].as_str() == Some("dev");
                        Some((dependency["name"].as_str()?, if tests { For::Tests } else { For::Code }))
                    })
                    .collect(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::said;
    use super::*;
    use serde_json::json;

    /// A workspace from lines such as `brainstem-api transport: brainstem-base, dev brainstem-testkit`.
    fn workspace(lines: &[&str]) -> Value {
        let packages: Vec<Value> = lines
            .iter()
            .map(|line| {
                let (head, needs) = line.split_once(':').unwrap_or((line, ""));
                let (name, layer) = head.split_once(' ').unwrap_or((head, ""));
                let metadata = if layer.is_empty() { json!(null) } else { json!({"brainstem": {"layer": layer}}) };
                let needs: Vec<Value> = needs
                    .split(',')
                    .map(str::trim)
                    .filter(|need| !need.is_empty())
                    .map(|need| match need.strip_prefix("dev ") {
                        Some(name) => json!({"name": name, "kind": "dev", "path": "/r"}),
                        None => json!({"name": need, "kind": null, "path": "/r"}),
                    })
                    .collect();
                let manifest_path = format!("/r/{name}/Cargo.toml");
                json!({"name": name, "manifest_path": manifest_path, "metadata": metadata, "dependencies": needs})
            })
            .collect();
        json!({"workspace_root": "/r", "packages": packages})
    }

    fn check_lines(lines: &[&str], expected: &[&str]) {
        assert_eq!(said(&check(&workspace(lines))), expected);
    }

    #[test]
    fn edges_that_look_back_pass() {
        check_lines(
            &[
                "brainstem-base base: dev brainstem-base",
                "brainstem-claims core: brainstem-base, dev brainstem-testkit",
                "brainstem-api transport: brainstem-claims",
                "brainstem-server transport: brainstem-api",
                "brainstem-testkit dev: brainstem-server",
                "xtask dev: brainstem-testkit",
            ],
            &[],
        );
    }

    #[test]
    fn an_edge_to_a_later_layer_is_named() {
        check_lines(
            &["brainstem-claims core: brainstem-vault", "brainstem-vault storage"],
            &[
                "brainstem-claims/Cargo.toml: `brainstem-claims` (core) needs `brainstem-vault` (storage), which \
               comes later in the order",
            ],
        );
    }

    #[test]
    fn an_edge_to_a_later_crate_of_the_same_layer_is_named() {
        check_lines(
            &["brainstem-api transport: dev brainstem-server", "brainstem-server transport"],
            &[
                "brainstem-api/Cargo.toml: `brainstem-api` (transport) needs `brainstem-server` (transport), which \
               comes later in the order",
            ],
        );
    }

    #[test]
    fn the_tests_of_memory_alone_need_transfer() {
        check_lines(&["brainstem-memory service: dev brainstem-transfer", "brainstem-transfer service"], &[]);
        check_lines(
            &["brainstem-memory service: brainstem-transfer", "brainstem-transfer service"],
            &[
                "brainstem-memory/Cargo.toml: `brainstem-memory` (service) needs `brainstem-transfer` (service), which \
               comes later in the order",
            ],
        );
    }

    #[test]
    fn code_never_needs_a_dev_crate() {
        check_lines(
            &["brainstem binary: brainstem-testkit", "brainstem-testkit dev"],
            &["brainstem/Cargo.toml: `brainstem` (binary) needs `brainstem-testkit` (dev) outside its tests"],
        );
    }

    #[test]
    fn a_crate_without_a_place_is_named() {
        check_lines(
            &["brainstem-base", "brainstem-vault attic", "brainstem-new core", "brainstem-claims storage"],
            &[
                "brainstem-base/Cargo.toml: `brainstem-base` does not say its layer",
                "brainstem-vault/Cargo.toml: `brainstem-vault` says the layer `attic`, which does not exist",
                "brainstem-new/Cargo.toml: `brainstem-new` is in no list of crates",
                "brainstem-claims/Cargo.toml: `brainstem-claims` says the layer `storage` but is listed under `core`",
            ],
        );
    }
}
