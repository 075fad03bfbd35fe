// What several tests need: a folder that goes away, a client, and a patient wait.

import * as fs from 'node:fs';
import * as net from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { after } from 'node:test';

/** Returns a new folder, by its real path, removed when the tests are done. */
export function folder(): string {
  const made = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'u-')));
  after(() => {
    fs.rmSync(made, { recursive: true, force: true });
  });
  return made;
}

/** Writes a file and returns its path. */
export function write(file: string, text: string): string {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
  return file;
}

/** Sends bytes, closes that side, and returns all that came until the other side closed. */
export function send(socket: string, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const connection = net.connect(socket);
    connection.setEncoding('utf8');
    connection.on('data', (it: string) => (received += it));
    connection.on('close', () => {
      resolve(received);
    });
    connection.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close while we still write; what it said counts.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    connection.end(bytes);
  });
}

/** Waits for a condition; the deadline is for the case that it never comes. */
export async function until(what: string, isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + 5000;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error(`timed out waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
