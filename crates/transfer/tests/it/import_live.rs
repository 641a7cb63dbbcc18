//! What is live in an export is live after its import, also where its label has younger versions in history.

use crate::exports::{elsewhere, import, texts_of};
use crate::promoted::promote;
use crate::world::{CHERRY, MAKER, PERSON, Short as _, caller, clock, service, two_repositories};
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk as _, SimDisk};
use brainstem_memory::{EjectRequest, InitRequest, Memory, ResolveRequest, Tier};
use brainstem_transfer::{ExportRequest, ExportScope, Format, ImportRequest, Imported, Transfer};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How an older version came to be live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Story {
    /// Git took its successor away, and a person decided for it.
    DecidedFor,
    /// It was promoted, and git took its successor away.
    Promoted,
    /// The same words were written again and taken back, and git brought the first ones back.
    TakenBack,
    /// Git took its successor away.
    CheckedOut,
}

const STORIES: [Story; 4] = [Story::DecidedFor, Story::Promoted, Story::TakenBack, Story::CheckedOut];

struct StoryWorld {
    disk: SimDisk,
    memory: Memory,
    clock: Arc<ManualClock>,
}

/// A project in whose repository "alpha one" is live, with younger versions behind it.
fn world_of(story: Story) -> StoryWorld {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let maker = caller(MAKER, CHERRY);
    memory.init(&maker, &InitRequest::default()).unwrap();
    memory.tell(&maker, "Other", "other words").unwrap();
    memory.tell(&maker, "Alpha", "alpha one").unwrap();
    clock.advance(1_000);
    if story == Story::Promoted {
        promote(&memory, &caller(PERSON, CHERRY), "Alpha").unwrap();
        clock.advance(1_000);
    }
    let file = Path::new(CHERRY).join(".brainstem/agent-memory/alpha.light.md");
    let committed = disk.read(&file, 1 << 20).unwrap();
    memory.tell(&maker, "Alpha", "alpha two").unwrap();
    clock.advance(1_000);
    if story == Story::TakenBack {
        memory.tell(&maker, "Alpha", "alpha one").unwrap();
        clock.advance(1_000);
        memory.take_back(&maker, "Alpha").unwrap();
    }
    disk.write_raw(&file, &committed);
    if story == Story::DecidedFor {
        let ours = ResolveRequest {
            label: Some("Alpha".into()),
            take: Some("ours".into()),
            ..ResolveRequest::default()
        };
        memory.resolve(&caller(PERSON, CHERRY), &ours).unwrap();
    }
    disk.make_dirs("/out");
    StoryWorld { disk, memory, clock }
}

fn live(memory: &Memory) -> Option<String> {
    let shown = memory.look_at(&caller(MAKER, CHERRY), "Alpha", Tier::Project).unwrap();
    shown.claim.map(|row| row.text)
}

/// The claims and versions of a disk, apart from what was exported and from the copies that guard live ones.
fn claims(disk: &SimDisk) -> BTreeMap<PathBuf, String> {
    let is_claim = |path: &Path| {
        let text = path.to_string_lossy();
        text.ends_with(".light.md") && !text.contains("/.kept/") && !path.starts_with("/out")
    };
    let files = disk.dump().into_iter().filter(|(path, _)| is_claim(path));
    files.map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect()
}

/// Born, superseded, unchanged, versions.
fn counts(imported: &Imported) -> [usize; 4] {
    [imported.born, imported.superseded, imported.unchanged, imported.versions]
}

/// Exports each story in each way. `check` gets how many claims are live in the export, and how many versions are past.
fn each_export(mut check: impl FnMut(&StoryWorld, &str, [usize; 2], &str)) {
    for story in STORIES {
        // Of what git alone brought back, an eject makes the youngest version live.
        let is_settled = matches!(story, Story::DecidedFor | Story::TakenBack);
        for is_ejected in [false, true].into_iter().take(1 + usize::from(is_settled)) {
            let world = world_of(story);
            let maker = caller(MAKER, CHERRY);
            if is_ejected {
                world.memory.eject(&maker, &EjectRequest::default()).unwrap();
            }
            assert_eq!(live(&world.memory), Some("alpha one".to_owned()), "{story:?}");
            for (scope, format) in [
                (ExportScope::Project, Format::JsonLines),
                (ExportScope::Project, Format::Folder),
                (ExportScope::All, Format::JsonLines),
            ] {
                let case = format!("{story:?}, ejected {is_ejected}, {scope:?} {format:?}");
                let out = format!("/out/{scope:?}-{format:?}");
                let request = ExportRequest { scope, format, out: Some((&out).into()) };
                Transfer::new(&world.memory).export(&maker, &request, &|_, _| ()).unwrap();
                let is_doctrine_along = scope == ExportScope::All && story == Story::Promoted;
                let live_count = 2 + usize::from(is_doctrine_along);
                // Files that say again what is live are no versions of their own.
                let version_count = 1 + usize::from(story == Story::TakenBack);
                check(&world, &out, [live_count, version_count], &case);
            }
        }
    }
}

