//! Writes the inputs that fuzzing starts from: `corpus/TARGET/seed-N`.

use std::path::Path;

use onlinear_fuzz::seeds::ENTRIES;

fn main() -> std::io::Result<()> {
    for entry in ENTRIES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(entry.name);
        std::fs::create_dir_all(&folder)?;
        for (k, seed) in (entry.seeds)().iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{k}")), seed)?;
        }
    }
    Ok(())
}
