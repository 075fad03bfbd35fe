// The socket file, in folders that are safe and that are not.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';
import { test } from 'node:test';

import { listen, removeStale, socketPath } from '../src/socket.js';
import { createServer } from '../src/server.js';
import { folder, send } from './helpers.js';

const methods = { hello: () => 'hello' };
const greeting = '{"jsonrpc":"2.0","id":1,"result":"hello"}\n';
const greet = (file: string) => send(file, '{"id":1,"method":"hello"}\n');
const named = (dir: string, pid: number) => path.join(dir, `${'a'.repeat(64)}-vscode-${pid}.sock`);

/** Leaves a socket that nobody listens on, as a killed process does. */
async function abandonedSocket(file: string): Promise<number> {
  const script = `require('net').createServer().listen(process.argv[1], () => console.log())`;
  const child = spawn(process.execPath, ['-e', script, file]);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
  assert.ok(child.pid);
  return child.pid;
}

// Digests of the Rust crate `blake3`.
for (const [root, digest] of [
  ['/', '329f85ac6e6310f8fc8148a48307002ad1ab5c493a815fd6116b2a52add807d9'],
  ['/nowhere/é日🚀', 'ed57f08d3456a486863a366b5ed0a65641ee7d997adbf9fceffbeff4dcde84dc'],
] as const) {
  test(`the name is what the outrigger command computes: ${root}`, () => {
    assert.equal(socketPath('/s', root, 42), `/s/${digest}-vscode-42.sock`);
  });
}

test('the name follows symlinks', () => {
  const dir = folder();
  fs.symlinkSync('.', path.join(dir, 'link'));
  assert.equal(socketPath('/s', path.join(dir, 'link'), 1), socketPath('/s', dir, 1));
});

test('it answers, is for its owner alone, leaves nothing behind', async () => {
  const dir = folder();
  const file = named(dir, 1);
  const listening = await listen(createServer(methods), file);
  assert.equal(await greet(file), greeting);
  assert.equal(fs.lstatSync(file).mode & 0o777, 0o600);
  assert.deepEqual(fs.readdirSync(dir), [path.basename(file)]);
  listening.close();
  assert.deepEqual(fs.readdirSync(dir), []);
});

test('an abandoned socket under its name is replaced', async () => {
  const file = named(folder(), 1);
  await abandonedSocket(file);
  const listening = await listen(createServer(methods), file);
  assert.equal(await greet(file), greeting);
  listening.close();
});

for (const [name, plant] of [
  [
    'a symlink',
    (file: string) => {
      fs.symlinkSync('victim', file);
    },
  ],
  [
    'a file',
    (file: string) => {
      fs.writeFileSync(file, '');
    },
  ],
  [
    'a folder',
    (file: string) => {
      fs.mkdirSync(file);
    },
  ],
] as const) {
  test(`${name} under its name is neither followed nor removed`, async () => {
    const dir = folder();
    const file = named(dir, 1);
    plant(file);
    await assert.rejects(listen(createServer(methods), file), /is in the way/);
    assert.deepEqual(fs.readdirSync(dir), [path.basename(file)]);
  });
}

test(
  'a socket of another user is not replaced',
  { skip: process.getuid?.() !== 0 && 'needs root' },
  async () => {
    const file = named(folder(), 1);
    await abandonedSocket(file);
    fs.chownSync(file, 65534, 65534);
    await assert.rejects(listen(createServer(methods), file), /is in the way/);
  },
);

test('a folder that others can change is refused', async () => {
  const dir = folder();
  fs.chmodSync(dir, 0o777);
  await assert.rejects(listen(createServer(methods), named(dir, 1)), /other users/);
  fs.chmodSync(dir, 0o1777);
  (await listen(createServer(methods), named(dir, 1))).close();
});

test('a path that is too long is refused', async () => {
  const file = named(path.join(folder(), 'x'.repeat(80)), 1);
  await assert.rejects(listen(createServer(methods), file), /longer than/);
});

test('what was put in its place meanwhile stays', async () => {
  const file = named(folder(), 1);
  const listening = await listen(createServer(methods), file);
  fs.rmSync(file);
  fs.writeFileSync(file, 'not ours');
  listening.close();
  assert.equal(fs.readFileSync(file, 'utf8'), 'not ours');
});

test('only abandoned sockets are cleaned away', async () => {
  const dir = folder();
  const aside = path.join(dir, 'aside');
  const pid = await abandonedSocket(aside);
  const abandoned = named(dir, pid);
  fs.renameSync(aside, abandoned);
  const otherName = path.join(dir, `other-vscode-${pid}.sock`);
  await abandonedSocket(otherName);
  const ofTheLiving = named(dir, process.pid);
  await abandonedSocket(ofTheLiving);
  const listening = net.createServer();
  // As seen from another container: the pid is not known here.
  const elsewhere = path.join(dir, `${'b'.repeat(64)}-vscode-${pid}.sock`);
  await new Promise<void>((resolve) => listening.listen(elsewhere, resolve));
  fs.writeFileSync(path.join(dir, `${'c'.repeat(64)}-vscode-${pid}.sock`), '');

  assert.deepEqual(await removeStale(dir), [abandoned]);
  assert.equal(fs.readdirSync(dir).length, 4);
  listening.close();
});
