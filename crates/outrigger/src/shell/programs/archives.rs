//! Programs that pack and unpack.

use crate::shell::How;
use crate::shell::field::{Field, Stream};
use crate::shell::programs::Program;
use crate::shell::programs::options::{Options, Spec};
use crate::shell::walk::{Call, Walk};

pub(crate) const PROGRAMS: &[Program] = &[
    Program { names: &["tar", "gtar", "bsdtar"], run: tar },
    Program { names: &["unzip"], run: unzip },
    Program { names: &["zip"], run: zip },
    Program { names: &["gzip", "bzip2", "xz", "zstd"], run: compress },
    Program { names: &["gunzip", "bunzip2", "unxz", "unzstd"], run: uncompress },
    Program { names: &["7z", "7za", "7zz"], run: seven_zip },
    Program { names: &["cpio", "pax"], run: cpio },
];

fn here() -> Field {
    Field::of(".")
}

fn tar(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let spec = Spec {
        valued: "fCTXbIHgNV",
        attached: "",
        long: &["file", "directory", "files-from", "exclude", "exclude-from", "transform"],
    };
    // `tar xzf a.tgz`: the first word may lack its dash.
    let mut args = call.args.to_vec();
    if let Some(Field::Text(first)) = args.first_mut()
        && !first.starts_with('-')
    {
        first.insert(0, '-');
    }
    let options = Options::new(&args, spec);
    let archive = options.value(&["-f", "--file"]);
    if options.has(&["-x", "--extract", "--get"]) {
        let prints = options.has(&["-O", "--to-stdout"]);
        let dir = options.value(&["-C", "--directory"]).cloned().unwrap_or_else(here);
        if !prints {
            walk.tree(How::Unpack, &dir);
        }
    } else if options.has(&["-c", "--create", "-r", "--append", "-u", "--update"]) {
        match archive {
            Some(field) if field.text() != Some("-") => walk.file(How::Write, field),
            _ => {}
        }
    }
    if options.has(&["--remove-files"]) {
        options.operands.iter().for_each(|it| walk.tree(How::Delete, it));
    }
    Stream::Unknown
}

fn unzip(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let options = Options::new(call.args, Spec { valued: "dxP", ..Spec::default() });
    if !options.has(&["-l", "-t", "-p", "-c", "-v", "-z", "-Z"]) {
        walk.tree(How::Unpack, &options.value(&["-d"]).cloned().unwrap_or_else(here));
    }
    Stream::Unknown
}

fn zip(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let options = Options::new(call.args, Spec { valued: "xibntP", ..Spec::default() });
    if let Some(archive) = options.operands.first().filter(|it| it.text() != Some("-")) {
        walk.file(How::Write, archive);
    }
    if options.has(&["-m"]) {
        options.operands.iter().skip(1).for_each(|it| walk.tree(How::Delete, it));
    }
    Stream::Unknown
}

const COMPRESSING: Spec = Spec { valued: "SoT", attached: "", long: &["suffix"] };

fn compress(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let options = Options::new(call.args, COMPRESSING);
    if options.has(&["-d", "--decompress", "--uncompress"]) {
        return uncompress(walk, call);
    }
    if options.has(&["-c", "--stdout", "-t", "-l"]) {
        return Stream::Unknown;
    }
    let ending = match call.name {
        "gzip" => ".gz",
        "bzip2" => ".bz2",
        "xz" => ".xz",
        _ => ".zst",
    };
    for field in &options.operands {
        walk.file(How::Write, &Field::joined(&[field.clone(), Field::of(ending)]));
        if !options.has(&["-k", "--keep"]) && call.name != "zstd" {
            walk.file(How::Delete, field);
        }
    }
    Stream::Unknown
}

fn uncompress(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let options = Options::new(call.args, COMPRESSING);
    if options.has(&["-c", "--stdout", "-t", "-l"]) {
        return Stream::Unknown;
    }
    for field in &options.operands {
        match field.text().and_then(|it| it.rsplit_once('.')) {
            Some((stem, _ending)) => walk.file(How::Write, &Field::of(stem)),
            None => walk.unreadable(),
        }
        if !options.has(&["-k", "--keep"]) && !call.name.contains("zstd") {
            walk.file(How::Delete, field);
        }
    }
    Stream::Unknown
}

fn seven_zip(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let options = Options::new(call.args, Spec { attached: "opt", ..Spec::default() });
    match options.operands.first().and_then(Field::text) {
        Some("x" | "e") => {
            walk.tree(How::Unpack, &options.value(&["-o"]).cloned().unwrap_or_else(here));
        }
        Some("a" | "u" | "d") => {
            options.operands.get(1).into_iter().for_each(|it| walk.file(How::Write, it));
        }
        _ => {}
    }
    Stream::Unknown
}

fn cpio(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let options = Options::new(call.args, Spec { valued: "FIODEHC", ..Spec::default() });
    if options.has(&["-i", "-p", "-r", "--extract"]) {
        walk.tree(How::Unpack, &here());
    }
    if let Some(field) = options.value(&["-O", "-F"]) {
        walk.file(How::Write, field);
    }
    Stream::Unknown
}
