//! What services above memory keep between the calls of one process.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What services keep for a home, one value of each type. Losing it costs time and nothing else.
#[derive(Default)]
pub(crate) struct KeptBetweenCalls(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl KeptBetweenCalls {
    /// The value of this type, made at its first use.
    pub(crate) fn value<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let value = kept.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        value.clone().downcast().expect("the value of a type has that type")
    }
}
