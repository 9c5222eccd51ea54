//! A server that runs, and a client that was written for nothing but these tests.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::folder::{Folder, PROGRAM};

pub const JSON_LINES: &str = "application/x-ndjson";

/// A server, killed when it is dropped.
pub struct Running {
    child: Child,
    pub address: String,
}

/// What a server answers.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    #[track_caller]
    pub fn ok(self) -> Answer {
        assert_eq!(self.status, 200, "{}", self.text());
        self
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// One object per line.
    #[track_caller]
    pub fn lines(&self) -> Vec<Json> {
        self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[track_caller]
    pub fn refused(self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.text());
        let told: Json = serde_json::from_slice(&self.body).unwrap();
        told["error"].as_str().unwrap().to_string()
    }
}

impl Running {
    /// Starts `onlinear serve` with these words on a port that is free, and waits until it listens.
    pub fn start(folder: &Folder, words: &str) -> Running {
        Running::start_in(folder, words, &[])
    }

    pub fn start_in(folder: &Folder, words: &str, environment: &[(&str, &str)]) -> Running {
        let mut command = Command::new(PROGRAM);
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(words.split_whitespace());
        Running::spawn(folder, command.envs(environment.iter().copied()))
    }

    /// Starts a command that ends up as a server.
    pub fn spawn(folder: &Folder, command: &mut Command) -> Running {
        let said = File::options().create(true).append(true).open(folder.path("said")).unwrap();
        command.current_dir(folder.path("")).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(said);
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").map(String::from);
        let address = address.unwrap_or_else(|| panic!("it says {line:?}: {}", folder.text("said")));
        Running { child, address }
    }

    pub fn post(&self, path: &str, kind: &str, body: impl AsRef<[u8]>) -> Answer {
        self.ask("POST", path, &[("Content-Type", kind)], body.as_ref()).unwrap()
    }

    /// Rows as JSON lines.
    pub fn rows(&self, path: &str, body: impl AsRef<[u8]>) -> Answer {
        self.post(path, JSON_LINES, body)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], b"").unwrap()
    }

    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> std::io::Result<Answer> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        let host = &self.address;
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head += &format!("Host: {host}\r\n");
        }
        headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
        stream.write_all(head.as_bytes())?;
        stream.write_all(b"\r\n")?;
        let sent = stream.write_all(body); // it may answer before it has read everything
        let mut all = Vec::new();
        stream.read_to_end(&mut all)?;
        let Some(end) = all.windows(4).position(|four| four == b"\r\n\r\n") else {
            return Err(sent.err().unwrap_or(std::io::ErrorKind::UnexpectedEof.into()));
        };
        let head = String::from_utf8_lossy(&all[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
        let body = all[end + 4..].to_vec();
        let length =
            head.to_lowercase().split("content-length: ").nth(1).map(|it| it.lines().next().unwrap().to_string());
        match length.is_some_and(|length| length.trim().parse() != Ok(body.len())) {
            true => Err(std::io::ErrorKind::UnexpectedEof.into()),
            false => Ok(Answer { status, head, body }),
        }
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn signal(&self, signal: &str) {
        let sent = Command::new("kill").arg(format!("-{signal}")).arg(self.child.id().to_string()).status().unwrap();
        assert!(sent.success());
    }

    /// Asks it to end, and waits until it has; its exit code.
    pub fn end(mut self) -> Option<i32> {
        self.signal("TERM");
        self.child.wait().unwrap().code()
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that is kept for one request after another.
pub struct Connection {
    stream: BufReader<TcpStream>,
    line: String,
}

impl Connection {
    pub fn to(server: &Running) -> Connection {
        let stream = TcpStream::connect(&server.address).unwrap();
        stream.set_nodelay(true).unwrap();
        Connection { stream: BufReader::new(stream), line: String::new() }
    }

    /// Sends rows as JSON lines; the status and the body of the answer.
    pub fn rows(&mut self, path: &str, body: &str) -> (u16, String) {
        let length = body.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {JSON_LINES}\r\nContent-Length: \
             {length}\r\n\r\n{body}"
        );
        self.stream.get_mut().write_all(request.as_bytes()).unwrap();
        let (mut status, mut length) = (0, 0);
        loop {
            self.line.clear();
            self.stream.read_line(&mut self.line).unwrap();
            let line = self.line.trim_end();
            if line.is_empty() {
                break;
            } else if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
                status = rest[..3].parse().unwrap();
            } else if let Some((_, value)) = line.split_once("content-length: ") {
                length = value.parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        (status, String::from_utf8(body).unwrap())
    }
}

/// Waits for what happens beside the answers.
#[track_caller]
pub fn wait_until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(30), "it never was");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The files of a store's log, in order.
pub fn log_files(folder: &Folder) -> Vec<String> {
    files_of(folder, "store/log")
}

/// What is in a folder of the folder, in order.
pub fn files_of(folder: &Folder, name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path(name)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| format!("{name}/{}", entry.unwrap().file_name().into_string().unwrap())).collect();
    names.sort();
    names
}

/// All lines of the log.
pub fn log_lines(folder: &Folder) -> Vec<String> {
    log_files(folder).iter().flat_map(|file| folder.text(file).lines().map(String::from).collect::<Vec<_>>()).collect()
}

/// The model that the server gives out is, to the bit, what `learn` makes of the log.
#[track_caller]
pub fn require_same_as_learn(folder: &Folder, server: &Running, learner: &str) {
    folder.write("served", server.get("/model").ok().body);
    folder.run(&format!("learn {learner} {} --model learned", log_files(folder).join(" "))).ok();
    let (served, learned) = (folder.read("served"), folder.read("learned"));
    if served != learned {
        let [served, learned] = ["served", "learned"].map(|name| folder.run(&format!("inspect {name} --json")).stdout);
        panic!("{learner}: the server's model is another than that of the log\n{served}{learned}");
    }
}

/// Numbers that look random.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From 0 to 1.
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A row with names, some of them new, whose label mostly follows from them.
    pub fn row(&mut self, id: Option<&str>) -> String {
        let (a, b) = (self.share() - 0.5, self.share() - 0.5);
        let label = u8::from(a + 2.0 * b + 0.2 * (self.share() - 0.5) > 0.0);
        let word = self.next() % 400;
        let id = id.map(|id| format!("\"id\":\"{id}\",")).unwrap_or_default();
        format!("{{{id}\"label\":{label},\"features\":{{\"a\":{a},\"b\":{b},\"city\":\"c{word}\",\"w{word}\":0.1}}}}\n")
    }
}
