//! A connection whose client has to take what it is sent.

use std::future::Future;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream that is given up where nothing can be written to it for too long: who asks and never reads the answer would
/// hold his connection, and the answer, for ever.
pub(crate) struct TimedStream<S> {
    stream: S,
    patience: Duration,
    /// Since a write has had to wait.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S: AsyncWrite + Unpin> TimedStream<S> {
    pub(crate) fn new(stream: S, patience: Duration) -> TimedStream<S> {
        TimedStream { stream, patience, waiting: None }
    }

    /// What `write` comes to, or that it has taken too long.
    fn in_time<T>(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut S>, &mut Context<'_>) -> Poll<Result<T>>,
    ) -> Poll<Result<T>> {
        let written = write(Pin::new(&mut self.stream), context);
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let patience = self.patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(patience)));
        waiting.as_mut().poll(context).map(|()| Err(Error::from(ErrorKind::TimedOut)))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedStream<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        self.in_time(context, |stream, context| stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        self.in_time(context, |stream, context| stream.poll_write_vectored(context, bytes))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        self.in_time(context, |stream, context| stream.poll_flush(context))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        self.in_time(context, |stream, context| stream.poll_shutdown(context))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use tokio::net::{TcpListener, TcpStream};

    #[test]
    fn a_client_that_takes_nothing_is_given_up_and_one_that_does_is_not() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = TimedStream::new(stream, Duration::from_millis(50));
            let written = async |stream: &mut TimedStream<TcpStream>| {
                poll_fn(|context| Pin::new(&mut *stream).poll_write(context, &[0; 1 << 16])).await
            };
            let error = loop {
                if let Err(error) = written(&mut stream).await {
                    break error;
                }
            };
            assert_eq!(error.kind(), ErrorKind::TimedOut);
            // Once it reads there is room again, however long it took.
            let (mut taken, mut tries) = (vec![0; 1 << 20], 0);
            loop {
                while client.try_read(&mut taken).is_ok_and(|read| read > 0) {}
                sleep(Duration::from_millis(10)).await;
                stream.waiting = None;
                if written(&mut stream).await.is_ok() {
                    break;
                }
                tries += 1;
                assert!(tries < 100, "there is never room again");
            }
        });
    }
}
