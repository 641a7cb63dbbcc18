//! The codec between a line of an acts log and an act. Only this module knows the keys.
//!
//! An act that was read is written as its line is, byte for byte, whatever keys that line has; the marks of a foreign
//! act and of an import are added beside them. A new act is written in one form. `docs/formats/home.md` describes both.

use brainstem_base::Timestamp;
use brainstem_claims::ClaimSlug;
use brainstem_claims::act::{
    Act, ActId, ActTime, ActVerb, BrainId, ClaimRef, Deed, DeedKind, ImportMark, Judgement, Mention,
    MigrationRef, MigrationTally, ReadAct, RowCounts, TombstoneRef,
};
use brainstem_claims::delegation::{DelegationId, DelegationOutcome};
use brainstem_claims::lineage::Lineage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The key under which an import puts its mark.
const IMPORTED: &str = "imported";
/// How deep marks of imports are read, each inside the next.
const IMPORTS_MAX: usize = 64;

/// The keys of every line.
#[derive(Deserialize, Serialize)]
struct LineKeys {
    id: String,
    ts: String,
    agent: String,
    act: String,
    subject: String,
    #[serde(default)]
    data: Value,
    #[serde(default, rename = "foreign", skip_serializing_if = "std::ops::Not::not")]
    is_foreign: bool,
}

/// Reads a line, without its end; `None` for one that is not an act.
pub fn read(line: &[u8]) -> Option<Act> {
    read_text(std::str::from_utf8(line).ok()?)
}

/// Reads an act inside another JSON document.
pub fn read_value(value: &Value) -> Option<Act> {
    read_text(&value.to_string())
}

fn read_text(line: &str) -> Option<Act> {
    let LineKeys { id, ts, agent, act, subject, data, is_foreign } = serde_json::from_str(line).ok()?;
    Some(Act::from_line(ReadAct {
        id: ActId::read(&id),
        at: ActTime::read(&ts),
        agent,
        deed: deed(&act, &subject, &data),
        is_foreign,
        imports: imports(&data),
        line: line.into(),
    }))
}

/// The line of an act, without its end.
pub fn line(act: &Act) -> String {
    let Some(line) = act.line() else { return new_line(act) };
    let Some(before) = read_text(line) else { return new_line(act) };
    let new_imports = act.imports().get(before.imports().len()..).unwrap_or_default();
    if new_imports.is_empty() && act.is_foreign() == before.is_foreign() {
        return line.to_owned();
    }
    let Ok(mut keys) = serde_json::from_str::<Map<String, Value>>(line) else { return new_line(act) };
    if new_imports.is_empty() && !keys.contains_key("foreign") {
        // Everything in the line stays byte for byte.
        let open = line.trim_end().strip_suffix('}').expect("an act is an object").trim_end();
        return format!("{open},\"foreign\":true}}");
    }
    if !new_imports.is_empty() {
        let data = keys.entry("data").or_insert(Value::Null);
        *data = marked(data.take(), new_imports);
    }
    if act.is_foreign() != before.is_foreign() {
        keys.insert("foreign".to_owned(), act.is_foreign().into());
    }
    Value::Object(keys).to_string()
}

/// The act upon another name of its version, with the id that follows from that; everything else in its line stays.
pub fn upon(act: &Act, upon: &Mention) -> Act {
    if act.deed().upon() == Some(upon) {
        return act.clone();
    }
    let mut line = value(act);
    line["subject"] = upon.as_str().into();
    let read = |line: &Value| read_value(line).expect("a line with another subject is one of an act");
    line["id"] = read(&line).deed().id().as_str().into();
    read(&line)
}

/// An act as a value inside another JSON document.
pub fn value(act: &Act) -> Value {
    serde_json::from_str(&line(act)).expect("a line of an act is JSON")
}

