// The whole extension in a stub of the editor, asked over its real sockets.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type * as vscode from 'vscode';

import { activate } from '../src/extension.js';
import { socketPath } from '../src/socket.js';
import { folder, send, until, write } from './helpers.js';
import { reset, TextDocument, Uri, world } from './stub.js';

const dir = folder();
const sockets = path.join(dir, 's');
const roots = ['one', 'two'].map((it) => path.dirname(write(path.join(dir, it, 'a.clj'), it)));
const a = path.join(dir, 'one', 'a.clj');
let context: vscode.ExtensionContext;

beforeEach(() => {
  reset();
  fs.rmSync(sockets, { recursive: true, force: true });
  world.settings['socketDir'] = sockets;
  const extension = { packageJSON: { version: '1.2.3' } };
  context = { subscriptions: [], extension } as unknown as vscode.ExtensionContext;
});

afterEach(() => {
  for (const it of context.subscriptions) it.dispose();
});

const listed = () =>
  fs
    .readdirSync(sockets)
    .map((it) => path.join(sockets, it))
    .sort();
const named = (...folders: string[]) =>
  folders.map((it) => socketPath(sockets, it, process.pid)).sort();

async function ask(socket: string, method: string, params: object = {}): Promise<unknown> {
  const line = await send(socket, `${JSON.stringify({ id: 1, method, params })}\n`);
  return (JSON.parse(line) as { result: unknown }).result;
}

test('a socket for each folder; each answers for every document of the window', async () => {
  world.folders = roots;
  await activate(context);
  assert.deepEqual(listed(), named(...roots));
  const document = new TextDocument(Uri.file(a), 'one');
  document.isDirty = true;
  world.documents.push(document);
  const expected = {
    is_current: false,
    has_unsaved_changes: true,
    is_open: true,
    is_visible: false,
  };
  for (const it of listed()) {
    assert.deepEqual(await ask(it, 'buffer_status', { file_path: a }), expected);
  }
});

test('folders come and go, and so do their sockets', async () => {
  world.folders = [roots[0]!];
  await activate(context);
  world.changeFolders(roots);
  await until('the second socket', () => listed().length === 2);
  world.changeFolders([roots[1]!]);
  await until('one to go', () => listed().length === 1);
  assert.deepEqual(listed(), named(roots[1]!));
  world.changeFolders([]);
  await until('the one for no folder', () => listed().join() === named('/').join());
});

test('everything is gone after the window is closed', async () => {
  world.folders = roots;
  await activate(context);
  for (const it of context.subscriptions.splice(0)) it.dispose();
  assert.deepEqual(listed(), []);
  assert.equal(
    process.listeners('exit').filter((it) => it.toString().includes('dispose')).length,
    0,
  );
});

test('the status bar counts what is unsaved and what was refused', async () => {
  world.folders = [roots[0]!];
  await activate(context);
  assert.equal(world.bar.text, '$(shield) outrigger');
  const document = new TextDocument(Uri.file(a), 'one');
  world.documents.push(document);
  document.type('!');
  await until('the count', () => world.bar.text === '$(shield) outrigger · 1 unsaved');
  assert.equal(world.bar.tooltip, 'Agents are kept from: a.clj');
  await ask(listed()[0]!, 'send_message', { message: 'held', file_path: a });
  assert.equal(world.bar.text, '$(shield) outrigger · 1 unsaved · 1 refused');
  assert.ok(world.bar.backgroundColor);

  await world.commands.get('outrigger.showStatus')?.();
  assert.equal(world.bar.backgroundColor, undefined);
  assert.deepEqual(
    world.picked.map((it) => it.label),
    [
      'unsaved: agents are kept out',
      '$(circle-filled) a.clj',
      'refused writes',
      '$(circle-slash) a.clj',
      'sockets',
      `$(plug) ${listed()[0]!}`,
      'more',
      '$(output) Show log',
    ],
  );
});

test('a socket that cannot be made is said aloud', async () => {
  world.folders = [roots[0]!];
  write(named(roots[0]!)[0]!, 'planted');
  await activate(context);
  assert.equal(world.bar.text, '$(shield) outrigger · off');
  assert.match(String(world.bar.tooltip), /^Agents cannot ask this window: .* is in the way/);
});

test('on Windows it says that it does nothing', async () => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform')!;
  Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
  try {
    await activate(context);
  } finally {
    Object.defineProperty(process, 'platform', platform);
  }
  assert.equal(world.bar.text, '$(shield) outrigger · off');
  assert.equal(fs.existsSync(sockets), false);
});
