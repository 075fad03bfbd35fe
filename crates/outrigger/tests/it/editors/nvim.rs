//! A real Neovim and the line to it, for tests: started, driven over RPC, and
//! killed at the end.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rmpv::Value;

use super::desk::{Desk, program, until, until_or};
use super::pty::{Running, Terminal};

/// Returns the oldest and the newest Neovim that must work.
pub(crate) fn versions() -> [PathBuf; 2] {
    ["OUTRIGGER_DEV_NVIM_07", "OUTRIGGER_DEV_NVIM_011"].map(program)
}

/// Runs a test with each of them, at a fresh desk.
pub(crate) fn with_each(test: impl Fn(&Desk, &Path)) {
    for version in versions() {
        test(&Desk::new(), &version);
    }
}

pub(crate) struct Nvim {
    process: Running,
    /// The process that holds the buffers.
    pub(crate) pid: u32,
    pub(crate) socket: PathBuf,
    line: UnixStream,
    last_id: u64,
}

/// What a Neovim is started with.
pub(crate) struct Start<'a> {
    pub(crate) program: &'a Path,
    pub(crate) folder: PathBuf,
    pub(crate) args: Vec<String>,
}

impl<'a> Start<'a> {
    /// Without a configuration, in the project.
    pub(crate) fn new(desk: &Desk, program: &'a Path, args: &[&str]) -> Self {
        let args = args.iter().map(|it| (*it).to_owned()).collect();
        Self { program, folder: desk.path(""), args }
    }

    pub(crate) fn in_folder(mut self, folder: PathBuf) -> Self {
        self.folder = folder;
        self
    }

    pub(crate) fn go(self, desk: &Desk) -> Nvim {
        let card = card(desk);
        let mut command = desk.command(self.program, &self.folder);
        command.args(["--clean", "--headless", "--cmd", &hand_in(&card)]).args(&self.args);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = Running::start(&mut command);
        let (pid, socket) = read_card(&card);
        Nvim { process, pid, line: connect(&socket), socket, last_id: 0 }
    }

    /// Starts it in a terminal; returns it with the pid and socket of the
    /// process that holds the buffers.
    pub(crate) fn go_in_terminal(self, desk: &Desk) -> (Terminal, u32, PathBuf) {
        let card = card(desk);
        let cmd = hand_in(&card);
        let mut args = vec!["--clean", "--cmd", &cmd];
        args.extend(self.args.iter().map(String::as_str));
        let terminal = Terminal::start(desk, self.program, &self.folder, &args);
        let (pid, socket) = read_card(&card);
        (terminal, pid, socket)
    }
}

/// Where an instance tells who it is.
fn card(desk: &Desk) -> PathBuf {
    let mut n_cards = 0;
    loop {
        let card = desk.below(&format!("card-{n_cards}"));
        if !card.exists() {
            fs::write(&card, "").unwrap();
            return card;
        }
        n_cards += 1;
    }
}

fn hand_in(card: &Path) -> String {
    format!("autocmd VimEnter * call writefile([getpid(), v:servername, ''], '{}')", card.display())
}

#[track_caller]
fn read_card(card: &Path) -> (u32, PathBuf) {
    until("Neovim to start", || {
        let text = fs::read_to_string(card).ok()?;
        let mut lines = text.lines();
        let (pid, socket) = (lines.next()?, lines.next()?);
        text.ends_with("\n\n").then(|| (pid.parse().unwrap(), PathBuf::from(socket)))
    })
}

fn connect(socket: &Path) -> UnixStream {
    let line = until("Neovim's socket", || UnixStream::connect(socket).ok());
    line.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    line
}

impl Nvim {
    /// Starts one in the project, without a configuration.
    pub(crate) fn start(desk: &Desk, program: &Path, args: &[&str]) -> Self {
        Start::new(desk, program, args).go(desk)
    }

    /// Calls an API function.
    #[track_caller]
    pub(crate) fn call(&mut self, method: &str, args: Vec<Value>) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        let call = vec![0.into(), id.into(), method.into(), Value::Array(args)];
        rmpv::encode::write_value(&mut self.line, &Value::Array(call)).unwrap();
        loop {
            let message = rmpv::decode::read_value(&mut self.line).unwrap();
            let parts = message.as_array().unwrap();
            if parts[0].as_u64() == Some(1) && parts[1].as_u64() == Some(id) {
                assert!(parts[2].is_nil(), "{method}: {}", parts[2]);
                return parts[3].clone();
            }
        }
    }

    #[track_caller]
    pub(crate) fn ex(&mut self, command: &str) {
        self.call("nvim_command", vec![command.into()]);
    }

    #[track_caller]
    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        self.call("nvim_eval", vec![expression.into()])
    }

    #[track_caller]
    pub(crate) fn eval_text(&mut self, expression: &str) -> String {
        self.eval(expression).as_str().unwrap().to_owned()
    }

    /// Types keys, and does not wait for what they do.
    #[track_caller]
    pub(crate) fn keys(&mut self, keys: &str) {
        self.call("nvim_input", vec![keys.into()]);
    }

    /// Returns the mode, and whether it waits for a key and nothing else.
    #[track_caller]
    pub(crate) fn mode(&mut self) -> (String, bool) {
        let mode = self.call("nvim_get_mode", Vec::new());
        let entries: BTreeMap<&str, &Value> =
            mode.as_map().unwrap().iter().map(|(key, it)| (key.as_str().unwrap(), it)).collect();
        (entries["mode"].as_str().unwrap().to_owned(), entries["blocking"].as_bool().unwrap())
    }

    /// Types keys, and waits until that has led to this mode.
    #[track_caller]
    pub(crate) fn keys_to_mode(&mut self, keys: &str, mode: &str) {
        self.keys(keys);
        let is_now = std::cell::RefCell::new(String::new());
        until_or(
            || {
                is_now.replace(self.mode().0);
                (*is_now.borrow() == mode).then_some(())
            },
            || format!("waited in vain for mode {mode}, it is {}", is_now.borrow()),
        );
    }

    /// Somebody looks at it: from now on it can show prompts.
    pub(crate) fn attach_screen(&mut self) {
        let size = [80.into(), 24.into(), Value::Map(Vec::new())];
        self.call("nvim_ui_attach", size.to_vec());
    }

    /// Puts a line before the first one of the current buffer.
    #[track_caller]
    pub(crate) fn type_a_line(&mut self) {
        self.ex("call append(0, 'typed by a human')");
        assert_eq!(self.eval("&modified").as_u64(), Some(1));
    }

    /// Returns the lines of the current buffer.
    #[track_caller]
    pub(crate) fn text(&mut self) -> String {
        self.eval_text(r#"join(getline(1, '$'), "\n")"#) + "\n"
    }

    pub(crate) fn stop(&self) {
        self.process.stop();
    }

    pub(crate) fn crash(&self) {
        self.process.crash();
    }

    pub(crate) fn bury(&mut self) {
        self.process.bury();
    }
}
