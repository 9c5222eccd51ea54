//! The library's words: it is used by a program with flags, by Python with parameters and by Rust with neither.

use std::path::Path;

/// Every source file below `folder` with its text.
fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Whether a line holds something like `--flag`, in a comment only if that quotes it.
fn names_flag(line: &str) -> bool {
    let is_comment = line.trim_start().starts_with("//");
    line.match_indices("--").any(|(at, _)| {
        let is_flag = line.as_bytes().get(at + 2).is_some_and(u8::is_ascii_lowercase);
        is_flag && (!is_comment || line[..at].contains('"'))
    })
}

#[test]
fn no_text_of_the_library_names_a_flag() {
    assert!(names_flag("    \"raise --max-memory\"") && names_flag("    raise --max-memory\", and so on"));
    assert!(!names_flag("    /// `--max-memory`") && !names_flag("a -- b"));
    let mut found = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.len() > 50, "only {} files were looked at", found.len());
    for (path, text) in &found {
        let named: Vec<&str> = text.lines().filter(|line| names_flag(line)).collect();
        assert!(named.is_empty(), "{path}: {named:#?}");
    }
}
