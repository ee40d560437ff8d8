//! Starts threads. If a system or a container allows no more threads, the error says what to do. (`std::thread::spawn`
//! would panic.)

use std::fmt::Display;
use std::io;
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

use crate::setting::Setting;

/// Starts a thread with this name.
///
/// # Errors
/// If the system starts no more threads.
pub fn spawn<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    Builder::new().name(name.to_owned()).spawn(work).map_err(none_left)
}

/// Starts a thread that ends before `scope`.
///
/// # Errors
/// If the system starts no more threads.
pub fn spawn_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    Builder::new().spawn_scoped(scope, work).map_err(none_left)
}

/// The error if the system starts no more threads, with the system's message.
pub fn none_left(error: impl Display) -> io::Error {
    io::Error::other(format!(
        "no thread can be started ({error}): give fewer {}, or allow more processes (ulimit -u, or the limit of the \
         container)",
        Setting::Threads
    ))
}
