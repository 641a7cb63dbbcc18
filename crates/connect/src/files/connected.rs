//! Which hosts are connected to any project of a home.

use super::record::{FOLDER, Record};
use crate::service::Connect;
use brainstem_base::DiskFault;
use brainstem_hosts::Host;
use std::collections::BTreeSet;

impl Connect {
    /// The hosts that are connected to a project of this home, by the records of `init_hosts`; and whether every record could be read.
    pub fn connected_hosts(&self) -> (Vec<Host>, bool) {
        let dir = self.home().path().join(FOLDER);
        let names = match self.disk().list(&dir) {
            Ok(entries) => entries.into_iter().map(|entry| entry.name).collect(),
            Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
            Err(_) => return (Vec::new(), false),
        };
        let records = names.iter().map(|name| dir.join(name));
        let records = records.filter(|path| path.extension().is_some_and(|end| end == "json"));
        let (mut words, mut is_whole) = (BTreeSet::new(), true);
        for record in records.map(|path| Record::read(self.disk(), &path)) {
            match record {
                Ok(record) => words.extend(record.hosts),
                Err(_) => is_whole = false,
            }
        }
        (Host::ALL.iter().copied().filter(|host| words.contains(host.as_str())).collect(), is_whole)
    }
}
