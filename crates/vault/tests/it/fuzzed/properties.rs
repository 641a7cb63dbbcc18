//! What holds for a line of a log of acts whatever its bytes. The fuzz target uses this file too.

use brainstem_base::{AgentId, Timestamp};
use brainstem_vault::acts::codec;

/// Reads bytes as lines of a log of acts and checks what must hold of the reading. `false`: no act is in them.
pub(crate) fn check(bytes: &[u8]) -> bool {
    bytes.split(|byte| *byte == b'\n').fold(false, |found, line| check_line(line) | found)
}

fn check_line(line: &[u8]) -> bool {
    let Some(act) = codec::read(line) else { return false };
    assert_eq!(codec::line(&act).as_bytes(), line, "an act is written as it was read");
    let mut foreign = act.clone();
    foreign.set_foreign();
    let read = codec::read(codec::line(&foreign).as_bytes()).expect("a foreign act is still one");
    assert!(read.is_foreign());
    assert_eq!((read.deed(), read.id(), read.at().as_str()), (act.deed(), act.id(), act.at().as_str()));

    let agent = AgentId::parse("human:ana").expect("an id");
    let imports = act.imports().len();
    let marked = act.clone().imported(&agent, Timestamp::from_ms(0));
    let read = codec::read(codec::line(&marked).as_bytes()).expect("an imported act is still one");
    assert_eq!((read.deed(), read.id()), (act.deed(), act.id()), "the mark changes nothing else");
    assert!(read.imports().len() >= imports, "no mark is lost");
    true
}
