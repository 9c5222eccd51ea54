//! `onlinear serve` on loopback: the client shares the machine with it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use super::peers::{has, python};
use super::table::{Line, Target};
use super::{Bench, clock};

/// Connections of the client that sends one row at a time, and for how long it does.
const CONNECTIONS: &str = "64";
const SECONDS: &str = "5s";
/// Rows of a batch, and connections that send batches to learn from.
const BATCH: usize = 1000;
const WRITERS: usize = 8;
/// The rows are there so many times, so that a clock of 10 ms is fine enough; times are the least of so many turns.
const REPEATS: usize = 20;
const TURNS: usize = 3;

/// One row at a time, batches, and learning.
pub fn serve(bench: &Bench) -> Result<Vec<Line>> {
    let Some(rows) = rows()? else {
        return Ok(vec![Line::note("serve", "ONLINEAR_DATA names no folder with a9a.svm.gz")]);
    };
    let folder = tempfile::tempdir()?;
    let work = Work { program: &bench.program, folder: folder.path(), rows };
    work.write_files()?;
    let mut lines = work.one_by_one()?;
    lines.push(work.batches()?);
    lines.push(work.learning()?);
    Ok(lines)
}

/// a9a as LIBSVM text, a row a line, again and again.
fn rows() -> Result<Option<Vec<String>>> {
    let Some(path) = std::env::var_os("ONLINEAR_DATA").map(|folder| PathBuf::from(folder).join("a9a.svm.gz")) else {
        return Ok(None);
    };
    let Ok(file) = File::open(path) else { return Ok(None) };
    let rows = BufReader::new(flate2::read::MultiGzDecoder::new(file)).lines().collect::<std::io::Result<Vec<_>>>()?;
    Ok(Some(std::iter::repeat_n(rows, REPEATS).flatten().collect()))
}

/// A row as a line of JSON.
fn as_json(row: &str) -> Result<String> {
    let (label, features) = row.split_once(' ').context("a row without features")?;
    let pairs = features.split_whitespace().map(|pair| pair.split_once(':').context("a feature without a value"));
    let pairs = pairs.map(|pair| pair.map(|(index, value)| format!("\"{index}\":{value}")));
    let pairs = pairs.collect::<Result<Vec<_>>>()?.join(",");
    Ok(format!("{{\"label\":\"{label}\",\"features\":{{{pairs}}}}}"))
}

struct Work<'a> {
    program: &'a Path,
    folder: &'a Path,
    rows: Vec<String>,
}

