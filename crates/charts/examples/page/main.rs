//! Writes a page with every kind of chart, and each of them as an SVG file, to look at:
//! `cargo run -p onlinear-charts --example page -- FOLDER`

mod demo;

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).unwrap_or_else(|| ".".into()));
    std::fs::create_dir_all(&folder)?;
    let page = demo::page();
    for (name, text) in page.svg_files().into_iter().chain([("page.html".to_string(), page.html())]) {
        let path = folder.join(name);
        std::fs::write(&path, text)?;
        println!("{}", path.display());
    }
    Ok(())
}
