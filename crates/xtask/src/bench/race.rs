//! Whole programs beside each other on one job: everyone the least of as many turns, in turns.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::clock::{self, Usage};
use super::release;
use super::table::{Line, Target};

/// Who runs in a race.
pub struct Contestant {
    pub name: String,
    work: Process,
}

enum Process {
    /// A program from its start to its end.
    Program(Box<dyn Fn() -> Command>),
    /// A program that tells by itself, in a last line `wall cpu`, how long the job took: what comes before, such as the
    /// import of its packages, does not count.
    Script(Box<dyn Fn() -> Command>),
}

impl Contestant {
    /// A program.
    pub fn program(name: impl Into<String>, command: impl Fn() -> Command + 'static) -> Contestant {
        Contestant { name: name.into(), work: Process::Program(Box::new(command)) }
    }

    /// Python code that ends with a call of `timed(work)`, which it need not define; its arguments are in
    /// `sys.argv[1:]`.
    pub fn script(name: impl Into<String>, python: &Path, code: &str, arguments: &[&Path]) -> Contestant {
        let (python, code) = (python.to_path_buf(), format!("{TIMED}{code}"));
        let arguments: Vec<_> = arguments.iter().map(|argument| argument.to_path_buf()).collect();
        let command = move || {
            let mut command = Command::new(&python);
            command.args(["-c", &code]).args(&arguments);
            command
        };
        Contestant { name: name.into(), work: Process::Script(Box::new(command)) }
    }

    /// One of our own jobs in this program: `bench --child NAME ARGUMENT…`.
    pub fn child(name: impl Into<String>, job: &'static str, argument: &Path) -> Result<Contestant> {
        let (own, argument) = (release("xtask")?, argument.to_path_buf());
        Ok(Contestant::program(name, move || {
            let mut command = Command::new(&own);
            command.args(["bench", "--child", job]).arg(&argument);
            command
        }))
    }

    fn turn(&self) -> Result<Usage> {
        match &self.work {
            Process::Program(command) => clock::run(command().stdout(Stdio::null()).stderr(Stdio::null())),
            Process::Script(command) => {
                let told = tempfile::NamedTempFile::new()?;
                let usage = clock::run(command().stdout(told.reopen()?).stderr(Stdio::null()))?;
                let text = std::fs::read_to_string(told.path())?;
                let last = text.lines().last().unwrap_or_default();
                let times: Vec<f64> = last.split_whitespace().filter_map(|number| number.parse().ok()).collect();
                let [wall, cpu] = times[..].try_into().ok().with_context(|| format!("'{last}' is no time"))?;
                Ok(Usage { wall, cpu, ..usage })
            }
        }
    }
}

/// What stands before the code of a script.
const TIMED: &str = "
import sys, time
def timed(work):
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    print(time.perf_counter() - wall, time.process_time() - cpu)
";

/// What a race is judged by.
#[derive(Clone, Copy)]
pub enum Judge {
    /// The time by the wall of the best of the others over ours.
    Wall,
    /// Their CPU time over ours.
    Cpu,
}

/// Runs a race, the first contestant against the best of the others; a job done alone is there to compare with.
pub fn race(name: &str, turns: usize, judge: Judge, target: Target, contestants: &[Contestant]) -> Result<Line> {
    ensure!(!contestants.is_empty(), "nobody runs in the race '{name}'");
    let mut least: Vec<Option<Usage>> = vec![None; contestants.len()];
    for _ in 0..turns {
        for (least, contestant) in least.iter_mut().zip(contestants) {
            let turn = contestant.turn().with_context(|| format!("{}: {}", name, contestant.name))?;
            *least = Some(least.map_or(turn, |least| smaller(least, turn)));
        }
    }
    let usages: Vec<Usage> = least.into_iter().flatten().collect();
    let told: Vec<String> = contestants.iter().zip(&usages).map(|(who, usage)| told(&who.name, usage)).collect();
    let time = |usage: &Usage| match judge {
        Judge::Wall => usage.wall,
        Judge::Cpu => usage.cpu,
    };
    let best = usages[1..].iter().map(time).min_by(f64::total_cmp);
    Ok(match best {
        Some(best) => Line::judged(name, told.join("; "), (best / time(&usages[0]), "×"), target),
        None => Line::note(name, told.join("; ")),
    })
}

fn smaller(a: Usage, b: Usage) -> Usage {
    let peak_memory = a.peak_memory.min(b.peak_memory);
    Usage { wall: a.wall.min(b.wall), cpu: a.cpu.min(b.cpu), peak_memory }
}

/// Wall, CPU and memory in a few words.
fn told(name: &str, usage: &Usage) -> String {
    let Usage { wall, cpu, peak_memory } = usage;
    format!("{name} {wall:.3} s, {cpu:.3} CPU, {:.0} MB", *peak_memory as f64 / 1e6)
}