impl Work<'_> {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn write_files(&self) -> Result<()> {
        fs::write(self.path("rows.svm"), self.rows.join("\n") + "\n")?;
        let json = self.rows.iter().map(|row| as_json(row)).collect::<Result<Vec<_>>>()?;
        fs::write(self.path("rows.jsonl"), json.join("\n") + "\n")?;
        let body = as_json(&self.rows[0])?;
        let script = format!(
            "wrk.method = 'POST'\nwrk.headers['Content-Type'] = 'application/x-ndjson'\nwrk.body = [==[{body}]==]\n"
        );
        fs::write(self.path("row.lua"), script)?;
        fs::write(self.path("peer.py"), PEER)?;
        self.run(&["learn", "averaged", "rows.svm", "--model", "model", "--quiet"]).map(|_| ())
    }

    /// The CPU time of a command of the program.
    fn run(&self, words: &[&str]) -> Result<f64> {
        let mut command = Command::new(self.program);
        Ok(clock::run(command.args(words).current_dir(self.folder).stdout(Stdio::null()).stderr(Stdio::null()))?.cpu)
    }

    fn start(&self, words: &[&str]) -> Result<Running> {
        let mut command = Command::new(self.program);
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(words);
        Running::start(command.current_dir(self.folder))
    }

    /// One row at a time, over many connections, by a client that nobody here wrote.
    fn one_by_one(&self) -> Result<Vec<Line>> {
        let name = "serve: one row a request";
        let server = self.start(&["model"])?;
        let Some((ours, latency)) = self.wrk(&server)? else {
            return Ok(vec![Line::note(name, "wrk is not installed")]);
        };
        drop(server);
        let measured = format!("{ours:.0} predictions/s over {CONNECTIONS} connections, 99 % within {latency:.1} ms");
        let mut lines = vec![
            Line::judged(name, measured, (ours / 1000.0, "k/s"), Target::AtLeast(20.0)),
            Line::judged("serve: 99 % within", "wrk --latency", (latency, "ms"), Target::AtMost(10.0)),
        ];
        let is_complete = |python: &PathBuf| ["fastapi", "uvicorn", "numpy"].iter().all(|name| has(python, name));
        let Some(python) = python()?.filter(is_complete) else {
            lines.push(Line::note("serve: against FastAPI", "FastAPI, uvicorn or NumPy is not installed"));
            return Ok(lines);
        };
        let weights =
            Command::new(self.program).args(["inspect", "model", "--weights"]).current_dir(self.folder).output()?;
        fs::write(self.path("weights.txt"), weights.stdout)?;
        let peer = Running::start(Command::new(python).arg("peer.py").current_dir(self.folder))?;
        let (theirs, slow) = self.wrk(&peer)?.context("wrk")?;
        let measured = format!("FastAPI {theirs:.0} predictions/s, 99 % within {slow:.1} ms; ours {ours:.0}");
        lines.push(Line::judged("serve: against FastAPI", measured, (ours / theirs, "×"), Target::AtLeast(10.0)));
        Ok(lines)
    }

    /// Requests a second, and the milliseconds within which 99 % of them were answered; none without `wrk`.
    fn wrk(&self, server: &Running) -> Result<Option<(f64, f64)>> {
        let mut command = Command::new("wrk");
        command.args(["-t1", "-c", CONNECTIONS, "-d", SECONDS, "--latency", "-s", "row.lua"]);
        let output = match command.arg(format!("http://{}/predict", server.address)).current_dir(self.folder).output() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            output => output?,
        };
        let text = String::from_utf8_lossy(&output.stdout);
        ensure!(!text.contains("Non-2xx"), "refused: {text}");
        let after = |mark: &str| text.lines().find_map(|line| Some(line.trim().strip_prefix(mark)?.trim().to_string()));
        let rate = after("Requests/sec:").and_then(|rate| rate.parse().ok()).context("no rate")?;
        let latency =
            after("99%").and_then(|time| milliseconds(&time)).with_context(|| format!("no latency: {text}"))?;
        Ok(Some((rate, latency)))
    }

    /// Batches of rows, against `predict` over the same rows.
    fn batches(&self) -> Result<Line> {
        let server = self.start(&["model"])?;
        let bodies: Vec<String> = self.rows.chunks(BATCH).map(|rows| rows.join("\n") + "\n").collect();
        let (mut ours, mut plain) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..TURNS {
            let before = server.cpu()?;
            let mut connection = Connection::new(&server.address)?;
            for body in &bodies {
                connection.post("/predict", "text/x-libsvm", body)?;
            }
            ours = ours.min(server.cpu()? - before);
            plain = plain.min(self.run(&["predict", "model", "rows.svm", "--json", "--quiet"])?);
        }
        let rate = |seconds: f64| self.rows.len() as f64 / seconds / 1e3;
        let measured = format!("{:.0} thousand rows/s of CPU, predict --json {:.0}", rate(ours), rate(plain));
        Ok(Line::judged("serve: batches of 1000", measured, (plain / ours, "×"), Target::AtLeast(0.7)))
    }

    /// Learning over several connections, against `learn` over the same rows.
    fn learning(&self) -> Result<Line> {
        let text = fs::read_to_string(self.path("rows.jsonl"))?;
        let lines: Vec<&str> = text.lines().collect();
        let bodies: Vec<String> = lines.chunks(BATCH).map(|lines| lines.join("\n") + "\n").collect();
        let (mut ours, mut plain) = (f64::INFINITY, f64::INFINITY);
        for turn in 0..TURNS {
            let store = format!("store-{turn}");
            let words = ["arow", "--labels", "-1,+1", "--learn", "--store", &store, "--sync", "10"];
            let server = self.start(&words)?;
            let before = server.cpu()?;
            thread::scope(|scope| {
                let writers: Vec<_> = (0..WRITERS)
                    .map(|writer| {
                        let (bodies, address) = (&bodies, &server.address);
                        scope.spawn(move || -> Result<()> {
                            let mut connection = Connection::new(address)?;
                            let mut own = bodies.iter().skip(writer).step_by(WRITERS);
                            own.try_for_each(|body| connection.post("/learn", "application/x-ndjson", body))
                        })
                    })
                    .collect();
                writers.into_iter().try_for_each(|writer| writer.join().expect("a writer does not panic"))
            })?;
            ours = ours.min(server.cpu()? - before);
            plain = plain.min(self.run(&["learn", "arow", "rows.jsonl", "--labels", "-1,+1", "--quiet"])?);
        }
        let each = |seconds: f64| 1e6 * seconds / lines.len() as f64;
        let measured = format!("{:.2} µs of CPU a row, learn {:.2}", each(ours), each(plain));
        Ok(Line::judged("serve: learning", measured, (ours / plain, "×"), Target::AtMost(2.0)))
    }
}

