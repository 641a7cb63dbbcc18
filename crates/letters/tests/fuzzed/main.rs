//! Damaged files of letters: no panic, no lost letter.

mod properties;

#[test] // spec: LTR-1, LTR-2
fn a_damaged_file_of_letters_is_read_line_by_line() {
    let read = brainstem_testkit::try_damaged("letter_lines", 3_000, properties::check);
    assert!(read > 1_000, "{read} of the damaged files still have a letter");
}
