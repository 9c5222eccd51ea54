//! What fuzzing, or a change of a sound input, once found: `tests/corpus/ENTRY/NAME`, each run by its entry for ever.

use std::path::PathBuf;

use super::seeds::ENTRIES;

#[test]
fn what_was_found_stays_mended() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut run = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let entry =
            ENTRIES.iter().find(|entry| entry.name == name).unwrap_or_else(|| panic!("there is no entry {name}"));
        for found in std::fs::read_dir(&path).unwrap() {
            (entry.run)(&std::fs::read(found.unwrap().path()).unwrap());
            run += 1;
        }
    }
    assert!(run > 0, "there is nothing in {}", folder.display());
}
