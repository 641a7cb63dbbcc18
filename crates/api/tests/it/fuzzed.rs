//! Damaged arguments: no panic, and a refusal names its field.

mod properties;

#[test] // spec: IF-7
fn damaged_arguments_fit_or_are_refused_with_their_field() {
    let fitting = brainstem_testkit::try_damaged("arguments", 3_000, properties::check);
    assert!(fitting > 30, "{fitting} of the damaged arguments still fit");
}
