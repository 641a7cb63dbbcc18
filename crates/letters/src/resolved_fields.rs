//! The fields of a letter that its writer resolved: each names exactly one folder or one brain, without a remark, an
//! alias or another name.

use serde_json::{Map, Value};

/// The field of a letter that marks them: `{"repo": "folder", "brain": "id"}`.
pub(crate) const EXACT: &str = "exact";

/// What a resolved field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResolvedValue {
    /// The last parts of a folder's path, or its whole path.
    Folder,
    /// A brain: `name@id`.
    Id,
}

/// Which fields of a letter are resolved, and to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResolvedFields {
    /// `repo`.
    pub repo: Option<ResolvedValue>,
    /// `brain`.
    pub brain: Option<ResolvedValue>,
}

impl ResolvedValue {
    const ALL: [Self; 2] = [Self::Folder, Self::Id];

    fn word(self) -> &'static str {
        match self {
            Self::Folder => "folder",
            Self::Id => "id",
        }
    }
}

impl ResolvedFields {
    /// Reads the field. An unknown form does not count: the letter is read as one of another program.
    pub(crate) fn read(value: &Value) -> Self {
        let of = |field: &str| {
            let word = value.get(field)?.as_str()?;
            ResolvedValue::ALL.into_iter().find(|exactly| exactly.word() == word)
        };
        Self { repo: of("repo"), brain: of("brain") }
    }

    /// The field for a letter; `None` if nothing was resolved.
    pub(crate) fn to_value(self) -> Option<Value> {
        let fields: Map<String, Value> = [("repo", self.repo), ("brain", self.brain)]
            .into_iter()
            .filter_map(|(name, exactly)| Some((name.to_owned(), exactly?.word().into())))
            .collect();
        (!fields.is_empty()).then_some(Value::Object(fields))
    }
}
