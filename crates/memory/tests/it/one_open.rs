//! One open of one claim file fails, or every one from some moment of a call on: each verb that reads shows what it shows on
//! a whole disk, or names the file.

use crate::one_file::{Fails, one_file};
use crate::refused::{Place, maker, prepared};
use crate::world::{CHERRY, PERSON, Short as _, caller, clock, files_below, service};
use brainstem_base::disk::{DiskFault, FaultyDisk, SimDisk, UnsyncedFate, verbs};
use brainstem_base::{Coded as _, Fault};
use brainstem_memory::{
    BrainScope, DelegateRequest, DoctorRequest, Filter, Gap, ListRequest, Memory, MemoryError, NorthRequest,
    PromoteRequest, PromotionsRequest, ResolveRequest, SeekRequest, ShowRequest, Tier, VerifyRequest,
};
use brainstem_transfer::{ExportRequest, ExportScope, Format, Transfer, mixed_medulla};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a verb showed, and what it said beside that.
struct Answer {
    shown: String,
    said: Vec<String>,
}

type Ask = fn(&Memory) -> Result<Answer, MemoryError>;

/// Takes the gaps out of an answer; the rest is what it shows.
fn told<T: std::fmt::Debug>(mut answer: T, gaps: impl Fn(&mut T) -> &mut Vec<Gap>) -> Answer {
    let said = std::mem::take(gaps(&mut answer)).into_iter().map(|gap| gap.detail.to_string()).collect();
    Answer { shown: format!("{answer:#?}"), said }
}

fn show(memory: &Memory, label: &str) -> Result<Answer, MemoryError> {
    let request = ShowRequest { label: label.into(), tier: Tier::Both, at: None };
    Ok(told(memory.show(&maker(), &request)?, |shown| &mut shown.gaps))
}

/// Every verb that reads claims.
fn each_ask() -> Vec<(&'static str, Ask)> {
    vec![
        ("list", |memory| {
            let (tier, filter) = (Tier::Both, Filter::default());
            let request = ListRequest { tier, limit: 100, filter, cursor: None };
            Ok(told(memory.list(&maker(), &request)?, |listed| &mut listed.gaps))
        }),
        ("seek", |memory| {
            let request = SeekRequest {
                query: "two zebras in the cache, retry four times, tabs, one side".into(),
                tier: Tier::Both,
                scope: None,
                limit: 100,
                filter: Filter::default(),
                by: Default::default(),
            };
            Ok(told(memory.seek(&maker(), &request)?, |sought| &mut sought.gaps))
        }),
        ("north", |memory| {
            let request = NorthRequest { task: "zebras, retry, tabs".into(), budget_tokens: 2_000 };
            Ok(told(memory.north(&maker(), &request)?, |beat| &mut beat.gaps))
        }),
        ("north without a task", |memory| {
            let request = NorthRequest { task: String::new(), budget_tokens: 2_000 };
            Ok(told(memory.north(&maker(), &request)?, |beat| &mut beat.gaps))
        }),
        ("show a claim", |memory| show(memory, "Retry policy")),
        ("show a witness", |memory| show(memory, "Cache")),
        ("verify", |memory| {
            let request = VerifyRequest { label: None, tier: Tier::Both, limit: 100 };
            Ok(told(memory.verify(&maker(), &request)?, |verified| &mut verified.gaps))
        }),
        ("verify one", |memory| {
            let request = VerifyRequest { label: Some("Cache".into()), tier: Tier::Both, limit: 100 };
            Ok(told(memory.verify(&maker(), &request)?, |verified| &mut verified.gaps))
        }),
        ("audit promotions", |memory| {
            let request = PromotionsRequest { brains: BrainScope::All, limit: 100 };
            Ok(told(memory.promotions(&maker(), &request)?, |audit| &mut audit.gaps))
        }),
        ("status", |memory| {
            let status = memory.status(&maker())?;
            let shown = format!("{:?}, {:?}", status.waiting, status.open_delegations);
            let gaps = status.project_gaps.into_iter().chain(status.brains.gaps);
            Ok(Answer { shown, said: gaps.map(|gap| gap.detail.to_string()).collect() })
        }),
        ("delegate", |memory| {
            let request = DelegateRequest {
                task: "zebras and retries".into(),
                scope: Vec::new(),
                seeds: vec!["Cache".into()],
                to: None,
                expires_hours: None,
                budget_tokens: 2_000,
            };
            let packet = memory.delegate(&maker(), &request, &|packet| packet)?;
            let shown = format!("{:#?} {} {}", packet.memory, packet.memory_exists, packet.rows_total);
            Ok(Answer { shown, said: packet.gaps.into_iter().map(|gap| gap.detail.to_string()).collect() })
        }),
        ("export", |memory| {
            let request = ExportRequest { scope: ExportScope::All, format: Format::JsonLines, out: None };
            let mut exported = Transfer::new(memory).export(&maker(), &request, &|_, _| ())?;
            if let Some(lines) = &mut exported.lines {
                lines.retain(|line| line["type"] != "gap");
            }
            Ok(told(exported, |exported| &mut exported.gaps))
        }),
        ("doctor", |memory| {
            let diagnosis = memory.doctor(&maker(), &DoctorRequest::new(mixed_medulla), &|_, _| ())?;
            let findings = diagnosis.findings.iter();
            let said = findings.map(|found| format!("{} {}", found.place.display(), found.detail)).collect();
            Ok(Answer { shown: format!("{:?}", diagnosis.stores), said })
        }),
        ("resolve", |memory| {
            let resolved = memory.resolve(&maker(), &ResolveRequest::default())?;
            Ok(Answer {
                shown: format!("{:#?}", resolved.waiting),
                said: resolved.notes.iter().map(ToString::to_string).collect(),
            })
        }),
        ("live claims", |memory| {
            let (count, gaps) = memory.live_claims();
            Ok(Answer {
                shown: count.to_string(),
                said: gaps.into_iter().map(|gap| gap.detail.to_string()).collect(),
            })
        }),
    ]
}

