//! Programs that fetch something into a file.

use crate::shell::How;
use crate::shell::field::{Field, Stream};
use crate::shell::glob;
use crate::shell::programs::Program;
use crate::shell::programs::options::{Options, Spec};
use crate::shell::walk::{Call, Walk};

pub(crate) const PROGRAMS: &[Program] = &[
    Program { names: &["curl"], run: curl },
    Program { names: &["wget"], run: wget },
    Program { names: &["scp"], run: scp },
];

/// Returns the name that a download gets from its address.
fn name_of(address: &Field) -> Field {
    // `?` in an address is a wildcard to the shell, which finds no such file.
    let Some(text) = address.pattern().map(|it| glob::unescape(&it)) else { return Field::Unknown };
    let text = text.split(['?', '#']).next().unwrap_or(&text);
    let path = text.split_once("://").map_or(text, |it| it.1);
    match path.rsplit_once('/') {
        Some((_, name)) if !name.is_empty() => Field::of(name),
        _ => Field::Unknown,
    }
}

fn curl(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let spec = Spec {
        valued: "AbcCdDeEFhHKmoPQrtTuUwxXyYz",
        attached: "",
        long: &[
            "output",
            "output-dir",
            "header",
            "data",
            "data-raw",
            "data-binary",
            "data-urlencode",
            "request",
            "url",
            "user",
            "user-agent",
            "max-time",
            "retry",
            "cookie",
            "cookie-jar",
            "dump-header",
            "form",
            "connect-timeout",
            "write-out",
            "proxy",
            "referer",
            "cacert",
        ],
    };
    let options = Options::new(call.args, spec);
    let dir = options.value(&["--output-dir"]).cloned();
    let below = |name: &Field| dir.as_ref().map_or_else(|| name.clone(), |dir| dir.child(name));
    for field in options.values(&["-o", "--output"]).filter(|it| it.text() != Some("-")) {
        walk.file(How::Write, &below(field));
    }
    for field in options.values(&["-c", "--cookie-jar", "-D", "--dump-header"]) {
        if field.text() != Some("-") {
            walk.file(How::Write, field);
        }
    }
    if options.has(&["-O", "--remote-name", "--remote-name-all"]) {
        // With `-J` the server chooses the name.
        if options.has(&["-J", "--remote-header-name"]) {
            walk.unreadable();
        }
        for address in options.operands.iter().chain(options.values(&["--url"])) {
            walk.file(How::Write, &below(&name_of(address)));
        }
    }
    Stream::Unknown
}

fn wget(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let spec = Spec {
        valued: "aoOPiteTUwQlARDIX",
        attached: "",
        long: &[
            "output-document",
            "output-file",
            "directory-prefix",
            "header",
            "user-agent",
            "timeout",
            "tries",
        ],
    };
    let options = Options::new(call.args, spec);
    if let Some(log) = options.value(&["-o", "--output-file"]) {
        walk.file(How::Write, log);
    }
    if options.has(&["--spider"]) {
        return Stream::Unknown;
    }
    if let Some(field) = options.value(&["-O", "--output-document"]) {
        if field.text() != Some("-") {
            walk.file(How::Write, field);
        }
        return Stream::Unknown;
    }
    let dir = options.value(&["-P", "--directory-prefix"]).cloned();
    let dir = dir.unwrap_or_else(|| Field::of("."));
    if options.has(&["-r", "--recursive", "-m", "--mirror", "-i", "-p"]) {
        walk.tree(How::Write, &dir);
        return Stream::Unknown;
    }
    for address in &options.operands {
        walk.file(How::Write, &dir.child(&name_of(address)));
    }
    Stream::Unknown
}

fn scp(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let mut options = Options::new(call.args, Spec { valued: "cFiJloPSDX", ..Spec::default() });
    let Some(to) = options.operands.pop() else { return Stream::Unknown };
    // `host:path` is on another machine.
    if to.text().is_some_and(|it| it.split('/').next().is_some_and(|it| it.contains(':'))) {
        return Stream::Unknown;
    }
    for from in &options.operands {
        let name = from.text().map(|it| it.rsplit_once(':').map_or(it, |it| it.1));
        walk.file_or_entry(How::Write, &to, &name.map_or(Field::Unknown, Field::of));
    }
    Stream::Unknown
}