/// The line of an act whose words are forgotten: the deed, the agent and the time stay; the subject becomes `subject`,
/// and everything else in the line goes.
pub(super) fn redacted(act: &Act, subject: &str) -> String {
    written(LineKeys {
        id: ActId::of(act.deed().name(), subject).to_string(),
        ts: act.at().to_string(),
        agent: act.agent().to_owned(),
        act: act.deed().name().to_owned(),
        subject: subject.to_owned(),
        data: json!({}),
        is_foreign: act.is_foreign(),
    })
}

fn new_line(act: &Act) -> String {
    let data = Value::Object(data(act.deed()));
    written(LineKeys {
        id: act.id().to_string(),
        ts: act.at().to_string(),
        agent: act.agent().to_owned(),
        act: act.deed().name().to_owned(),
        subject: act.deed().subject(),
        data: if act.imports().is_empty() { data } else { marked(data, act.imports()) },
        is_foreign: act.is_foreign(),
    })
}

fn written(line: LineKeys) -> String {
    serde_json::to_string(&line).expect("an act is plain data")
}

/// The data of an act, with these imports in the order in which they came.
fn marked(data: Value, imports: &[ImportMark]) -> Value {
    let mut data = match data {
        Value::Object(fields) => fields,
        Value::Null => Map::new(),
        other => Map::from_iter([("value".to_owned(), other)]),
    };
    for ImportMark { by, at } in imports {
        let mut mark = json!({ "by": by, "at": at });
        if let Some(before) = data.get(IMPORTED) {
            mark["before"] = before.clone();
        }
        data.insert(IMPORTED.to_owned(), mark);
    }
    Value::Object(data)
}

/// The imports that a line has marks of, oldest first.
fn imports(data: &Value) -> Vec<ImportMark> {
    let mut marks = Vec::new();
    let mut mark = &data[IMPORTED];
    while !mark.is_null() && marks.len() < IMPORTS_MAX {
        let word = |key: &str| mark[key].as_str().map(str::to_owned);
        marks.push(ImportMark { by: word("by"), at: word("at") });
        mark = &mark["before"];
    }
    marks.reverse();
    marks
}

/// The keys of a line's data, each read with its type. A key that is absent or has another type reads as nothing; the
/// line keeps it.
struct DataKeys<'a>(&'a Value);

impl<'a> DataKeys<'a> {
    fn text(&self, key: &str) -> Option<String> {
        self.0[key].as_str().map(str::to_owned)
    }

    fn texts(&self, key: &str) -> Vec<String> {
        self.list(key).filter_map(|word| word.as_str().map(str::to_owned)).collect()
    }

    /// Every entry of a list, whatever it is: they are counted.
    fn entries(&self, key: &str) -> Vec<String> {
        let text = |entry: &Value| entry.as_str().map_or_else(|| entry.to_string(), str::to_owned);
        self.list(key).map(text).collect()
    }

    fn list(&self, key: &str) -> impl Iterator<Item = &'a Value> {
        self.0[key].as_array().into_iter().flatten()
    }

    fn mention(&self, key: &str) -> Option<Mention> {
        self.0[key].as_str().map(Mention::read)
    }

    fn claim(&self, key: &str) -> Option<ClaimRef> {
        self.0[key].as_str().map(ClaimRef::read)
    }

    fn count(&self, key: &str) -> Option<u64> {
        self.0[key].as_u64()
    }

    fn born(&self, key: &str) -> Option<Timestamp> {
        let ms = self.0[key].as_i64()?;
        Some(Timestamp::from_ms(ms)).filter(|at| at.ms() == ms)
    }

    fn lineage(&self, key: &str) -> Option<Lineage> {
        self.0[key].as_str().map(Lineage::parse)
    }

    fn rows(&self) -> RowCounts {
        let count = |tier: &str| {
            self.0["rows"][tier].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
        };
        RowCounts { project: count("project"), medulla: count("medulla") }
    }
}

/// What a line says was done. A name that this program does not know is an unknown deed. So is a known name whose
/// subject has a form that this program never writes.
fn deed(name: &str, subject: &str, data: &Value) -> Deed {
    let known = DeedKind::parse(name).and_then(|kind| known_deed(kind, subject, &DataKeys(data)));
    known.unwrap_or_else(|| Deed::Unknown { name: name.to_owned(), subject: subject.to_owned() })
}