/// A time as `wrk` writes it.
fn milliseconds(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "us" => 1e-3,
        "ms" => 1.0,
        "s" => 1e3,
        _ => return None,
    };
    digits.parse::<f64>().ok().map(|number| number * unit)
}

/// A server, ended when it is dropped.
struct Running {
    child: Child,
    address: String,
}

impl Running {
    /// Starts a program that prints where it listens.
    fn start(command: &mut Command) -> Result<Running> {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("its output")?).read_line(&mut line)?;
        let address = line.trim().strip_prefix("listening on http://").map(String::from);
        match address {
            Some(address) => Ok(Running { child, address }),
            None => bail!("{command:?} says {line:?}"),
        }
    }

    /// The CPU time that it has taken, in seconds.
    fn cpu(&self) -> Result<f64> {
        let text = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
        let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
        Ok(ticks / 100.0) // the unit of /proc on every Linux that there is
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection over which requests go one after another.
struct Connection(BufReader<TcpStream>);

impl Connection {
    fn new(address: &str) -> Result<Connection> {
        Ok(Connection(BufReader::new(TcpStream::connect(address)?)))
    }

    fn post(&mut self, path: &str, kind: &str, body: &str) -> Result<()> {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        self.0.get_mut().write_all(head.as_bytes())?;
        self.0.get_mut().write_all(body.as_bytes())?;
        let (mut line, mut length, mut status) = (String::new(), 0, String::new());
        while self.0.read_line(&mut line)? > 2 {
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse()?;
            }
            if status.is_empty() {
                status = line.clone();
            }
            line.clear();
        }
        let mut answer = vec![0; length];
        self.0.read_exact(&mut answer)?;
        ensure!(status.contains(" 200 "), "{status}{}", String::from_utf8_lossy(&answer));
        Ok(())
    }
}

/// The same model behind FastAPI.
const PEER: &str = r#"
import json, socket
import numpy as np, uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

weights = np.zeros(1000)
for line in open("weights.txt"):
    name, weight = line.rsplit("\t", 1)
    weights[int(name)] = float(weight)
app = FastAPI()

@app.post("/predict")
async def predict(request: Request):
    features = json.loads(await request.body())["features"]
    score = float(sum(weights[int(name)] * value for name, value in features.items()))
    return JSONResponse({"label": "+1" if score >= 0 else "-1", "score": score})

listener = socket.create_server(("127.0.0.1", 0))
print("listening on http://127.0.0.1:%d" % listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False)).run(sockets=[listener])
"#;
