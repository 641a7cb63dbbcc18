//! A brain that was set aside: an export of lines says that it has nothing of it.

use crate::world::{CHERRY, MAKER, PLUM, Short as _, caller, clock, service, two_repositories};
use brainstem_transfer::{ExportRequest, ExportScope, Format, Transfer};
use std::sync::Arc;

#[test] // spec: MEM-47
fn an_export_of_all_brains_names_those_that_were_set_aside() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    for (root, text) in [(CHERRY, "three times"), (PLUM, "four times")] {
        memory.begin(&caller(MAKER, root)).unwrap();
        memory.tell(&caller(MAKER, root), "Retry policy", text).unwrap();
    }
    disk.make_dirs("/out");
    let aside = memory.set_aside(&caller(MAKER, PLUM), "cherry", "not now").unwrap().brain.origin();
    for (format, out, named) in [(Format::JsonLines, "/out/lines", 1), (Format::Folder, "/out/copy", 0)] {
        let request = ExportRequest { scope: ExportScope::All, format, out: Some(out.into()) };
        let done = Transfer::new(&memory).export(&caller(MAKER, PLUM), &request, &|_, _| ()).unwrap();
        let gaps: Vec<String> = done.gaps.iter().map(|gap| gap.detail.to_string()).collect();
        assert_eq!(gaps.iter().filter(|gap| gap.contains(&aside)).count(), named, "{gaps:?}");
    }
}
