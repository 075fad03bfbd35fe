//! Talks to many editors at once over their sockets, on one thread.
//!
//! Every instance is sent the question before any answer is waited for, so that
//! a hung one costs the others nothing, and all of them together no more than
//! the deadline.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Mutex;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::sockopt::socket_peercred;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect, socket};

use crate::editors::{Answer, Decoded, Instance, Question, Reply, Unknown};
use crate::sys::deadline::Deadline;
use crate::sys::process::{Process, State};

/// An editor that sends more than this is not listened to any longer. A
/// thousand unsaved files would fit.
const MAX_ANSWER: usize = 128 << 10;

/// Within this, an editor that is well has nearly always answered.
const MOMENT: Duration = Duration::from_millis(5);

/// One conversation that has not ended yet.
struct Conversation {
    instance: Instance,
    stream: UnixStream,
    to_send: Vec<u8>,
    received: Vec<u8>,
    outcome: Option<Result<Answer, Unknown>>,
}

/// Asks every instance the same question. An instance that is gone, or that
/// belongs to somebody else, is left out of the replies.
pub(super) fn ask(instances: Vec<Instance>, question: &Question, deadline: Deadline) -> Vec<Reply> {
    let mut conversations: Vec<Conversation> = Vec::new();
    for instance in instances {
        if let Some(mut conversation) = Conversation::begin(instance, question) {
            // At once: an editor that is still busy accepting us finds the
            // question when it is done, and wakes once instead of twice.
            conversation.send();
            conversations.push(conversation);
        }
    }
    let mut has_probed = false;
    while conversations.iter().any(|it| it.outcome.is_none()) {
        let wait = if has_probed { deadline } else { deadline.at_most(MOMENT) };
        let ready = await_any(&conversations, wait);
        for idx in &ready {
            conversations[*idx].send();
            conversations[*idx].receive(question, deadline);
        }
        if deadline.has_passed() {
            break;
        }
        if ready.is_empty() && !has_probed {
            has_probed = true;
            conversations
                .iter_mut()
                .filter(|it| it.outcome.is_none())
                .for_each(Conversation::probe);
        }
    }
    let (replies, lines) = conversations
        .into_iter()
        .map(|it| {
            let said = it.outcome.unwrap_or(Err(Unknown::Silent));
            (Reply { said, instance: it.instance }, it.stream)
        })
        .unzip();
    hang_up_later(lines);
    replies
}

/// Keeps the lines open until the next question, or until the process ends.
///
/// Every line that is closed wakes its editor, which then takes our place on the
/// processor; five of them cost a hook more than all it has to say. When the
/// process ends, the system closes them at nobody's cost.
fn hang_up_later(lines: Vec<UnixStream>) {
    static OPEN: Mutex<Vec<UnixStream>> = Mutex::new(Vec::new());
    if let Ok(mut open) = OPEN.lock() {
        *open = lines;
    }
}

/// Waits until some of them can go on, and returns which; none when the time is
/// up.
fn await_any(conversations: &[Conversation], deadline: Deadline) -> Vec<usize> {
    let pending = conversations.iter().enumerate().filter(|it| it.1.outcome.is_none());
    let (places, mut polled): (Vec<usize>, Vec<PollFd<'_>>) = pending
        .map(|(idx, it)| {
            let wants = match it.to_send.is_empty() {
                true => PollFlags::IN,
                false => PollFlags::IN | PollFlags::OUT,
            };
            (idx, PollFd::from_borrowed_fd(it.stream.as_fd(), wants))
        })
        .unzip();
    let Ok(left) = Timespec::try_from(deadline.remaining()) else { return Vec::new() };
    match poll(&mut polled, Some(&left)) {
        Ok(_) => {
            let is_ready = |it: &PollFd<'_>| !it.revents().is_empty();
            places.into_iter().zip(&polled).filter(|it| is_ready(it.1)).map(|it| it.0).collect()
        }
        Err(_) => Vec::new(),
    }
}

impl Conversation {
    fn begin(mut instance: Instance, question: &Question) -> Option<Self> {
        let address = SocketAddrUnix::new(&instance.socket).ok()?;
        let stream = socket(AddressFamily::UNIX, SocketType::STREAM, None).ok()?;
        let stream = UnixStream::from(stream);
        stream.set_nonblocking(true).ok()?;
        let outcome = match connect(&stream, &address) {
            Ok(()) => {
                let peer = socket_peercred(&stream).ok()?;
                if peer.uid != rustix::process::getuid() {
                    return None;
                }
                instance.pid = Some(peer.pid.as_raw_nonzero().get().unsigned_abs());
                None
            }
            // The queue of a hung editor is full: somebody is there.
            Err(Errno::AGAIN | Errno::INPROGRESS) => Some(Err(Unknown::Silent)),
            Err(_) => return None,
        };
        let to_send = (instance.kind.encode)(question);
        Some(Self { instance, stream, to_send, received: Vec::new(), outcome })
    }

    fn send(&mut self) {
        while !self.to_send.is_empty() && self.outcome.is_none() {
            match self.stream.write(&self.to_send) {
                Ok(n_sent) => drop(self.to_send.drain(..n_sent)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => self.outcome = Some(Err(Unknown::Silent)),
            }
        }
    }

    /// It has not answered at once. One that was stopped, as by ctrl-Z, need not
    /// be waited for; the others are asked whether they can answer at all.
    fn probe(&mut self) {
        let process = self.instance.pid.and_then(Process::of);
        if process.is_some_and(|it| it.state == State::Suspended) {
            self.outcome = Some(Err(Unknown::Silent));
            return;
        }
        self.to_send.extend_from_slice(&(self.instance.kind.probe)());
        self.send();
    }

    /// Reads what has arrived. Whether it is a whole answer is looked at only
    /// when there is no more, or when it has doubled: reading it anew with every
    /// piece would let a talkative peer keep us busy past the deadline.
    fn receive(&mut self, question: &Question, deadline: Deadline) {
        let mut chunk = [0; 16 << 10];
        let mut n_looked_at = self.received.len();
        while self.outcome.is_none() {
            match self.stream.read(&mut chunk) {
                Ok(0) => {
                    self.understand(question);
                    self.outcome.get_or_insert(Err(Unknown::Silent));
                }
                Ok(n_read) => {
                    self.received.extend_from_slice(&chunk[..n_read]);
                    if self.received.len() > 2 * n_looked_at.max(chunk.len()) {
                        n_looked_at = self.received.len();
                        self.understand(question);
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if self.received.len() > n_looked_at {
                        self.understand(question);
                    }
                    return;
                }
                Err(_) => self.outcome = Some(Err(Unknown::Silent)),
            }
            // Only now: what had arrived in time is not thrown away because we
            // were late to look.
            if deadline.has_passed() {
                return;
            }
        }
    }

    fn understand(&mut self, question: &Question) {
        if self.received.len() > MAX_ANSWER {
            self.outcome = Some(Err(Unknown::Strange));
            return;
        }
        self.outcome = match (self.instance.kind.decode)(question, &self.received) {
            Decoded::Answer(answer) => Some(Ok(answer)),
            Decoded::Unknown(unknown) => Some(Err(unknown)),
            Decoded::Incomplete => None,
        };
    }
}
