//! Damaged settings: no panic, and a change changes one setting.

mod properties;

#[test] // spec: IF-27
fn damaged_settings_are_refused_or_changed_one_at_a_time() {
    let read = brainstem_testkit::try_damaged("config", 1_500, properties::check);
    assert!(read > 30, "{read} of the damaged files can still be read");
}
