//! The files that are measured on: made once, the same everywhere.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use onlinear::workshop::Random;

/// How many features the rows have.
pub const FEATURES: usize = 50_000;
/// Rows of the large file, about 200 MB of text.
const LARGE: usize = 200_000;
/// Rows of the small file: the first tenth of the large one.
const SMALL: usize = LARGE / 10;
/// A row has this many non-zeros, give or take [`SPREAD`].
const NON_ZEROS: usize = 73;
const SPREAD: usize = 25;

/// How a file is packed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// With gzip.
    Gz,
    /// With zstd.
    Zst,
}

impl Packing {
    /// All of them, with what they are called.
    pub const ALL: [(Packing, &'static str); 3] =
        [(Packing::Plain, "plain"), (Packing::Gz, "gz"), (Packing::Zst, "zst")];
}

/// The folder of the files.
pub struct Files {
    folder: PathBuf,
}

impl Files {
    /// The files in `folder`, which is made if it is not there.
    pub fn new(folder: PathBuf) -> Result<Files> {
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Files { folder })
    }

    /// About 200 MB of LIBSVM text.
    pub fn large(&self, packing: Packing) -> Result<PathBuf> {
        self.rows(LARGE, packing)
    }

    /// Its first tenth.
    pub fn small(&self, packing: Packing) -> Result<PathBuf> {
        self.rows(SMALL, packing)
    }

    /// Rows like those of the large file whose values have so many decimals, as other programs write them.
    pub fn long_values(&self, decimals: usize) -> Result<PathBuf> {
        self.made(&format!("rows-{decimals}-decimals.svm"), |out| write_long_values(60_000, decimals, out))
    }

    /// Rows of 100 features that all have values, about 200 MB of LIBSVM text.
    pub fn dense(&self) -> Result<PathBuf> {
        self.made("rows-dense.svm", |out| write_dense(170_000, 100, out))
    }

    /// Rows of a thousand classes.
    pub fn classes(&self) -> Result<PathBuf> {
        self.made("rows-1000-classes.svm", |out| write_classes(20_000, 1000, out))
    }

    /// A table of numbers of 17 digits with a column `y` of labels.
    pub fn long_table(&self) -> Result<PathBuf> {
        self.made("table-17-digits.csv", |out| write_table(50_000, 16, out))
    }

    /// The large file as VW text.
    pub fn vw(&self) -> Result<PathBuf> {
        let plain = self.large(Packing::Plain)?;
        self.made(&format!("rows-{LARGE}.vw"), |out| write_vw(&plain, out))
    }

    /// A table of numbers with a column `y` of labels: as many rows as the large file, 100 columns.
    pub fn csv(&self) -> Result<PathBuf> {
        self.made(&format!("table-{LARGE}.csv"), |out| write_table(LARGE, 6, out))
    }

    /// Where a model of the large file can be saved.
    pub fn model(&self) -> PathBuf {
        self.folder.join("model.onlinear")
    }

    /// Where the file `name` is, or can be made.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn rows(&self, rows: usize, packing: Packing) -> Result<PathBuf> {
        let name = format!("rows-{rows}.svm");
        let plain = self.made(&name, |out| write_rows(rows, out))?;
        match packing {
            Packing::Plain => Ok(plain),
            Packing::Gz => self.made(&format!("{name}.gz"), |out| {
                let mut packed = flate2::write::GzEncoder::new(out, flate2::Compression::default());
                io::copy(&mut File::open(&plain)?, &mut packed)?;
                packed.finish()?.flush()
            }),
            Packing::Zst => self.made(&format!("{name}.zst"), |out| {
                zstd::stream::copy_encode(File::open(&plain)?, &mut *out, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                out.flush()
            }),
        }
    }

    /// The file `name`, made by `make` unless it is there; never seen half made.
    pub fn made(&self, name: &str, make: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<PathBuf> {
        let path = self.path(name);
        if !path.exists() {
            eprintln!("making {}", path.display());
            let unfinished = self.folder.join(format!("{name}.unfinished"));
            let written = File::create(&unfinished).and_then(|file| {
                let mut out = BufWriter::new(file);
                make(&mut out)?;
                out.flush()
            });
            written
                .and_then(|()| fs::rename(&unfinished, &path))
                .with_context(|| format!("cannot make {}", path.display()))?;
        }
        Ok(path)
    }
}

/// How many components all rows of the large file have.
pub fn non_zeros(path: &Path) -> Result<usize> {
    Ok(fs::read(path)?.iter().filter(|&&byte| byte == b':').count())
}

/// Rows whose labels a hidden linear function tells: indices after Zipf's law, values of six decimals.
fn write_rows(rows: usize, out: &mut impl Write) -> io::Result<()> {
    let mut random = Random::new(1);
    let hidden: Vec<f64> = (0..FEATURES).map(|_| random.gauss()).collect();
    for _ in 0..rows {
        let indices = distinct(NON_ZEROS - SPREAD + random.index(2 * SPREAD + 1), || zipf(&mut random));
        let millionths: Vec<usize> = indices.iter().map(|_| 1 + random.index(999_999)).collect();
        let score: f64 = indices.iter().zip(&millionths).map(|(&i, &v)| hidden[i - 1] * v as f64).sum();
        write!(out, "{}", if score >= 0.0 { "+1" } else { "-1" })?;
        indices.iter().zip(&millionths).try_for_each(|(index, value)| write!(out, " {index}:0.{value:06}"))?;
        writeln!(out)?;
    }
    Ok(())
}

/// So many different indices in order, drawn one after the other.
pub fn distinct(count: usize, mut draw: impl FnMut() -> usize) -> Vec<usize> {
    let mut indices: Vec<usize> = Vec::new();
    while indices.len() < count {
        let missing = count - indices.len();
        indices.extend((0..missing).map(|_| draw()));
        indices.sort_unstable();
        indices.dedup();
    }
    indices
}

/// An index from 1 on; i is drawn about as often as 1/i.
fn zipf(random: &mut Random) -> usize {
    (((FEATURES + 1) as f64).powf(random.uniform()) as usize).min(FEATURES)
}

fn write_long_values(rows: usize, decimals: usize, out: &mut impl Write) -> io::Result<()> {
    let mut random = Random::new(1);
    for _ in 0..rows {
        let indices = distinct(NON_ZEROS, || zipf(&mut random));
        write!(out, "{}", if indices[0] % 2 == 0 { "+1" } else { "-1" })?;
        indices.iter().try_for_each(|index| write!(out, " {index}:{:.decimals$}", random.uniform()))?;
        writeln!(out)?;
    }
    Ok(())
}

fn write_dense(rows: usize, features: usize, out: &mut impl Write) -> io::Result<()> {
    let mut random = Random::new(1);
    for _ in 0..rows {
        let values: Vec<f64> = (0..features).map(|_| random.uniform()).collect();
        write!(out, "{}", if values[0] > values[1] { "+1" } else { "-1" })?;
        values.iter().enumerate().try_for_each(|(i, value)| write!(out, " {}:{value:.6}", i + 1))?;
        writeln!(out)?;
    }
    Ok(())
}

/// Rows whose class most of their features belong to.
fn write_classes(rows: usize, classes: usize, out: &mut impl Write) -> io::Result<()> {
    let mut random = Random::new(1);
    for row in 0..rows {
        let class = row % classes;
        let own = |random: &mut Random| 1 + (class * 37 + random.index(60) * 61) % FEATURES;
        let mut draw = || if random.chance(0.6) { own(&mut random) } else { zipf(&mut random) };
        let indices = distinct(50, &mut draw);
        write!(out, "{class}")?;
        indices.iter().try_for_each(|index| write!(out, " {index}:1"))?;
        writeln!(out)?;
    }
    Ok(())
}

/// Numbers of so many decimals in named columns, and labels that a hidden linear function tells.
fn write_table(rows: usize, decimals: usize, out: &mut impl Write) -> io::Result<()> {
    const COLUMNS: usize = 100;
    let mut random = Random::new(1);
    let hidden: Vec<f64> = (0..COLUMNS).map(|_| random.gauss()).collect();
    let names: Vec<String> = (0..COLUMNS).map(|column| format!("c{column}")).collect();
    writeln!(out, "{},y", names.join(","))?;
    for _ in 0..rows {
        let cells: Vec<f64> = hidden.iter().map(|_| random.gauss()).collect();
        cells.iter().try_for_each(|cell| write!(out, "{cell:.decimals$},"))?;
        let score: f64 = cells.iter().zip(&hidden).map(|(cell, weight)| cell * weight).sum();
        writeln!(out, "{}", if score >= 0.0 { 1 } else { -1 })?;
    }
    Ok(())
}

fn write_vw(plain: &Path, out: &mut impl Write) -> io::Result<()> {
    for line in BufReader::new(File::open(plain)?).lines() {
        let line = line?;
        let (label, features) = line.split_once(' ').unwrap_or((&line, ""));
        writeln!(out, "{label} | {features}")?;
    }
    Ok(())
}
