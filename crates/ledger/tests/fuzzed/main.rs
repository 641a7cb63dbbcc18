//! Damaged notes, receipts and records: no panic, and one spelling.

mod properties;

#[test] // spec: LED-4b, LED-5
fn a_damaged_note_receipt_or_record_is_none_or_is_written_back_as_it_was() {
    let read = brainstem_testkit::try_damaged("ledger_texts", 3_000, properties::check);
    assert!(read > 100, "{read} of the damaged texts can still be read");
}
