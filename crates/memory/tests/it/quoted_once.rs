//! A call that an answer advises can be typed as it is printed, whatever the project is called.

use crate::place::Place;

#[test] // spec: MEM-1b, MEM-38
fn the_call_that_takes_memory_up_again_is_quoted_once() {
    let place = Place::new();
    let dir = "src/My Project";
    place.repository(dir);
    place.begin(dir);
    place.tell(dir, "Merger", "in june");
    let origin = place.origin(dir);
    place.delete(dir);
    std::fs::create_dir_all(place.at(dir)).unwrap();
    place.git(dir, &["init", "-q", "-b", "main"]);
    place.write(&format!("{dir}/other"), "of another client");
    place.commit(dir);
    let gap = place.memory().status(&place.in_(dir)).unwrap().replaced_gap.unwrap();
    assert!(gap.detail.contains(&format!("--take-up '{origin}'")), "{}", gap.detail);
}
