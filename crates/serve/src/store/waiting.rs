//! Rows that wait for their labels.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use onlinear::{Error, Result};
use serde_json::{Value as Json, json};

use super::{Lasting, failed, file_name, files_by_row, sync_folder};

/// So many rows are in a file; it is removed when none of them waits any more.
const ROWS_OF_FILE: u64 = 10_000;
/// However long rows are remembered, there are no more than this.
const MOST_ROWS: u64 = 1_000_000;

/// How long rows wait for their labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remember {
    /// Until so many more have come.
    Rows(u64),
    /// For so long, and no longer than until a million more have come.
    For(Duration),
}

impl Remember {
    fn most_rows(self) -> u64 {
        match self {
            Remember::Rows(rows) => rows,
            Remember::For(_) => MOST_ROWS,
        }
    }
}

impl std::fmt::Display for Remember {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Remember::Rows(rows) => write!(f, "{rows} rows"),
            Remember::For(time) if time.as_secs() == 1 => write!(f, "1 second"),
            Remember::For(time) => write!(f, "{} seconds", time.as_secs()),
        }
    }
}

/// The rows that wait, in memory and on disk.
pub(crate) struct Waiting {
    folder: PathBuf,
    remember: Remember,
    /// By number, which counts up from 1.
    rows: BTreeMap<u64, WaitingRow>,
    numbers: HashMap<String, u64>,
    next: u64,
    /// The file that is written to.
    file: Option<File>,
    /// The first rows of all files, in order.
    files: Vec<u64>,
    is_synced: bool,
    lasting: Lasting,
}

/// A row that waits.
#[derive(Clone)]
pub(crate) struct WaitingRow {
    pub(crate) id: String,
    /// The row as a line of the log, but for its label.
    pub(crate) line: String,
    /// When it came, in seconds since 1970.
    at: u64,
}

impl WaitingRow {
    pub(crate) fn new(id: String, line: String) -> WaitingRow {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        WaitingRow { id, line, at: now.as_secs() }
    }

    fn as_json(&self, number: u64) -> Json {
        json!({"row": number, "id": self.id, "at": self.at, "line": self.line})
    }

    fn of_json(json: &Json) -> Option<(u64, WaitingRow)> {
        let (id, line) = (json["id"].as_str()?.to_string(), json["line"].as_str()?.to_string());
        Some((json["row"].as_u64()?, WaitingRow { id, line, at: json["at"].as_u64()? }))
    }
}

