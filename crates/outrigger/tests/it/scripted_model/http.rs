//! As much of HTTP/1.1 as agents' clients use: connections that stay open,
//! bodies with a length or in chunks, answers in one piece or as an event
//! stream. Knows nothing of models.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// Far more than an agent sends; a bound all the same.
const MAX_BODY: usize = 256 << 20;

/// One request. The query is cut off the path.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

/// One answer.
#[derive(Debug)]
pub(super) enum Response {
    Json { status: u16, body: Value },
    Events(Vec<ServerEvent>),
}

/// One message of an event stream.
#[derive(Debug)]
pub(super) struct ServerEvent {
    /// Its name, in protocols that give it one.
    pub(super) name: Option<String>,
    pub(super) data: Value,
}

/// Answers requests until the other side closes the connection.
pub(super) fn serve(
    connection: &TcpStream,
    mut answer: impl FnMut(&Request) -> Response,
) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut reader = BufReader::new(connection);
    while let Some((request, stays_open)) = read_request(&mut reader, connection)? {
        let is_head = request.method == "HEAD";
        write_response(connection, &answer(&request), is_head)?;
        if !stays_open {
            break;
        }
    }
    Ok(())
}

fn read_request(
    reader: &mut impl BufRead,
    mut writer: impl Write,
) -> io::Result<Option<(Request, bool)>> {
    let Some(first) = read_line(reader)? else { return Ok(None) };
    let mut words = first.split(' ');
    let (Some(method), Some(target)) = (words.next(), words.next()) else {
        return Err(ErrorKind::InvalidData.into());
    };
    let path = target.split('?').next().unwrap_or(target).to_owned();
    let method = method.to_owned();
    let (mut length, mut is_chunked, mut stays_open, mut asks_first) = (0, false, true, false);
    loop {
        let line = read_line(reader)?.ok_or(ErrorKind::UnexpectedEof)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or(ErrorKind::InvalidData)?;
        let value = value.trim().to_ascii_lowercase();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().map_err(|_| ErrorKind::InvalidData)?,
            "transfer-encoding" => is_chunked = value.ends_with("chunked"),
            "connection" => stays_open = value != "close",
            "expect" => asks_first = value == "100-continue",
            _ => {}
        }
    }
    if asks_first {
        writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let mut body = Vec::new();
    if is_chunked {
        read_chunks(reader, &mut body)?;
    } else {
        read_exactly(reader, length, &mut body)?;
    }
    Ok(Some((Request { method, path, body }, stays_open)))
}

fn read_chunks(reader: &mut impl BufRead, body: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let line = read_line(reader)?.ok_or(ErrorKind::UnexpectedEof)?;
        let size = line.split(';').next().unwrap_or("").trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| ErrorKind::InvalidData)?;
        if size == 0 {
            break;
        }
        read_exactly(reader, size, body)?;
        read_line(reader)?;
    }
    // Trailers, if any, end with an empty line.
    while read_line(reader)?.is_some_and(|it| !it.is_empty()) {}
    Ok(())
}

fn read_exactly(reader: &mut impl BufRead, n_bytes: usize, body: &mut Vec<u8>) -> io::Result<()> {
    if n_bytes > MAX_BODY - body.len() {
        return Err(ErrorKind::FileTooLarge.into());
    }
    match reader.take(n_bytes as u64).read_to_end(body)? {
        n_read if n_read == n_bytes => Ok(()),
        _ => Err(ErrorKind::UnexpectedEof.into()),
    }
}

/// Returns a line without its end, or nothing if the connection was closed.
fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
}

fn write_response(mut writer: impl Write, response: &Response, is_head: bool) -> io::Result<()> {
    let mut out = Vec::new();
    match response {
        Response::Json { status, body } => {
            let body = body.to_string();
            write!(out, "HTTP/1.1 {status} scripted\r\ncontent-type: application/json\r\n")?;
            write!(out, "content-length: {}\r\n\r\n", body.len())?;
            if !is_head {
                out.extend_from_slice(body.as_bytes());
            }
        }
        Response::Events(events) => {
            write!(out, "HTTP/1.1 200 scripted\r\ncontent-type: text/event-stream\r\n")?;
            write!(out, "cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n")?;
            for event in events {
                let name = event.name.as_ref().map(|it| format!("event: {it}\n"));
                let message = format!("{}data: {}\n\n", name.unwrap_or_default(), event.data);
                write!(out, "{:x}\r\n{message}\r\n", message.len())?;
            }
            write!(out, "0\r\n\r\n")?;
        }
    }
    writer.write_all(&out)?;
    writer.flush()
}