/// A store with several versions, one of whose claims every project sees.
fn promoted(place: Place) -> SimDisk {
    let disk = prepared(place);
    let memory = service(Arc::new(disk.clone()), &clock());
    let request = PromoteRequest {
        label: "Cache".into(),
        reason: "it holds in plum too".into(),
        because: Some("doctrine".into()),
        ..PromoteRequest::default()
    };
    memory.promote(&caller(PERSON, CHERRY), &request).unwrap();
    memory.all(&maker());
    disk
}

/// Whether the open failed; what is wrong with the answer goes into `wrong`.
fn fails(
    (name, ask): (&str, Ask),
    (before, whole): (&SimDisk, &Answer),
    (file, fails): (&Path, Fails),
    wrong: &mut Vec<String>,
) -> bool {
    let failing = one_file(&before.reboot(UnsyncedFate::Kept), file, fails);
    let answer = ask(&service(failing.clone(), &clock()));
    let told = format!("{name}, {fails:?} of {}", file.display());
    match answer {
        Ok(answer) => {
            let file = file.file_name().unwrap().to_str().unwrap();
            let new = answer.said.iter().filter(|said| !whole.said.contains(said));
            let is_named = new.clone().any(|said| said.contains(file));
            // A count of live claims has no word for a file that stays unreadable: doctor names it.
            let is_count = name == "live claims" && matches!(fails, Fails::From(_));
            if answer.shown != whole.shown && !is_named && !is_count {
                wrong.push(format!("{told}: {}", difference(&whole.shown, &answer.shown)));
            }
        }
        Err(error) => {
            let code = error.code().name();
            let said = Fault::from(error).to_string();
            let is_named = said.contains(file.file_name().unwrap().to_str().unwrap());
            if !["claim.unreadable", "store.failed"].contains(&code) || !is_named {
                wrong.push(format!("{told}: {code}: {said}"));
            }
        }
    }
    failing.failures() > 0
}