fn known_deed(kind: DeedKind, subject: &str, data: &DataKeys<'_>) -> Option<Deed> {
    let upon = || Mention::read(subject);
    let of_migration = || MigrationRef::parse(subject);
    Some(match kind {
        DeedKind::Bootstrap => Deed::Bootstrap { brain: BrainId::new(subject), name: data.text("name") },
        DeedKind::Affirm => Deed::Affirm { upon: upon(), said_by: data.text("said_by") },
        DeedKind::Doctrine => Deed::Doctrine { upon: upon(), said_by: data.text("said_by") },
        DeedKind::Retract => Deed::Retract {
            upon: upon(),
            reason: data.text("reason"),
            by: data.text("by").as_deref().map(ActVerb::read),
            kind: data.text("kind"),
            successor: data.mention("successor"),
            covers: data.lineage("covers"),
        },
        DeedKind::Learn => Deed::Learn {
            upon: upon(),
            verdict: data.text("verdict").as_deref().map(Judgement::read),
            note: data.text("note"),
        },
        DeedKind::Promote => Deed::Promote {
            upon: upon(),
            label: data.text("label"),
            origin: data.claim("origin_claim"),
            origin_created: data.born("origin_created"),
            reason: data.text("reason"),
            ground: data.text("ground"),
            replaces: data.mention("replaces"),
        },
        DeedKind::Propose => Deed::Propose {
            upon: upon(),
            label: data.text("label"),
            reason: data.text("reason"),
            ground: data.text("ground"),
        },
        DeedKind::Decline => {
            Deed::Decline { upon: upon(), label: data.text("label"), reason: data.text("reason") }
        }
        DeedKind::Withdraw => {
            Deed::Withdraw { upon: upon(), label: data.text("label"), reason: data.text("reason") }
        }
        DeedKind::Demote => Deed::Demote {
            upon: upon(),
            reason: data.text("reason"),
            by: data.text("by").as_deref().map(ActVerb::read),
            successor: data.mention("successor"),
        },
        DeedKind::Import => Deed::Import { upon: upon() },
        DeedKind::Rename => Deed::Rename {
            upon: upon(),
            from: data.text("from"),
            to: data.text("to"),
            to_slug: data.text("to_slug").as_deref().and_then(ClaimSlug::parse),
            created: data.born("created"),
        },
        DeedKind::Forget => Deed::Forget {
            tombstone: TombstoneRef::read(subject),
            versions: data.count("versions"),
            sha256: data.texts("sha256"),
            covers: data.lineage("covers"),
            gone: data.lineage("gone"),
            names: data.texts("names"),
            secret: data.texts("secret"),
        },
        DeedKind::Resolve => Deed::Resolve {
            upon: subject.split(' ').map(Mention::read).collect(),
            took: data.text("took"),
            ours: data.mention("ours"),
            theirs: data.mention("theirs"),
            sides: (!data.0["sides"].is_null())
                .then(|| data.texts("sides").iter().map(|side| Mention::read(side)).collect()),
        },
        DeedKind::MigrateBegin => Deed::MigrateBegin { migration: of_migration()? },
        DeedKind::MigrateEnd => Deed::MigrateEnd { migration: of_migration()?, tally: tally(data) },
        DeedKind::MigrateRollback => Deed::MigrateRollback {
            migration: of_migration()?,
            claims: data.count("claims"),
            stay: data.count("stay"),
            brains: data.count("brains"),
        },
        DeedKind::Migrate => Deed::Migrate {
            upon: upon(),
            migration: data.count("migration"),
            moved_to: data.claim("moved_to"),
            reason: data.text("reason"),
            to: data.text("to"),
            to_brain: data.text("to_brain").map(BrainId::new),
            sha256: data.text("sha256"),
            arrived: data.text("arrived"),
            created: data.born("created"),
        },
        DeedKind::MigrateIn => Deed::MigrateIn {
            upon: upon(),
            migration: data.count("migration"),
            moved_from: data.claim("moved_from"),
        },
        DeedKind::MigrateBack => Deed::MigrateBack { upon: upon(), migration: data.count("migration") },
        DeedKind::SweepRoot => {
            let (brain, by) = swept(subject)?;
            let (folder, aside) = (data.text("folder"), data.text("aside"));
            Deed::SweepRoot { brain, by, migration: data.count("migration"), folder, aside }
        }
        DeedKind::UnsweepRoot => {
            let (brain, by) = swept(subject)?;
            Deed::UnsweepRoot { brain, by, migration: data.count("migration"), folder: data.text("folder") }
        }
        DeedKind::TakeUp => {
            let (brain, at_ms) = timed(subject)?;
            let (called, folder) = (data.text("brain"), data.text("folder"));
            Deed::TakeUp { brain: BrainId::new(brain), at_ms, called, folder }
        }
        DeedKind::SetAside => {
            let (brain, at_ms) = timed(subject)?;
            Deed::SetAside {
                brain: BrainId::new(brain),
                at_ms,
                called: data.text("brain"),
                folder: data.text("folder"),
                aside: data.text("aside"),
                reason: data.text("reason"),
            }
        }
        DeedKind::BootSet => {
            let (key, set_ms) = timed(subject)?;
            Deed::BootSet { key: key.to_owned(), set_ms }
        }
        DeedKind::BootDelete => {
            let (key, set_ms) = timed(subject)?;
            Deed::BootDelete { key: key.to_owned(), set_ms }
        }
        DeedKind::Delegate => Deed::Delegate {
            id: DelegationId::parse(subject)?,
            expires_at: data.text("expires_at").as_deref().and_then(Timestamp::parse_rfc3339),
            rows: data.rows(),
            seeds: data.count("seeds"),
            left_out: data.count("left_out"),
            to: data.text("to"),
        },
        DeedKind::Debrief => Deed::Debrief {
            id: DelegationId::parse(subject)?,
            outcome: data.text("outcome").as_deref().and_then(DelegationOutcome::parse),
            report: data.text("report"),
            child: data.text("child"),
            rows: data.rows(),
            findings: data.count("findings").unwrap_or(0),
            deviations: data.entries("deviations"),
            touched_paths: data.entries("touched_paths"),
            touched_outside: data.count("touched_outside").unwrap_or(0),
        },
        DeedKind::Debriefed => {
            Deed::Debriefed { id: DelegationId::parse(subject)?, memorized: data.count("memorized") }
        }
        DeedKind::Violation => {
            let (verb, upon) = match subject.split_once(' ') {
                Some((verb, upon)) => (Some(ActVerb::read(verb)), upon),
                None => (None, subject),
            };
            Deed::Violation {
                verb,
                upon: Mention::read(upon),
                rule: data.text("rule"),
                label: data.text("label"),
                said_by: data.text("said_by"),
            }
        }
    })
}

