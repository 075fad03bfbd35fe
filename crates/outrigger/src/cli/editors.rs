//! `outrigger editors`: which editors can be asked, and what they hold unsaved.

use std::process::ExitCode;

use serde_json::{Value, json};

use crate::cli::output::{Paint, plain, print};
use crate::editors::{self, Answer, Buffer, Found, Question, Reply};
use crate::sys::deadline::Deadline;
use crate::sys::paths::{self, Dirs};

pub(super) const ABOUT: &str = "List the running editors and their unsaved files

Only editors that can be asked are listed. Vim and Emacs are protected by their swap files and \
lock links, and Neovim without a socket too; those are looked at when a file is about to be \
written.";

/// The arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Print what was found as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> ExitCode {
    let replies = replies(&Dirs::from_env());
    match args.json {
        true => {
            let rows: Vec<Value> = replies.iter().map(row).collect();
            print(&format!("{}\n", json!({"editors": rows})));
        }
        false if replies.is_empty() => print("no running editor was found\n"),
        false => replies.iter().for_each(|it| print(&paragraph(it))),
    }
    ExitCode::SUCCESS
}

/// Returns a paragraph for each running editor.
pub(super) fn paragraphs(dirs: &Dirs) -> Vec<String> {
    replies(dirs).iter().map(paragraph).collect()
}

fn replies(dirs: &Dirs) -> Vec<Reply> {
    let deadline = Deadline::after(editors::PATIENCE);
    editors::ask(editors::instances(dirs), &Question::Unsaved, deadline)
}

fn row(reply: &Reply) -> Value {
    let unsaved = unsaved(reply);
    let files = unsaved.iter().map(|it| json!({"path": it.path, "visible": it.is_visible}));
    json!({
        "editor": reply.instance.kind.name,
        "pid": reply.instance.pid,
        "socket": reply.instance.socket,
        "found": found(reply),
        "state": state(reply),
        "unsaved": files.collect::<Vec<_>>(),
    })
}

fn paragraph(reply: &Reply) -> String {
    let pid = reply.instance.pid.map(|it| format!(" (pid {it})")).unwrap_or_default();
    let name = Paint::for_stdout().bold(&format!("{}{pid}", reply.instance.kind.name));
    let state = match reply.said {
        Ok(_) => String::new(),
        Err(unknown) => format!("  {}\n", unknown.reason()),
    };
    let socket = plain(&reply.instance.socket.display().to_string());
    let folder = paths::process_dir();
    let files = unsaved(reply).into_iter().map(|it| {
        let path = it.path.strip_prefix(&folder).unwrap_or(&it.path).display().to_string();
        let place = if it.is_visible { "" } else { " (not on the screen)" };
        format!("  unsaved: {}{place}\n", plain(&path))
    });
    format!("{name}, found by {}: {socket}\n{state}{}", found(reply), files.collect::<String>())
}

fn unsaved(reply: &Reply) -> Vec<&Buffer> {
    match &reply.said {
        Ok(Answer::Unsaved(buffers)) => buffers.iter().collect(),
        _ => Vec::new(),
    }
}

fn found(reply: &Reply) -> &'static str {
    match (reply.instance.found, reply.instance.kind.name) {
        (Found::Around, _) => "$NVIM",
        (Found::OwnSocket, _) => "its own socket",
        (Found::OurSocket, "Neovim") => "outrigger nvim",
        (Found::OurSocket, _) => "our extension",
    }
}

fn state(reply: &Reply) -> &'static str {
    match reply.said {
        Ok(_) => "answers",
        Err(unknown) => unknown.reason(),
    }
}
