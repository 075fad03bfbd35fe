//! The guard of unsaved work through the hook, with a swap file as the sign.
//! Real editors are in `editors/`.

use std::process::{Child, Command};

use serde_json::json;

use crate::world::World;

/// A process that goes by the name of Vim, for its swap file to point to.
struct Vim {
    _folder: tempfile::TempDir,
    process: Child,
}

impl Vim {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("vim");
        std::fs::copy("/bin/sleep", &program).unwrap();
        let process = Command::new(program).arg("1000").spawn().unwrap();
        Self { _folder: folder, process }
    }

    /// Marks a file of the world as being edited by this process.
    fn edit(&self, world: &World, name: &str) {
        let mut header = vec![0; 4096];
        header[..2].copy_from_slice(b"b0");
        header[24..28].copy_from_slice(&self.process.id().to_le_bytes());
        let path = world.path(name);
        let path = path.to_str().unwrap().as_bytes();
        header[108..108 + path.len()].copy_from_slice(path);
        header[1007] = 0x55;
        world.put(&format!(".{name}.swp"), header);
    }
}

impl Drop for Vim {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_write_of_a_file_that_is_being_edited_is_refused() {
    let (world, vim) = (World::new(), Vim::start());
    world.put("a.txt", "mine\n");
    world.put("b.txt", "mine\n");
    vim.edit(&world, "a.txt");
    let answer = world.before("Write", world.write_input("a.txt", "theirs\n"));
    let refused = answer.refused.unwrap();
    let pid = vim.process.id();
    let expected =
        format!("`{}` has unsaved changes in Vim (pid {pid})", world.path("a.txt").display());
    assert!(refused.starts_with(&expected), "{refused}");
    let shown = format!("outrigger kept the agent from writing a.txt (unsaved in Vim (pid {pid}))");
    assert_eq!(answer.message, Some(shown));
    world.before("Write", world.write_input("b.txt", "theirs\n")).assert_silent();
    drop(vim);
    world.before("Write", world.write_input("a.txt", "theirs\n")).assert_silent();
}

#[test]
fn a_command_that_writes_such_a_file_is_refused() {
    let (world, vim) = (World::new(), Vim::start());
    world.put("a.txt", "mine\n");
    vim.edit(&world, "a.txt");
    for (command, is_refused) in [
        ("echo theirs > a.txt", true),
        ("sed -i s/mine/theirs/ ./a.txt", true),
        ("cd .. && cd project && rm a.txt", true),
        ("cat > b.txt <<'E'\n> a.txt\nE", false),
        ("cp a.txt b.txt", false),
        ("cp b.txt a.txt", true),
        ("python3 - <<'E'\nopen('a.txt', 'w').write('x')\nE", true),
        ("grep '>' a.txt 2>&1", false),
        ("cat a.txt | tee -a b.txt", false),
        ("bash -c 'tee a.txt < b.txt'", true),
    ] {
        let answer = world.before("Bash", json!({"command": command}));
        assert_eq!(answer.refused.is_some(), is_refused, "{command}");
    }
}