fn tally(data: &DataKeys<'_>) -> Option<MigrationTally> {
    Some(MigrationTally {
        before: data.count("before")?,
        projects: data.count("projects")?,
        medulla: data.count("medulla")?,
        moved: data.count("moved")?,
        doctrine: data.count("doctrine")?,
        flagged: data.count("flagged")?,
    })
}

/// `<brain> migration:<n>`.
fn swept(subject: &str) -> Option<(BrainId, MigrationRef)> {
    let (brain, migration) = subject.split_once(' ')?;
    Some((BrainId::new(brain), MigrationRef::parse(migration)?))
}

/// `<what>@<ms>`, in the one form in which it is written.
fn timed(subject: &str) -> Option<(&str, i64)> {
    let (what, text) = subject.rsplit_once('@')?;
    let ms: i64 = text.parse().ok()?;
    (ms.to_string() == text).then_some((what, ms))
}

/// The keys of a new line's data, in the order in which they are written.
struct Keys(Map<String, Value>);

impl Keys {
    fn new() -> Self {
        Self(Map::new())
    }

    /// A key that is always written; `null` for no value.
    fn put(mut self, key: &str, value: impl Serialize) -> Self {
        self.0.insert(key.to_owned(), json!(value));
        self
    }

    /// A key that is written only if it has a value.
    fn put_some(self, key: &str, value: Option<impl Serialize>) -> Self {
        match value {
            Some(value) => self.put(key, value),
            None => self,
        }
    }
}

