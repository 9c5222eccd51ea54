//! Writes a table of random numbers with a column `label`: `dense FILE ROWS COLUMNS`.

use std::error::Error;
use std::fs::File;

use onlinear_parquet::{OutputColumn, Writer};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, rows, width] = &arguments[..] else { return Err("usage: dense FILE ROWS COLUMNS".into()) };
    let (rows, width): (usize, usize) = (rows.parse()?, width.parse()?);
    let names = (1..=width).map(|i| format!("x{i}")).chain(["label".to_string()]);
    let columns = names.map(|name| (name, OutputColumn::Numbers(Vec::new()))).collect();
    let mut table = Writer::new(File::create(path)?, columns)?;
    let mut state = 1u64;
    for _ in 0..rows {
        let mut sum = 0.0;
        for (i, column) in table.columns().iter_mut().enumerate() {
            let OutputColumn::Numbers(numbers) = column else { continue };
            // A linear congruential generator will do: nobody draws conclusions from these rows.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
            sum += if i % 2 == 0 { value } else { -value };
            numbers.push(if i < width { value } else { f64::from(u8::from(sum > 0.0)) });
        }
        table.end_row()?;
    }
    table.finish()?.sync_all()?;
    Ok(())
}
