//! A folder of its own for each test, in which the program runs: messages then name files as they
//! were typed, and snapshots need no paths filtered out.

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value as Json;

pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    /// A folder with one file.
    pub fn with(name: &str, content: impl AsRef<[u8]>) -> Folder {
        let folder = Folder::new();
        folder.write(name, content);
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// The names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs the program; the arguments are the words of `line`.
    pub fn run(&self, line: &str) -> ProgramRun {
        self.run_on(line, "")
    }

    /// Runs the program with something on standard input.
    pub fn run_on(&self, line: &str, input: impl Into<Vec<u8>>) -> ProgramRun {
        self.run_in(&[], line, input)
    }

    /// Runs the program with something on standard input and in the environment.
    pub fn run_in(&self, environment: &[(&str, &str)], line: &str, input: impl Into<Vec<u8>>) -> ProgramRun {
        let mut command = assert_cmd::Command::new(PROGRAM);
        command.env_remove("ONLINEAR_VECTORS").env_remove("COLUMNS").envs(environment.iter().copied());
        command.current_dir(self.0.path()).args(line.split_whitespace());
        let output = command.write_stdin(input).output().unwrap();
        ProgramRun {
            line: line.to_string(),
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Starts the program with pipes on all sides and leaves it running.
    pub fn start(&self, line: &str) -> std::process::Child {
        let mut command = std::process::Command::new(PROGRAM);
        command.current_dir(self.0.path()).args(line.split_whitespace());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }
}

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_onlinear");

/// What a run left behind.
pub struct ProgramRun {
    line: String,
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl ProgramRun {
    /// The run succeeded.
    #[track_caller]
    pub fn ok(self) -> ProgramRun {
        assert_eq!(self.code, Some(0), "onlinear {}\n{}", self.line, self.stderr);
        self
    }

    /// The run succeeded and had nothing to say on standard error.
    #[track_caller]
    pub fn silent(self) -> ProgramRun {
        let ran = self.ok();
        assert_eq!(ran.stderr, "", "onlinear {}", ran.line);
        ran
    }

    /// The run failed in order, with this exit code and nothing on standard output; its message.
    #[track_caller]
    pub fn refused(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "onlinear {}\n{}{}", self.line, self.stdout, self.stderr);
        assert_eq!(self.stdout, "", "onlinear {}", self.line);
        let marked = self.stderr.starts_with("error: ");
        assert_eq!(marked, code == 2, "onlinear {}\n{}", self.line, self.stderr);
        assert!(!self.stderr.contains("panicked"), "onlinear {}\n{}", self.line, self.stderr);
        self.stderr
    }

    #[track_caller]
    pub fn json(self) -> Json {
        serde_json::from_str(&self.ok().stdout).unwrap()
    }
}