fn ms(at: Option<&Timestamp>) -> Option<i64> {
    at.map(|at| at.ms())
}

fn data(deed: &Deed) -> Map<String, Value> {
    let keys = Keys::new();
    let written = match deed {
        Deed::Bootstrap { brain: _, name } => keys.put_some("name", name.as_ref()),
        Deed::Affirm { upon: _, said_by } | Deed::Doctrine { upon: _, said_by } => {
            keys.put_some("said_by", said_by.as_ref())
        }
        Deed::Retract { upon: _, reason, by, kind, successor, covers } => keys
            .put_some("reason", reason.as_ref())
            .put_some("by", by.as_ref().map(ActVerb::as_str))
            .put_some("kind", kind.as_ref())
            .put_some("successor", successor.as_ref().map(Mention::as_str))
            .put_some("covers", covers.as_ref().map(ToString::to_string)),
        Deed::Learn { upon: _, verdict, note } => {
            keys.put_some("verdict", verdict.as_ref().map(Judgement::as_str)).put_some("note", note.as_ref())
        }
        Deed::Promote { upon: _, label, origin, origin_created, reason, ground, replaces } => keys
            .put_some("label", label.as_ref())
            .put_some("origin_claim", origin.as_ref().map(ClaimRef::as_str))
            .put("origin_created", ms(origin_created.as_ref()))
            .put("reason", reason)
            .put_some("ground", ground.as_ref())
            .put_some("replaces", replaces.as_ref().map(Mention::as_str)),
        Deed::Propose { upon: _, label, reason, ground } => keys
            .put_some("label", label.as_ref())
            .put_some("reason", reason.as_ref())
            .put_some("ground", ground.as_ref()),
        Deed::Decline { upon: _, label, reason } | Deed::Withdraw { upon: _, label, reason } => {
            keys.put_some("label", label.as_ref()).put_some("reason", reason.as_ref())
        }
        Deed::Demote { upon: _, reason, by, successor } => keys
            .put_some("reason", reason.as_ref())
            .put_some("by", by.as_ref().map(ActVerb::as_str))
            .put_some("successor", successor.as_ref().map(Mention::as_str)),
        Deed::Import { upon: _ } | Deed::MigrateBegin { migration: _ } => keys,
        Deed::Rename { upon: _, from, to, to_slug, created } => keys
            .put_some("from", from.as_ref())
            .put_some("to", to.as_ref())
            .put_some("to_slug", to_slug.as_ref().map(ClaimSlug::as_str))
            .put("created", ms(created.as_ref())),
        Deed::Forget { tombstone: _, versions, sha256, covers, gone, names, secret } => keys
            .put_some("versions", versions.as_ref())
            .put("sha256", sha256)
            .put_some("covers", covers.as_ref().map(ToString::to_string))
            .put_some("gone", gone.as_ref().map(ToString::to_string))
            .put_some("names", Some(names).filter(|names| !names.is_empty()))
            .put_some("secret", Some(secret).filter(|secret| !secret.is_empty())),
        Deed::Resolve { upon: _, took, ours, theirs, sides } => keys
            .put_some("took", took.as_ref())
            .put("ours", ours.as_ref().map(Mention::as_str))
            .put("theirs", theirs.as_ref().map(Mention::as_str))
            .put_some(
                "sides",
                sides.as_ref().map(|sides| sides.iter().map(Mention::as_str).collect::<Vec<_>>()),
            ),
        Deed::MigrateEnd { migration: _, tally } => match tally {
            Some(MigrationTally { before, projects, medulla, moved, doctrine, flagged }) => keys
                .put("before", before)
                .put("projects", projects)
                .put("medulla", medulla)
                .put("moved", moved)
                .put("doctrine", doctrine)
                .put("flagged", flagged),
            None => keys,
        },
        Deed::MigrateRollback { migration: _, claims, stay, brains } => keys
            .put_some("claims", claims.as_ref())
            .put_some("stay", stay.as_ref())
            .put_some("brains", brains.as_ref()),
        Deed::Migrate { upon: _, migration, moved_to, reason, to, to_brain, sha256, arrived, created } => {
            keys.put_some("migration", migration.as_ref())
                .put_some("moved_to", moved_to.as_ref().map(ClaimRef::as_str))
                .put_some("reason", reason.as_ref())
                .put_some("to", to.as_ref())
                .put_some("to_brain", to_brain.as_ref().map(BrainId::as_str))
                .put_some("sha256", sha256.as_ref())
                .put("arrived", arrived)
                .put("created", ms(created.as_ref()))
        }
        Deed::MigrateIn { upon: _, migration, moved_from } => keys
            .put_some("migration", migration.as_ref())
            .put_some("moved_from", moved_from.as_ref().map(ClaimRef::as_str)),
        Deed::MigrateBack { upon: _, migration } => keys.put_some("migration", migration.as_ref()),
        Deed::SweepRoot { brain: _, by: _, migration, folder, aside } => keys
            .put_some("migration", migration.as_ref())
            .put_some("folder", folder.as_ref())
            .put_some("aside", aside.as_ref()),
        Deed::UnsweepRoot { brain: _, by: _, migration, folder } => {
            keys.put("migration", migration).put_some("folder", folder.as_ref())
        }
        Deed::TakeUp { brain: _, at_ms: _, called, folder } => {
            keys.put_some("brain", called.as_ref()).put_some("folder", folder.as_ref())
        }
        Deed::SetAside { brain: _, at_ms: _, called, folder, aside, reason } => keys
            .put_some("brain", called.as_ref())
            .put_some("folder", folder.as_ref())
            .put_some("aside", aside.as_ref())
            .put_some("reason", reason.as_ref()),
        Deed::BootSet { key, set_ms: _ } | Deed::BootDelete { key, set_ms: _ } => keys.put("key", key),
        Deed::Delegate { id: _, expires_at, rows, seeds, left_out, to } => keys
            .put_some("expires_at", expires_at.map(Timestamp::to_rfc3339))
            .put("rows", row_keys(*rows))
            .put_some("seeds", seeds.as_ref())
            .put_some("left_out", left_out.as_ref())
            .put_some("to", to.as_ref()),
        Deed::Debrief {
            id: _,
            outcome,
            report,
            child,
            rows,
            findings,
            deviations,
            touched_paths,
            touched_outside,
        } => keys
            .put_some("outcome", outcome.map(DelegationOutcome::as_str))
            .put_some("report", report.as_ref())
            .put_some("child", child.as_ref())
            .put("rows", row_keys(*rows))
            .put("findings", findings)
            .put("deviations", deviations)
            .put("touched_paths", touched_paths)
            .put("touched_outside", touched_outside),
        Deed::Debriefed { id: _, memorized } => keys.put_some("memorized", memorized.as_ref()),
        Deed::Violation { verb: _, upon: _, rule, label, said_by } => keys
            .put_some("rule", rule.as_ref())
            .put_some("label", label.as_ref())
            .put_some("said_by", said_by.as_ref()),
        Deed::Unknown { name: _, subject: _ } => keys,
    };
    written.0
}

fn row_keys(RowCounts { project, medulla }: RowCounts) -> Value {
    json!({ "project": project, "medulla": medulla })
}

#[cfg(test)]
#[path = "codec_tests.rs"]
mod tests;
