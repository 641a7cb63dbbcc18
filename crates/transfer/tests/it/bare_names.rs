//! `import --from` takes the name of a brain that no other in the export has, and otherwise each brain's own call.

use crate::world::{CHERRY, MAKER, PLUM, Short as _, caller, clock, service, two_repositories};
use brainstem_base::Coded as _;
use brainstem_memory::{MemoryError, Tier};
use brainstem_transfer::{ExportRequest, ExportScope, Format, ImportRequest, Imported, Transfer};
use std::path::Path;
use std::sync::Arc;

/// An export of three brains, two of one name.
fn exported() -> Vec<u8> {
    let disk = two_repositories();
    disk.write_raw("/other/plum/.git/HEAD", b"ref: refs/heads/main\n");
    let memory = service(Arc::new(disk.clone()), &clock());
    for root in [CHERRY, PLUM, "/other/plum"] {
        let maker = caller(MAKER, root);
        memory.begin(&maker).unwrap();
        memory.tell(&maker, "Where", root).unwrap();
    }
    let request = ExportRequest {
        scope: ExportScope::All,
        format: Format::JsonLines,
        out: Some("/src/all.jsonl".into()),
    };
    Transfer::new(&memory).export(&caller(MAKER, CHERRY), &request, &|_, _| ()).unwrap();
    disk.dump().remove(Path::new("/src/all.jsonl")).unwrap()
}

#[test] // spec: MEM-47
fn a_brain_of_an_export_is_chosen_by_its_name_where_no_other_has_it() {
    let fresh = two_repositories();
    fresh.write_raw("/src/all.jsonl", &exported());
    let memory = service(Arc::new(fresh), &clock());
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    let ask = |from: &str| -> Result<Imported, MemoryError> {
        let (path, from) = ("/src/all.jsonl".into(), Some(from.to_owned()));
        let request = ImportRequest { path, from, tier: None, sort: false, dry_run: false };
        Transfer::new(&memory).import(&maker, &request, &|_, _| true)
    };
    let several = ask("plum").unwrap_err();
    let fix = several.fix().unwrap().to_string();
    assert!(several.to_string().contains("2 brains of the name \"plum\""), "{several}");
    assert_eq!(fix.matches("brainstem import /src/all.jsonl --from plum@").count(), 2, "{fix}");
    assert!(!fix.contains("cherry@"), "{fix}");
    let none = ask("grape").unwrap_err().fix().unwrap().to_string();
    assert!(none.contains("brainstem import /src/all.jsonl --from cherry@"), "{none}");
    assert_eq!(ask("cherry").unwrap().born, 1);
    assert_eq!(memory.look_at(&maker, "Where", Tier::Project).unwrap().claim.unwrap().text, CHERRY);
}
