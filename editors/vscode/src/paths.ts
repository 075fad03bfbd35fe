// Paths that can be compared: symlinks followed, also for files that do not
// exist yet. Knows the file system, nothing of editors or sockets.

import * as fs from 'node:fs';
import * as path from 'node:path';

/** One file, however its path is spelled. */
export interface FileId {
  /** The path with every symlink followed. */
  readonly real: string;
  /** Device and inode, `undefined` for what does not exist. */
  readonly inode: string | undefined;
}

// The kernel gives up after 40 links as well.
const MAX_LINKS = 40;

/** Returns what identifies the file at `file`, which must be absolute. */
export function fileId(file: string): FileId {
  const real = canonical(file);
  return { real, inode: inode(real) };
}

/**
 * Says whether both are one file: the same path, or the same inode. The inode
 * covers other spellings on case-insensitive volumes, bind mounts, and hard
 * links, where writing to one name changes what the other shows.
 */
export function isSameFile(a: FileId, b: FileId): boolean {
  if (a.real === b.real) return true;
  if (a.inode !== undefined || b.inode !== undefined) return a.inode === b.inode;
  // Neither exists: on a case-insensitive volume the spelling may still differ.
  return a.real.toLowerCase() === b.real.toLowerCase() && ignoresCase(path.dirname(a.real));
}

/**
 * Returns `file` with all symlinks followed, as far as it exists; what does not
 * exist yet is kept as it is written. A dangling link leads to its target,
 * because that is the file a write through it would create.
 */
export function canonical(file: string, nLinks = 0): string {
  const absolute = path.resolve(file);
  try {
    return fs.realpathSync.native(absolute);
  } catch {
    const folder = path.dirname(absolute);
    if (folder === absolute) return absolute;
    const target = linkTarget(absolute);
    if (target !== undefined && nLinks < MAX_LINKS) {
      return canonical(path.resolve(canonical(folder, nLinks), target), nLinks + 1);
    }
    return path.join(canonical(folder, nLinks), path.basename(absolute));
  }
}

function linkTarget(file: string): string | undefined {
  try {
    return fs.readlinkSync(file);
  } catch {
    return undefined;
  }
}

function inode(file: string): string | undefined {
  try {
    // As a bigint: network file systems use all 64 bits, and a rounded number
    // would make two files one.
    const { dev, ino } = fs.statSync(file, { bigint: true });
    return ino === 0n ? undefined : `${dev.toString()}:${ino.toString()}`;
  } catch {
    return undefined;
  }
}

function ignoresCase(folder: string): boolean {
  const swapped = folder === folder.toLowerCase() ? folder.toUpperCase() : folder.toLowerCase();
  if (swapped === folder) return false;
  const found = inode(folder);
  return found !== undefined && found === inode(swapped);
}
