//! Sockets that are not what they seem: foreign, linked, mute, stale, lying.
//! They cost little and decide nothing.

use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rmpv::Value;
use serde_json::json;

use super::desk::Desk;

/// Returns a name that `outrigger nvim` would give a socket.
fn name(n_socket: usize) -> String {
    format!("{}-{n_socket}.sock", "0f".repeat(32))
}

/// Listens, and plays this part with everybody who calls.
fn play(socket: &Path, part: impl Fn(UnixStream) + Send + 'static) {
    let listener = UnixListener::bind(socket).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            part(stream.unwrap());
        }
    });
}

/// A Neovim that says it holds unsaved changes of the file.
fn unsaved_neovim(socket: &Path, file: PathBuf) {
    play(socket, move |mut stream| {
        let _ = stream.read(&mut [0; 1 << 16]);
        let row = vec![file.to_str().unwrap().into(), true.into()];
        let rows = Value::Array(vec![Value::Array(row)]);
        for (id, result) in [(1, Value::Map(Vec::new())), (2, rows)] {
            let reply = Value::Array(vec![1.into(), id.into(), Value::Nil, result]);
            let _ = rmpv::encode::write_value(&mut stream, &reply);
        }
    });
}

fn is_denied(desk: &Desk) -> bool {
    let input = json!({"file_path": desk.path("a.txt"), "content": "x"});
    desk.before("Write", input).refused.is_some()
}

#[test]
fn an_honest_socket_is_believed() {
    let desk = Desk::new();
    unsaved_neovim(&desk.below("tmp").join(name(1)), desk.path("a.txt"));
    assert!(is_denied(&desk));
}

#[test]
fn a_socket_of_another_user_is_not() {
    let desk = Desk::new();
    let socket = desk.below("tmp").join(name(1));
    unsaved_neovim(&socket, desk.path("a.txt"));
    // Only the superuser can give a socket away; for the others there is a unit
    // test of the same rule.
    if rustix::process::getuid().is_root() {
        chown(&socket, Some(65_534), None).unwrap();
        assert!(!is_denied(&desk));
        chown(&socket, Some(0), None).unwrap();
    }
    assert!(is_denied(&desk));
}

#[test]
fn a_linked_socket_is_not() {
    let desk = Desk::new();
    let socket = desk.below("elsewhere.sock");
    unsaved_neovim(&socket, desk.path("a.txt"));
    symlink(&socket, desk.below("tmp").join(name(1))).unwrap();
    assert!(!is_denied(&desk));
}

#[test]
fn a_folder_in_which_others_can_exchange_it_is_not_looked_at() {
    let desk = Desk::new();
    let folder = desk.below("tmp");
    unsaved_neovim(&folder.join(name(1)), desk.path("a.txt"));
    for (mode, expected) in [(0o777, false), (0o1777, true), (0o775, false), (0o700, true)] {
        fs::set_permissions(&folder, Permissions::from_mode(mode)).unwrap();
        assert_eq!(is_denied(&desk), expected, "{mode:o}");
    }
}

#[test]
fn a_linked_temporary_folder_is_looked_at() {
    let desk = Desk::new();
    fs::rename(desk.below("tmp"), desk.below("real-tmp")).unwrap();
    symlink(desk.below("real-tmp"), desk.below("tmp")).unwrap();
    unsaved_neovim(&desk.below("tmp").join(name(1)), desk.path("a.txt"));
    assert!(is_denied(&desk));
}

/// Whatever the part, the hook passes, and takes at most 250 ms longer than
/// without anybody to ask.
#[track_caller]
fn assert_harmless(part: impl Fn(UnixStream) + Send + 'static) {
    let desk = Desk::new();
    let quickest = || {
        let time = |_| {
            let started = Instant::now();
            assert!(!is_denied(&desk));
            started.elapsed()
        };
        (0..3).map(time).min().unwrap()
    };
    let alone = quickest();
    play(&desk.below("tmp").join(name(1)), part);
    let beside = quickest();
    assert!(beside < alone + Duration::from_millis(250), "{beside:?} against {alone:?}");
}

#[test]
fn a_mute_socket() {
    let kept = std::sync::Mutex::new(Vec::new());
    assert_harmless(move |stream| kept.lock().unwrap().push(stream));
}

#[test]
fn a_socket_that_hangs_up() {
    assert_harmless(drop);
}

#[test]
fn a_socket_that_answers_garbage() {
    for garbage in [&b"\xc1\xc1\xc1"[..], b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x00", b"\x93"] {
        assert_harmless(move |mut stream| {
            let _ = stream.write_all(garbage);
        });
    }
}

#[test]
fn a_socket_that_does_not_stop_talking() {
    // Without an end: a list, a text, noise, an answer to the question.
    for (head, filler) in [
        (&b"\xdd\xff\xff\xff\xff"[..], 0xc0),
        (b"\xdb\xff\xff\xff\xff", b'x'),
        (b"", 0x93),
        (b"\x94\x01\x02\xc0\xdd\xff\xff\xff\xff", 0xc0),
        (b"\x94\x01\x02\xc0\xdb\xff\xff\xff\xff", b'x'),
    ] {
        assert_harmless(move |mut stream| {
            let _ = stream.write_all(head);
            let chunk = vec![filler; 1 << 20];
            for _ in 0..50 {
                if stream.write_all(&chunk).is_err() {
                    return;
                }
            }
        });
    }
}

#[test]
fn a_socket_that_talks_byte_by_byte() {
    assert_harmless(|mut stream| {
        let mut n_sent = 0;
        let _ = stream.write_all(b"\x94\x01\x02\xc0\xdd\xff\xff\xff\xff");
        while n_sent < 1 << 20 && stream.write_all(b"\xc0").is_ok() {
            n_sent += 1;
        }
    });
}

#[test]
fn fifty_stale_sockets() {
    let desk = Desk::new();
    for n_socket in 0..50 {
        drop(UnixListener::bind(desk.below("tmp").join(name(n_socket))).unwrap());
    }
    let time = |_| {
        let started = Instant::now();
        assert!(!is_denied(&desk));
        started.elapsed()
    };
    let quickest = (0..5).map(time).min().unwrap();
    assert!(quickest < Duration::from_millis(100), "{quickest:?}");
}
