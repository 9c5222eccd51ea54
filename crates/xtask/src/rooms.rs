//! The rooms of the library, each of which may use those before it and no others: there is no way back.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// Every room of `crates/onlinear/src`, from the ground up.
const ROOMS: &[&str] = &[
    "error",
    "memory",
    "parallel",
    "random",
    "state",
    "space",
    "learner",
    "bound",
    "spec",
    "hypothesis",
    "batch",
    "budget",
    "online",
    "data",
    "ensemble",
    "registry",
    "stage",
    "certificate",
    "model",
    "export",
    "metrics",
    "evaluate",
    "workshop",
];

/// No line of a source is longer.
const WIDEST: usize = 120;

/// Fails where a room uses one that stands above it, or is not on the list, and where a line is too long.
pub fn check() -> Result<()> {
    let root = Path::new("crates/onlinear/src");
    let mut files = Vec::new();
    collect(root, &mut files)?;
    ensure!(files.len() > 80, "only {} sources of the library were found", files.len());
    for (path, text) in &files {
        let long = text.lines().position(|line| line.chars().count() > WIDEST);
        ensure!(long.is_none(), "{}:{}: more than {WIDEST} columns", path.display(), long.unwrap_or_default() + 1);
        let inside = path.strip_prefix(root)?;
        let room = inside.iter().next().context("a file in a folder")?.to_string_lossy();
        let room = room.trim_end_matches(".rs");
        if room == "lib" {
            continue;
        }
        let floor = floor_of(room).with_context(|| format!("{} is in no room of the list", path.display()))?;
        for used in uses(text) {
            let ok = floor_of(&used).is_none_or(|other| other <= floor);
            ensure!(ok, "{}: {room} must not use {used}, which stands above it", path.display());
        }
    }
    Ok(())
}

fn floor_of(room: &str) -> Option<usize> {
    ROOMS.iter().position(|known| *known == room)
}

/// All sources but tests, with their texts.
fn collect(folder: &Path, files: &mut Vec<(std::path::PathBuf, String)>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
            let text = fs::read_to_string(&path)?;
            files.push((path, text));
        }
    }
    Ok(())
}

/// The rooms that a source names behind `crate::`, in its code but not in its tests.
fn uses(text: &str) -> Vec<String> {
    let code = text.split("\n#[cfg(test)]\n").next().unwrap_or(text);
    let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut rooms = Vec::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            Some(group) => {
                let mut depth = 0;
                // The group up to its end, without the groups within it.
                let own = group.chars().map_while(|c| {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    (depth >= 0).then_some(if depth == 0 { c } else { ' ' })
                });
                let own: String = own.collect();
                rooms.extend(own.split(',').map(|item| name(item.trim_start())).filter(|room| !room.is_empty()));
            }
            None => rooms.push(name(rest)),
        }
    }
    rooms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_are_found_in_groups_and_alone() {
        let text = "use crate::space::{Row, Rows};\nuse crate::{batch, online::x};\n// crate::model\n$crate::spec::A";
        assert_eq!(uses(text), ["space", "batch", "online", "spec"]);
    }

    #[test]
    fn the_library_has_no_way_back() {
        std::env::set_current_dir(crate::root()).unwrap();
        check().unwrap();
    }
}
