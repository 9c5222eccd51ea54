//! A server that runs: its connections, its signals, its end.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use axum::http::{StatusCode, header};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use onlinear::{Error, Model, Result};
use serde_json::Value as Json;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};

use crate::begin::Begin;
use crate::edition::{Edition, Published};
use crate::http::router;
use crate::job::{Job, Reply, WriterOptions};
use crate::metrics::Metrics;
use crate::refusal::Refusal;
use crate::store::{Remember, Store};
use crate::stream::TimedStream;
use crate::writer::Writer;

/// So many connections are open at a time; others wait to be accepted.
const MOST_CONNECTIONS: usize = 1024;
/// A connection on which no request begins within this time is closed.
const TIME_TO_ASK: Duration = Duration::from_secs(30);
/// Requests under way have so long to be answered when the server ends.
const TIME_TO_END: Duration = Duration::from_secs(5);
/// The largest weights of a model that learns are looked for again after this time.
const WEIGHTS_LAST: Duration = Duration::from_secs(3);
/// An answer of which nothing is taken for so long is not sent any further.
const TIME_TO_TAKE: Duration = Duration::from_secs(30);
/// All bodies together may take so many bytes, or one of them all that it may be long.
const BODIES: usize = 512 << 20;
/// Room for bodies is counted in units of so many bytes.
const UNIT: usize = 1 << 10;

/// What a server is to do.
pub struct Options {
    /// Where it listens; port 0 means any that is free.
    pub listen: SocketAddr,
    /// What it begins with.
    pub begin: Begin,
    /// Where it keeps what it learns, and how; without, it does not learn.
    pub learning: Option<(PathBuf, WriterOptions)>,
    /// What clients have to show; none only where nobody else can reach the server.
    pub token: Option<String>,
    /// The longest body of a request, in bytes.
    pub max_body: usize,
}

/// What requests share.
pub(crate) struct Server {
    pub(crate) published: Arc<Published>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) token: Option<String>,
    pub(crate) max_body: usize,
    /// How long rows wait for their labels, where the server learns.
    pub(crate) remember: Option<Remember>,
    /// The model file, where the server does not learn.
    pub(crate) file: RwLock<Arc<[u8]>>,
    pub(crate) begun: Instant,
    jobs: Option<Sender<Job>>,
    bodies: Arc<Semaphore>,
    is_ending: AtomicBool,
    /// The largest weights, and when they were looked for.
    weights: Mutex<Option<(Instant, Json)>>,
}

/// Serves until it is told to end. `listening` is told where, once all that was learned before is there again; `say` is
/// told what somebody should know.
pub fn serve(options: Options, listening: fn(SocketAddr), say: fn(&str)) -> Result<()> {
    if options.token.is_none() && !options.listen.ip().is_loopback() {
        let token = "a token, from a file or the environment's ONLINEAR_TOKEN";
        let message = format!("{} can be reached from other machines, which needs {token}", options.listen);
        return Err(Error::usage(message));
    }
    let model = match &options.begin {
        Begin::Model(path) => Some(path.clone()),
        Begin::Fresh(_) => None,
    };
    let Options { listen, begin, learning, token, max_body } = options;
    let (writer, jobs, published, metrics, file, remember) = match learning {
        Some((folder, options)) => {
            let (sender, jobs) = mpsc::channel();
            begin.check(options.max_memory)?;
            let writer = Writer::open(Store::open(&folder)?, begin, options, sender.clone(), say)?;
            let (published, metrics) = (writer.published(), writer.metrics());
            (Some((writer, jobs)), Some(sender), published, metrics, Arc::default(), Some(options.remember))
        }
        None => {
            let Some(path) = &model else {
                return Err(Error::usage("a learner that has learned nothing can only be served where it learns"));
            };
            let (edition, file) = load(path)?;
            (None, None, Arc::new(Published::new(edition)), Arc::new(Metrics::new(0, 0)), file, None)
        }
    };
    let server = Arc::new(Server {
        published,
        metrics,
        token,
        max_body,
        remember,
        file: RwLock::new(file),
        begun: Instant::now(),
        jobs,
        bodies: Arc::new(Semaphore::new((BODIES.max(max_body) / UNIT + 2).min(Semaphore::MAX_PERMITS))),
        is_ending: AtomicBool::new(false),
        weights: Mutex::new(None),
    });
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|reason| failed(listen, reason))?;
    let writing = writer.map(|(writer, jobs)| thread::spawn(move || run(writer, &jobs)));
    let served = runtime.block_on(server.listen(listen, model.as_deref(), writing.as_ref(), listening, say));
    if let Some(jobs) = &server.jobs {
        let _ = jobs.send(Job::Stop);
    }
    let written = writing.map_or(Ok(()), |writing| {
        writing.join().unwrap_or_else(|_| Err(Error::data("store", "the writer has failed")))
    });
    served.and(written)
}

fn run(writer: Writer, jobs: &Receiver<Job>) -> Result<()> {
    writer.run(jobs)
}

fn failed(listen: SocketAddr, reason: std::io::Error) -> Error {
    Error::Io { file: listen.to_string(), reason }
}

/// A model from its file, and the file.
fn load(path: &Path) -> Result<(Edition, Arc<[u8]>)> {
    let mut model = Model::load(path)?;
    let file = model.to_bytes()?;
    Ok((Edition::of(&mut model, 0)?, file.into()))
}

impl Server {
    /// Whether it learns.
    pub(crate) fn learns(&self) -> bool {
        self.jobs.is_some()
    }