#[test] // spec: MEM-47, MEM-49
fn what_is_live_in_an_export_is_live_after_a_restore_whatever_is_younger() {
    each_export(|world, out, [live_count, version_count], case| {
        let (fresh, there) = elsewhere(&world.disk, out);
        let expected = [live_count, 0, 0, version_count];
        assert_eq!(counts(&import(&there, out, true)), expected, "dry run: {case}");
        let taken = import(&there, out, false);
        assert_eq!(counts(&taken), expected, "{case}: {taken:?}");
        assert!(taken.not_taken.is_empty() && taken.gaps.is_empty(), "{case}: {taken:?}");
        assert_eq!(live(&there), Some("alpha one".to_owned()), "{case}");
        assert_eq!(texts_of(&there, "Alpha"), texts_of(&world.memory, "Alpha"), "{case}");
        let born = |memory: &Memory| {
            let shown = memory.look_at(&caller(MAKER, CHERRY), "Alpha", Tier::Project).unwrap();
            shown.claim.unwrap().created
        };
        assert_eq!(born(&there), born(&world.memory), "{case}");

        let before = claims(&fresh);
        for dry_run in [true, false] {
            let again = import(&there, out, dry_run);
            assert_eq!((counts(&again), again.acts), ([0, 0, live_count, 0], 0), "{case}: {again:?}");
        }
        assert_eq!(claims(&fresh), before, "{case}");
    });
}

#[test] // spec: MEM-47
fn a_restore_that_is_cut_off_anywhere_is_completed_by_its_repeat_whatever_is_younger() {
    each_export(|world, out, _, case| {
        let (whole, there) = elsewhere(&world.disk, out);
        import(&there, out, false);
        let request = ImportRequest { path: out.into(), from: None, tier: None, sort: false, dry_run: false };
        for stop_after in 1.. {
            let (fresh, there) = elsewhere(&world.disk, out);
            let asked =
                Transfer::new(&there).import(&caller(MAKER, CHERRY), &request, &|done, _| done < stop_after);
            import(&there, out, false);
            assert_eq!(live(&there), Some("alpha one".to_owned()), "stopped after {stop_after}: {case}");
            assert_eq!(claims(&fresh), claims(&whole), "stopped after {stop_after}: {case}");
            if asked.is_ok() {
                break;
            }
        }
    });
}

#[test] // spec: MEM-47
fn a_fresh_export_changes_nothing_at_home_whatever_is_younger() {
    each_export(|world, out, [live_count, _], case| {
        let before = claims(&world.disk);
        for dry_run in [true, false] {
            let taken = import(&world.memory, out, dry_run);
            assert_eq!((counts(&taken), taken.acts), ([0, 0, live_count, 0], 0), "{case}: {taken:?}");
        }
        assert_eq!(claims(&world.disk), before, "{case}");
    });
}

#[test] // spec: MEM-47
fn a_younger_live_claim_of_the_target_stays_and_the_one_of_the_export_is_named() {
    each_export(|world, out, [live_count, version_count], case| {
        let (fresh, there) = elsewhere(&world.disk, out);
        world.clock.advance(1_000);
        let later = service(Arc::new(fresh.clone()), &world.clock);
        later.tell(&caller(MAKER, CHERRY), "Alpha", "alpha of the target").unwrap();
        let expected = [live_count - 1, 0, 0, version_count + 1];
        for dry_run in [true, false] {
            let taken = import(&there, out, dry_run);
            assert_eq!(counts(&taken), expected, "{case}: {taken:?}");
            let named: Vec<&str> = taken.gaps.iter().map(|gap| gap.name).collect();
            assert_eq!(named, ["earlier_version"], "{case}: {taken:?}");
        }
        assert_eq!(live(&there), Some("alpha of the target".to_owned()), "{case}");
        let all: BTreeSet<String> =
            ["alpha one", "alpha two", "alpha of the target"].map(str::to_owned).into();
        assert_eq!(texts_of(&there, "Alpha"), all, "{case}");
        let before = claims(&fresh);
        let again = import(&there, out, false);
        assert_eq!((counts(&again), again.acts), ([0, 0, live_count, 0], 0), "{case}: {again:?}");
        assert_eq!(claims(&fresh), before, "{case}");
    });
}