impl Waiting {
    /// The rows that wait, but for those that have been labelled: `is_known` tells by their ids, should that not have
    /// been noted here in time. It is now, since ids are not known for ever.
    pub(crate) fn open(folder: PathBuf, remember: Remember, is_known: impl Fn(&str) -> bool) -> Result<Waiting> {
        let mut waiting = Waiting {
            rows: BTreeMap::new(),
            numbers: HashMap::new(),
            next: 1,
            file: None,
            files: Vec::new(),
            is_synced: true,
            lasting: Lasting::default(),
            folder,
            remember,
        };
        for (first, path) in files_by_row(&waiting.folder, "jsonl")? {
            waiting.files.push(first);
            waiting.next = waiting.next.max(first);
            let text = fs::read(&path).map_err(failed(&path))?;
            // What is not whole was never answered.
            for json in text.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice::<Json>(line).ok()) {
                if let Some(number) = json["done"].as_u64() {
                    waiting.remove(number);
                } else if let Some((number, row)) = WaitingRow::of_json(&json) {
                    waiting.insert(number, row);
                }
            }
        }
        let labelled: Vec<String> = waiting.numbers.keys().filter(|id| is_known(id)).cloned().collect();
        labelled.iter().for_each(|id| drop(waiting.done(id))); // where the disk is full, the next start does it
        waiting.forget_old()?;
        Ok(waiting)
    }

    /// How many rows wait.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// An id for the row behind so many others, that no row has and that `is_free` as well.
    pub(crate) fn new_id(&self, ahead: u64, is_free: impl Fn(&String) -> bool) -> String {
        let number = self.next + ahead;
        let others = (1..).map(|k: u64| format!("r{number}-{k}"));
        let mut ids = [format!("r{number}")].into_iter().chain(others);
        ids.find(|id| !self.numbers.contains_key(id) && is_free(id)).unwrap_or_default()
    }

    /// The row of this id, if it waits.
    pub(crate) fn get(&self, id: &str) -> Option<&WaitingRow> {
        self.rows.get(self.numbers.get(id)?)
    }

    /// Remembers rows; they last once they are synced. One whose id waits already takes its place.
    pub(crate) fn add(&mut self, rows: Vec<WaitingRow>) -> Result<()> {
        for row in rows {
            if self.file.is_none() || self.files.last().is_none_or(|first| self.next - first >= ROWS_OF_FILE) {
                self.begin_file()?;
            }
            let number = self.next;
            self.write(&row.as_json(number))?;
            self.insert(number, row);
        }
        self.forget_old()
    }

    fn insert(&mut self, number: u64, row: WaitingRow) {
        self.next = self.next.max(number + 1);
        if let Some(old) = self.numbers.insert(row.id.clone(), number) {
            self.rows.remove(&old);
        }
        self.rows.insert(number, row);
    }

    /// The row of this id has its label.
    pub(crate) fn done(&mut self, id: &str) -> Result<()> {
        let Some(&number) = self.numbers.get(id) else { return Ok(()) };
        self.remove(number);
        if self.file.is_none() {
            self.begin_file()?;
        }
        self.write(&json!({"done": number}))?;
        self.remove_files()
    }

    /// Makes what was remembered last through a power cut.
    pub(crate) fn sync(&mut self) -> Result<()> {
        if let Some(file) = self.file.as_ref().filter(|_| !self.is_synced) {
            self.lasting.sync(|| file.sync_data().map_err(failed(&self.folder)))?;
            self.is_synced = true;
        }
        Ok(())
    }

    fn begin_file(&mut self) -> Result<()> {
        self.sync()?;
        let path = self.folder.join(file_name(self.next, "jsonl"));
        let file = File::options().create(true).append(true).open(&path).map_err(failed(&path))?;
        // What an earlier server left there may end within a line.
        (&file).write_all(b"\n").map_err(failed(&path))?;
        sync_folder(&self.folder)?;
        if self.files.last() != Some(&self.next) {
            self.files.push(self.next);
        }
        self.file = Some(file);
        Ok(())
    }

    fn write(&mut self, json: &Json) -> Result<()> {
        self.is_synced = false;
        let mut file = self.file.as_ref().ok_or_else(|| Error::data("waiting", "no file is open"))?;
        let written = file.write_all(format!("{json}\n").as_bytes());
        if written.is_err() {
            self.file = None; // what follows half a line goes on a line of its own
        }
        written.map_err(failed(&self.folder))
    }

    fn remove(&mut self, number: u64) {
        if let Some(row) = self.rows.remove(&number) {
            self.numbers.remove(&row.id);
        }
    }

    /// Forgets rows that have waited for too long.
    pub(crate) fn forget_old(&mut self) -> Result<()> {
        let now = WaitingRow::new(String::new(), String::new()).at;
        while let Some((&number, row)) = self.rows.first_key_value() {
            let is_late = matches!(self.remember, Remember::For(time) if now.saturating_sub(row.at) > time.as_secs());
            if !is_late && self.next - number <= self.remember.most_rows() {
                break;
            }
            self.remove(number);
        }
        self.remove_files()
    }

    /// Removes files none of whose rows waits, but the one that is written to. That a row is done is said behind it,
    /// in its own file or a later one, which goes after it.
    fn remove_files(&mut self) -> Result<()> {
        let oldest = self.rows.first_key_value().map_or(self.next, |(&number, _)| number);
        while let [first, next, ..] = self.files[..]
            && next <= oldest
        {
            let path = self.folder.join(file_name(first, "jsonl"));
            fs::remove_file(&path).map_err(failed(&path))?;
            self.files.remove(0);
        }
        Ok(())
    }
}