    pub(crate) fn require_learning(&self) -> std::result::Result<(), Refusal> {
        let message = "this server does not learn: it was not started to";
        self.learns().then_some(()).ok_or_else(|| Refusal::new(StatusCode::CONFLICT, message))
    }

    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    /// Asks the writer and waits for its answer.
    pub(crate) async fn ask<T>(&self, job: impl FnOnce(Reply<T>) -> Job) -> std::result::Result<T, Refusal> {
        let (reply, answer) = oneshot::channel();
        let jobs = self.jobs.as_ref().ok_or_else(Refusal::ending)?;
        jobs.send(job(reply)).map_err(|_| Refusal::ending())?;
        answer.await.map_err(|_| Refusal::ending())?
    }

    /// Room for a body of so many bytes besides the units that it has, free again when what is given is dropped. Nobody
    /// waits for it: those who have some and want more could wait for each other.
    pub(crate) fn room_for(&self, bytes: usize, has: usize) -> std::result::Result<OwnedSemaphorePermit, Refusal> {
        let units = u32::try_from(bytes.div_ceil(UNIT).saturating_sub(has)).unwrap_or(u32::MAX);
        self.bodies.clone().try_acquire_many_owned(units).map_err(|_| {
            let message = "the bodies of all requests together take all the memory that there is for them; ask again";
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message).with(header::RETRY_AFTER, "1")
        })
    }

    /// The largest weights, which are not looked for again and again.
    pub(crate) fn largest_weights(&self, edition: &Edition, find: fn(&Edition) -> Json) -> Json {
        let mut known = self.weights.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((found, weights)) if edition.since < *found || found.elapsed() < WEIGHTS_LAST => weights.clone(),
            _ => {
                let weights = find(edition);
                *known = Some((Instant::now(), weights.clone()));
                weights
            }
        }
    }

    async fn listen(
        self: &Arc<Server>,
        listen: SocketAddr,
        model: Option<&Path>,
        writing: Option<&JoinHandle<Result<()>>>,
        listening: fn(SocketAddr),
        say: fn(&str),
    ) -> Result<()> {
        let mut signals = Signals::new().map_err(|reason| failed(listen, reason))?;
        let listener = TcpListener::bind(listen).await.map_err(|reason| failed(listen, reason))?;
        listening(listener.local_addr().map_err(|reason| failed(listen, reason))?);
        let connections = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        let (end, ended) = watch::channel(());
        let mut seconds = tokio::time::interval(Duration::from_secs(1));
        let (mut learned, mut predicted) = (self.metrics.progress().learned, 0);
        loop {
            tokio::select! {
                accepted = accept(&listener, &connections) => {
                    // One that was closed before it was accepted, or too many open files: others may do better.
                    match accepted {
                        Ok((stream, permit)) => {
                            tokio::spawn(connection(self.clone(), stream, permit, ended.clone()));
                        }
                        Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
                    }
                }
                signal = signals.next() => match signal {
                    Signal::End => break,
                    Signal::Reload => self.reload(model, say),
                },
                _ = seconds.tick() => {
                    let mut progress = self.metrics.progress();
                    let (now, of_all) = (progress.learned, self.metrics.predicted.load(Ordering::Relaxed));
                    progress.tick(self.begun.elapsed().as_secs(), now - learned, of_all - predicted);
                    (learned, predicted) = (now, of_all);
                    drop(progress);
                    // It ends by itself only where it has failed, and then nothing is learned any more.
                    if writing.is_some_and(JoinHandle::is_finished) {
                        break;
                    }
                }
            }
        }
        self.is_ending.store(true, Ordering::Relaxed);
        drop(listener);
        drop(ended);
        let _ = end.send(());
        if let Some(jobs) = &self.jobs {
            let _ = jobs.send(Job::Hurry);
        }
        let _ = tokio::time::timeout(TIME_TO_END, end.closed()).await;
        Ok(())
    }

    /// Serves the model as its file is now.
    fn reload(&self, path: Option<&Path>, say: fn(&str)) {
        match path.filter(|_| !self.learns()).map(load) {
            Some(Ok((edition, file))) => {
                self.published.publish(edition);
                *self.file.write().unwrap_or_else(PoisonError::into_inner) = file;
                say("the model was loaded again");
            }
            Some(Err(error)) => say(&format!("{error}; the model is served as it was")),
            None => say("a server that learns has its model from its store: nothing was loaded"),
        }
    }
}

async fn accept(
    listener: &TcpListener,
    connections: &Arc<Semaphore>,
) -> std::io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let permit = connections.clone().acquire_owned().await.map_err(std::io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, permit))
}

/// The requests of one connection, one after another.
async fn connection(
    server: Arc<Server>,
    stream: TcpStream,
    _permit: OwnedSemaphorePermit,
    mut ended: watch::Receiver<()>,
) {
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router(server));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(TIME_TO_ASK);
    let stream = TokioIo::new(TimedStream::new(stream, TIME_TO_TAKE));
    let mut serving = std::pin::pin!(http.serve_connection(stream, service));
    tokio::select! {
        _ = serving.as_mut() => {}
        _ = ended.changed() => {
            serving.as_mut().graceful_shutdown();
            let _ = serving.await;
        }
    }
}

/// What the system tells a server.
enum Signal {
    End,
    Reload,
}

/// Where signals come from; beyond Unix there is Ctrl-C alone.
struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.terminate.recv() => Signal::End,
            _ = self.interrupt.recv() => Signal::End,
            _ = self.hang_up.recv() => Signal::Reload,
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        Ok(Signals {})
    }

    async fn next(&mut self) -> Signal {
        let _ = tokio::signal::ctrl_c().await;
        Signal::End
    }
}
