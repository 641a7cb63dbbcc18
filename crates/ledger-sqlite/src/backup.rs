//! A copy of the whole ledger, of one moment, while others go on writing.

use crate::ledger::SqliteLedger;
use brainstem_ledger::{BackendFault, LedgerError};
use std::path::Path;

impl SqliteLedger {
    /// Writes a whole ledger file to `path`, where nothing is, readable by its owner alone. Returns how many topics and messages
    /// it has. The copy takes the place of `ledger.sqlite` as it is.
    pub fn back_up_to(&self, path: &Path) -> Result<(usize, usize), LedgerError> {
        let failed =
            |why: String, fault| LedgerError::Backend { what: "written", why, is_passing: false, fault };
        let Some(name) = path.to_str() else {
            return Err(failed(format!("`{}` is not valid UTF-8", path.display()), BackendFault::Other));
        };
        let made = self.disk.write_private(path, b"");
        made.map_err(|error| failed(error.to_string(), BackendFault::Other))?;
        let copied = self.read_alone(|connection| {
            connection.execute("VACUUM INTO ?1", (name,))?;
            let count = |sql| connection.query_row(sql, (), |row| row.get::<_, i64>(0));
            Ok((count("SELECT count(*) FROM topics")?, count("SELECT count(*) FROM messages")?))
        });
        match copied {
            Ok(Some((topics, messages))) => {
                let folder = path.parent().unwrap_or(path);
                self.disk.sync_dir(folder).map_err(|error| failed(error.to_string(), BackendFault::Other))?;
                let count = |count: i64| usize::try_from(count).unwrap_or(0);
                Ok((count(topics), count(messages)))
            }
            Ok(None) => {
                let _ = self.disk.unlink(path);
                Err(failed("there is no ledger yet".to_owned(), BackendFault::Other))
            }
            Err(error) => {
                let _ = self.disk.unlink(path);
                Err(error)
            }
        }
    }
}
