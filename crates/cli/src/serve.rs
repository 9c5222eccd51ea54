//! `onlinear serve`.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use onlinear::workshop::Practice;
use onlinear::{Error, Recipe};
use onlinear_serve::{Begin, FreshLearner, Options, Remember, Sync, WriterOptions, serve};

use crate::output;
use crate::rows::{CalibrationArguments, LearnerArguments};
use crate::values::{SPEC, bytes};

const SERVE_EXAMPLES: &str = "\
Examples:
  onlinear serve mail.onlinear                    a model that answers
  onlinear serve arow --learn --store mail --labels ham,spam --bias
  onlinear serve mail.onlinear --listen 0.0.0.0:8571 --token-file token

  curl -H 'Content-Type: application/x-ndjson' http://127.0.0.1:8571/learn \\
    -d '{\"label\": \"spam\", \"features\": {\"free\": 1, \"from\": \"unknown\"}}'
  curl -H 'Content-Type: application/x-ndjson' http://127.0.0.1:8571/predict \\
    -d '{\"features\": {\"free\": 1}}'

Started again with the same store, it goes on where it was. What was learned is what one pass over the log leaves: \
onlinear learn SPEC STORE/log/*.jsonl. SIGTERM saves and ends, SIGHUP loads a served model again.";

#[derive(Args)]
#[command(after_help = SERVE_EXAMPLES)]
pub struct ServeArguments {
    /// A model file; or a learner, for example arow or passive-aggressive:c=0.1, which learns from nothing
    #[arg(value_name = "MODEL|SPEC", value_parser = SPEC, hide_possible_values = true)]
    pub begin: String,

    /// The address to listen on; port 0 means any that is free. Beyond this machine a token is required
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8571", value_parser = address)]
    pub listen: SocketAddr,

    /// Learn from the rows that /learn and /label get
    #[arg(long, requires = "store")]
    pub learn: bool,

    /// The folder in which what is learned is kept
    #[arg(long, value_name = "DIR", requires = "learn")]
    pub store: Option<PathBuf>,

    /// Let files of the log go that are in a snapshot
    #[arg(long, requires = "store")]
    pub drop_log: bool,

    /// When rows are written to disk for good, which their answers wait for: at once, or together with those of the
    /// next MS milliseconds
    #[arg(long, value_name = "always|MS", default_value = "always", value_parser = sync)]
    pub sync: Sync,

    /// Predictions know all but at most the last N rows learned, and mostly all
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub publish_every: u64,

    /// Save a snapshot after every N rows, so that a start has less of the log to go through
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub snapshot_every: u64,

    /// How long rows of /predict?remember wait for their labels: until N more have come, or a time such as 90s or 24h
    #[arg(long, value_name = "N|DURATION", default_value = "100000", value_parser = remember)]
    pub remember: Remember,

    /// A file that holds the token that requests must bear [the environment's ONLINEAR_TOKEN]
    #[arg(long, value_name = "F")]
    pub token_file: Option<PathBuf>,

    /// Refuse requests with a longer body, such as 500k or 16M
    #[arg(long, value_name = "BYTES", default_value = "16M", value_parser = bytes)]
    pub max_body: u64,

    #[command(flatten)]
    pub learner: LearnerArguments,

    #[command(flatten)]
    pub calibration: CalibrationArguments,
}

pub fn run(arguments: &ServeArguments) -> anyhow::Result<()> {
    let options = Options {
        listen: arguments.listen,
        begin: arguments.begin()?,
        learning: arguments.store.clone().map(|folder| (folder, arguments.writer_options())),
        token: token(arguments.token_file.as_deref())?,
        max_body: usize::try_from(arguments.max_body).unwrap_or(usize::MAX),
    };
    Ok(serve(options, listening, |line| output::say(line))?)
}

fn listening(address: SocketAddr) {
    // Nobody has to be there who reads it.
    let _ = output::text(&format!("listening on http://{address}\n"));
}

impl ServeArguments {
    /// What the server begins with.
    fn begin(&self) -> onlinear::Result<Begin> {
        let path = Path::new(&self.begin);
        if path.is_file() {
            let calibrate = self.calibration.calibrate.map(|_| "--calibrate");
            return match self.learner.remembered().or(calibrate) {
                Some(flag) => Err(Error::usage(format!("{flag} does not go with a model, which remembers it"))),
                None => Ok(Begin::Model(path.to_path_buf())),
            };
        }
        let fresh = self.learner.fresh(&self.begin, Practice::default()).map_err(|error| match error {
            Error::Usage(message) => Error::usage(message.and("; and there is no model file of this name")),
            other => other,
        })?;
        if !self.learn {
            let message = format!("{} has learned nothing yet: add --learn --store DIR", self.begin);
            return Err(Error::usage(message));
        }
        let recipe = Recipe { calibrate: self.calibration.calibrate, ..fresh };
        let (labels, read) = (self.learner.label_choice(), self.learner.read_options());
        Ok(Begin::Fresh(FreshLearner { recipe, labels, read }.into()))
    }

    fn writer_options(&self) -> WriterOptions {
        WriterOptions {
            sync: self.sync,
            publish_every: self.publish_every,
            snapshot_every: self.snapshot_every,
            drop_log: self.drop_log,
            remember: self.remember,
            max_memory: self.learner.max_memory(),
        }
    }
}

/// The token of a file, or of the environment.
fn token(file: Option<&Path>) -> onlinear::Result<Option<String>> {
    let (given, name) = match file {
        Some(path) => {
            (Some(std::fs::read_to_string(path).map_err(|reason| output::failed(path, reason))?), "--token-file")
        }
        None => (std::env::var("ONLINEAR_TOKEN").ok(), "ONLINEAR_TOKEN"),
    };
    let Some(token) = given.map(|given| given.trim().to_string()) else { return Ok(None) };
    match token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Err(Error::usage(format!("{name}: expected a token of visible ASCII characters"))),
        false => Ok(Some(token)),
    }
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let found = text.to_socket_addrs().ok().and_then(|mut all| all.next());
    found.ok_or_else(|| "expected an address and a port, such as 127.0.0.1:8571".to_string())
}

fn sync(text: &str) -> Result<Sync, String> {
    match (text, text.parse::<u64>()) {
        ("always", _) => Ok(Sync::Always),
        (_, Ok(milliseconds)) if milliseconds <= 60_000 => Ok(Sync::Every(Duration::from_millis(milliseconds))),
        _ => Err("expected always, or milliseconds up to 60000".to_string()),
    }
}

fn remember(text: &str) -> Result<Remember, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let seconds = match &text[digits.len()..] {
        "" => None,
        "s" => Some(1),
        "m" => Some(60),
        "h" => Some(3600),
        "d" => Some(86_400),
        _ => return Err("expected a number of rows, or a time such as 90s, 30m, 24h or 7d".to_string()),
    };
    match (digits.parse::<u64>(), seconds) {
        (Ok(rows @ 1..), None) => Ok(Remember::Rows(rows)),
        (Ok(count @ 1..), Some(unit)) => Ok(Remember::For(Duration::from_secs(count.saturating_mul(unit)))),
        _ => Err("expected a whole number from 1 on, of rows or with s, m, h or d behind it".to_string()),
    }
}
