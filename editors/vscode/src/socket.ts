// The socket file: its name, its safe creation in a folder that others may
// write to, and its removal. Knows nothing of what is said over it.

import { blake3 } from '@noble/hashes/blake3.js';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';

import { canonical } from './paths.js';

/** Where the `outrigger` command looks. Not `TMPDIR`: its own may be another one. */
export const DEFAULT_FOLDER = '/tmp';

// `sockaddr_un` has room for so many bytes and a final zero.
const MAX_PATH_BYTES = process.platform === 'darwin' ? 103 : 107;
const NAME = /^[0-9a-f]{64}-vscode-([0-9]+)\.sock$/;
const STICKY = 0o1000;
const WRITABLE_BY_OTHERS = 0o022;

/** A socket that is listening. */
export interface Listening {
  readonly file: string;
  /** Stops listening and removes the file, at once. */
  close: () => void;
}

/** Returns `<folder>/<64 hex digits of blake3(real path of root)>-vscode-<pid>.sock`. */
export function socketPath(folder: string, root: string, pid: number): string {
  const digest = blake3(Buffer.from(canonical(root), 'utf8'));
  return path.join(folder, `${Buffer.from(digest).toString('hex')}-vscode-${pid}.sock`);
}

/** Makes `server` listen at `file`, for this user alone. Rejects rather than take a risk. */
export async function listen(server: net.Server, file: string): Promise<Listening> {
  if (Buffer.byteLength(file) > MAX_PATH_BYTES) {
    throw new Error(`\`${file}\` is longer than ${MAX_PATH_BYTES} bytes`);
  }
  const folder = path.dirname(file);
  checkFolder(folder);
  checkReplaceable(file);
  // Bound in a private folder, made private itself, and only then given its
  // name: at no time can another user connect. (A umask would do as well, but it
  // holds for the whole process, and other extensions write files meanwhile.)
  // The rename replaces a symlink instead of following it.
  const aside = fs.mkdtempSync(path.join(folder, 'outrigger-'));
  try {
    const bound = path.join(aside, 's');
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(bound, () => {
        server.off('error', reject);
        resolve();
      });
    });
    fs.chmodSync(bound, 0o600);
    fs.renameSync(bound, file);
  } catch (error) {
    server.close();
    throw error;
  } finally {
    fs.rmSync(aside, { recursive: true, force: true });
  }
  const { ino } = fs.lstatSync(file, { bigint: true });
  return {
    file,
    close: () => {
      server.close();
      // Not what someone else has put there since.
      if (lstat(file)?.ino === ino) fs.rmSync(file, { force: true });
    },
  };
}

/**
 * Removes sockets that killed windows have left in `folder`: ours, of a process
 * that is gone, with nobody listening. Both are asked, because a process of
 * another container may share the folder but not the process table.
 */
export async function removeStale(folder: string): Promise<string[]> {
  const removed: string[] = [];
  for (const name of fs.readdirSync(folder)) {
    const pid = NAME.exec(name)?.[1];
    const file = path.join(folder, name);
    if (pid === undefined || isAlive(Number(pid)) || !isOurSocket(file)) continue;
    if (await isRefused(file)) {
      fs.rmSync(file, { force: true });
      removed.push(file);
    }
  }
  return removed;
}

/** In a folder where others can rename and remove, a socket could be swapped for theirs. */
function checkFolder(folder: string): void {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { mode, uid } = fs.statSync(folder);
  const isTrusted = uid === 0 || uid === process.getuid?.();
  const isShared = (mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0;
  if (!isTrusted || isShared) throw new Error(`other users can change what is in \`${folder}\``);
}

/** Our name carries our pid: a socket of ours under it is a dead process's. */
function checkReplaceable(file: string): void {
  if (lstat(file) && !isOurSocket(file)) {
    throw new Error(`\`${file}\` is in the way, and is not a socket of this user`);
  }
}

function isOurSocket(file: string): boolean {
  const found = lstat(file);
  return found?.isSocket() === true && Number(found.uid) === process.getuid?.();
}

function lstat(file: string): fs.BigIntStats | undefined {
  return fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function isRefused(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.connect(file);
    probe.once('connect', () => {
      probe.destroy();
      resolve(false);
    });
    probe.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'ECONNREFUSED');
    });
  });
}
