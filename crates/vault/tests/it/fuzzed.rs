//! Damaged lines of acts: no panic, no lost byte.

mod properties;

#[test] // spec: MEM-3c
fn a_damaged_line_is_no_act_or_is_written_as_it_was_read() {
    let read = brainstem_testkit::try_damaged("act_lines", 3_000, properties::check);
    assert!(read > 500, "{read} of the damaged logs still have an act");
}