fn difference(whole: &str, shown: &str) -> String {
    let only = |a: &str, b: &str| -> Vec<String> {
        let lines: Vec<&str> = b.lines().collect();
        a.lines().filter(|line| !lines.contains(line)).take(5).map(str::to_owned).collect()
    };
    format!("missing {:#?}, instead {:#?}", only(whole, shown), only(shown, whole))
}

fn walk(place: Place) {
    let before = promoted(place);
    let is_claim = |path: &PathBuf| path.to_str().is_some_and(|path| path.ends_with(".light.md"));
    let files: Vec<PathBuf> = files_below(&before, "/").into_keys().filter(is_claim).collect();
    assert!(files.len() > 7, "{files:?}");
    let (mut wrong, mut count) = (Vec::new(), 0);
    for ask in each_ask() {
        let whole = ask.1(&service(Arc::new(before.reboot(UnsyncedFate::Kept)), &clock())).unwrap();
        for file in &files {
            for when in [Fails::Once as fn(u64) -> Fails, Fails::From] {
                count += (0..)
                    .take_while(|at| fails(ask, (&before, &whole), (file, when(*at)), &mut wrong))
                    .count();
            }
        }
    }
    assert!(count > 100, "the files are read");
    assert!(wrong.is_empty(), "{} wrong of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test] // spec: MEM-23
fn a_claim_file_that_cannot_be_opened_is_shown_or_named_by_each_verb_that_reads() {
    walk(Place::Home);
}

#[test] // spec: MEM-23, MEM-2
fn and_so_it_is_with_the_claims_in_a_repository() {
    walk(Place::Repository);
}

#[test] // spec: MEM-23
fn what_a_log_counts_is_unknown_while_it_cannot_be_read() {
    let disk = prepared(Place::Home);
    let memory = service(Arc::new(disk.clone()), &clock());
    let request =
        DelegateRequest { task: "zebras".into(), budget_tokens: 1_200, ..DelegateRequest::default() };
    memory.delegate(&maker(), &request, &|packet| packet).unwrap();
    assert_eq!(memory.status(&maker()).unwrap().open_delegations.map(|open| open.count), Some(1));
    let log = memory.brains(&maker()).unwrap().brains.remove(0).brain.folder.join("acts.jsonl");
    let memory = service(one_file(&disk, &log, Fails::From(0)), &clock());
    let has_gap = |gaps: &[Gap]| gaps.iter().any(|gap| gap.name == "acts_unreadable");
    let status = memory.status(&maker()).unwrap();
    assert_eq!(status.open_delegations, None);
    assert!(has_gap(&status.project_gaps), "{:?}", status.project_gaps);
    assert!(has_gap(&memory.beat(&maker(), "zebras").gaps));
    assert!(has_gap(&memory.all(&maker()).gaps));
    assert!(memory.delegations(&maker()).is_err(), "no list is no answer");
}

#[test] // spec: MEM-23
fn a_closed_history_is_named_once_and_no_file_is_made_up() {
    let before = prepared(Place::Repository);
    let inner = Arc::new(before.reboot(UnsyncedFate::Kept));
    let closed = FaultyDisk::new(inner, |step| {
        let is_inside = step.path.components().any(|part| part.as_os_str() == ".history");
        (is_inside && [verbs::READ, verbs::LIST, verbs::STAT].contains(&step.verb))
            .then_some(DiskFault::Other)
    });
    let memory = service(Arc::new(closed), &clock());
    let request = ListRequest { tier: Tier::Both, limit: 100, filter: Filter::default(), cursor: None };
    let gaps = memory.list(&maker(), &request).unwrap().gaps;
    let about: Vec<&Gap> = gaps.iter().filter(|gap| gap.name == "unreadable_claim").collect();
    assert!(!about.is_empty() && about.len() <= 2, "one for each store: {about:?}");
    assert!(about.iter().all(|gap| gap.detail.contains("/.history`")), "{about:?}");
}
