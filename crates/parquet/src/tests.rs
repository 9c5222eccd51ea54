//! What is written is read again; what is damaged is a fault.

use crate::{Cells, Fault, OutputColumn, Source, Table, Writer};

fn table(rows: usize) -> Vec<u8> {
    let numbers = (0..rows).map(|i| if i % 5 == 4 { f64::NAN } else { i as f64 / 4.0 }).collect();
    let texts = (0..rows).map(|i| format!("text {}", i % 7)).collect();
    let columns =
        vec![("number".to_string(), OutputColumn::Numbers(numbers)), ("text".to_string(), OutputColumn::Texts(texts))];
    Writer::new(Vec::new(), columns).and_then(Writer::finish).expect("memory takes all")
}

/// All rows of a file: how many, the sum of its numbers, and the bytes of its texts.
fn read(bytes: Vec<u8>, most_bytes: u64) -> Result<(usize, f64, usize), Fault> {
    let mut table = Table::open(Source::memory(bytes), most_bytes)?;
    let mut all = (0, 0.0, 0);
    while let Some(rows) = table.read()? {
        all.0 += rows.count;
        for cells in rows.columns.iter().flatten() {
            match cells {
                Cells::Numbers(numbers) => all.1 += numbers.iter().filter(|number| !number.is_nan()).sum::<f64>(),
                Cells::Texts(texts) => all.2 += texts.iter().map(<[u8]>::len).sum::<usize>(),
                _ => {}
            }
        }
    }
    Ok(all)
}

#[test]
fn what_is_written_is_read_again() {
    for rows in [0, 1, 5, 10_000] {
        let numbers: f64 = (0..rows).filter(|i| i % 5 != 4).map(|i| i as f64 / 4.0).sum();
        assert_eq!(read(table(rows), u64::MAX).expect("a table"), (rows, numbers, 6 * rows));
    }
}

#[test]
fn columns_that_are_not_wanted_have_no_cells() {
    let mut table = Table::open(Source::memory(table(10)), u64::MAX).expect("a table");
    table.select(&[false, true], &[0]);
    let rows = table.read().expect("rows").expect("ten of them");
    assert!(rows.columns[0].is_none() && rows.columns[1].is_some());
    assert!(matches!(&rows.kept[..], [Cells::Numbers(numbers)] if numbers.len() == 10));
}

#[test]
fn damage_is_a_fault_and_pages_beyond_the_memory_are() {
    let sound = table(40);
    for at in 0..sound.len() {
        for by in [1, 0x10, 0x80, 0xff] {
            let mut bytes = sound.clone();
            bytes[at] ^= by;
            let _ = read(bytes, 1 << 20); // be it read or not, there is an end
        }
        assert!(read(sound[..at].to_vec(), 1 << 20).is_err());
    }
    assert!(matches!(read(table(10_000), 1000), Err(Fault::Memory(_))));
}
