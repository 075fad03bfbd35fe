// What the window answers, for each method, in each state that a file can have.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { beforeEach, test } from 'node:test';

import { methods } from '../src/methods.js';
import { answer } from '../src/protocol.js';
import { folder, until, write } from './helpers.js';
import { changed, Position, reset, Selection, TextDocument, Uri, world, type Tab } from './stub.js';

const dir = folder();
const a = path.join(dir, 'a.clj');
const b = path.join(dir, 'b.clj');
fs.symlinkSync('.', path.join(dir, 'link'));

const refused: string[][] = [];
const table = methods({ version: '1.2.3', onRefused: (...it) => refused.push(it) });

beforeEach(() => {
  reset();
  refused.length = 0;
  write(a, 'one\ntwo\n');
  write(b, 'b\n');
});

async function ask(method: string, params: object = {}): Promise<unknown> {
  const { line } = await answer(JSON.stringify({ id: 1, method, params }), table);
  const { result, error } = JSON.parse(line ?? '') as { result: unknown; error: unknown };
  return error === undefined ? result : { error };
}

function opened(file: string, { isDirty = false, scheme = 'file' } = {}): TextDocument {
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  const document = new TextDocument(new Uri(scheme, file), text);
  document.isDirty = isDirty;
  world.documents.push(document);
  return document;
}

function tab(input: unknown, { isDirty = false, isActive = false } = {}): Tab {
  return { input, isDirty, isActive };
}

const status = (file_path: string) => ask('buffer_status', { file_path });
const shape = (letters: string) => ({
  is_current: letters.includes('c'),
  has_unsaved_changes: letters.includes('u'),
  is_open: letters.includes('o'),
  is_visible: letters.includes('v'),
});

// c: current, u: unsaved, o: open, v: visible
const STATES: [string, string, () => unknown][] = [
  ['not open', '', () => undefined],
  ['clean and behind', 'o', () => opened(a)],
  ['clean and in front', 'cov', () => (world.active = { document: opened(a), selections: [] })],
  [
    'unsaved and in front',
    'cuov',
    () => (world.active = { document: opened(a, { isDirty: true }), selections: [] }),
  ],
  ['unsaved and behind', 'uo', () => opened(a, { isDirty: true })],
  ['unsaved in a second split', 'uov', () => world.visible.push(opened(a, { isDirty: true }))],
  [
    'unsaved through a symlink',
    'uo',
    () => opened(path.join(dir, 'link', 'a.clj'), { isDirty: true }),
  ],
  ['another file is unsaved', '', () => opened(b, { isDirty: true })],
  ['the version in git is shown', '', () => opened(a, { isDirty: true, scheme: 'git' })],
  ['a tab not loaded yet', 'o', () => world.groups.push({ tabs: [tab({ uri: Uri.file(a) })] })],
  [
    'a tab in front',
    'cov',
    () => world.groups.push({ tabs: [tab({ uri: Uri.file(a) }, { isActive: true })] }),
  ],
  [
    'a tab in front of another group',
    'ov',
    () =>
      world.groups.push({ tabs: [] }, { tabs: [tab({ uri: Uri.file(a) }, { isActive: true })] }),
  ],
  [
    'an unsaved custom editor',
    'uo',
    () =>
      world.groups.push({ tabs: [tab({ uri: Uri.file(a), viewType: 'x' }, { isDirty: true })] }),
  ],
  ['an unsaved notebook', 'uo', () => world.notebooks.push({ uri: Uri.file(a), isDirty: true })],
  [
    'the unsaved side of a comparison',
    'uo',
    () =>
      world.groups.push({
        tabs: [tab({ original: Uri.file(b), modified: Uri.file(a) }, { isDirty: true })],
      }),
  ],
  [
    'the other side of it',
    'o',
    () =>
      world.groups.push({
        tabs: [tab({ original: Uri.file(a), modified: Uri.file(b) }, { isDirty: true })],
      }),
  ],
  [
    'the result of a merge',
    'uo',
    () => world.groups.push({ tabs: [tab({ result: Uri.file(a) }, { isDirty: true })] }),
  ],
  [
    'a tab of another kind',
    '',
    () => world.groups.push({ tabs: [tab(undefined, { isDirty: true })] }),
  ],
];
for (const [name, letters, arrange] of STATES) {
  test(`buffer_status: ${name}`, async () => {
    arrange();
    assert.deepEqual(await status(a), shape(letters));
    assert.deepEqual(await status(path.join(dir, 'link', 'link', 'a.clj')), shape(letters));
  });
}

test('buffer_status: a new file that has its name but was never saved', async () => {
  const file = path.join(dir, 'new', 'x.clj');
  opened(file, { isDirty: true, scheme: 'untitled' });
  assert.deepEqual(await status(path.join(dir, 'link', 'new', 'x.clj')), shape('uo'));
});

test('buffer_status: deleted behind the back of an unsaved document', async () => {
  opened(path.join(dir, 'link', 'a.clj'), { isDirty: true });
  fs.rmSync(a);
  assert.deepEqual(await status(a), shape('uo'));
});

for (const params of [{}, { file_path: 1 }, { file_path: '' }, { file_path: 'a.clj' }]) {
  test(`buffer_status: ${JSON.stringify(params)} is refused`, async () => {
    const { error } = (await ask('buffer_status', params)) as { error: { code: number } };
    assert.equal(error.code, -32602);
  });
}

test('list_unsaved: everything, each once', async () => {
  opened(a, { isDirty: true });
  opened(b);
  opened('Untitled-1', { isDirty: true, scheme: 'untitled' });
  opened('/n.ipynb', { isDirty: true, scheme: 'vscode-notebook-cell' });
  world.notebooks.push({ uri: Uri.file('/n.ipynb'), isDirty: true });
  world.groups.push({
    tabs: [
      tab({ uri: Uri.file(a) }, { isDirty: true, isActive: true }),
      tab({ uri: Uri.file('/picture'), viewType: 'x' }, { isDirty: true }),
      tab({ uri: Uri.file(b) }),
    ],
  });
  assert.deepEqual(await ask('list_unsaved'), {
    files: [
      { file_path: '/n.ipynb', kind: 'notebook', is_current: false, is_visible: false },
      { file_path: a, kind: 'text', is_current: true, is_visible: true },
      { file_path: '/picture', kind: 'custom', is_current: false, is_visible: false },
    ],
    n_without_path: 1,
  });
});

test('hello', async () => {
  world.folders = [path.join(dir, 'link')];
  assert.deepEqual(await ask('hello'), {
    name: 'outrigger',
    version: '1.2.3',
    protocol: 1,
    pid: process.pid,
    folders: [dir],
    app: 'Stub',
    app_version: '1.139.1',
  });
});

const refresh = (file_path: string) => ask('refresh_buffer', { file_path });
const dirty = { error: { code: -32001, message: 'dirty' } };

test('refresh_buffer: nothing to do', async () => {
  const document = opened(a);
  assert.deepEqual(await refresh(a), { refreshed: true, how: 'unchanged' });
  assert.deepEqual(document.opened, []);
});

test('refresh_buffer: line ends and byte order mark do not count', async () => {
  const document = opened(a);
  write(a, '\uFEFFone\r\ntwo\r\n');
  assert.deepEqual(await refresh(a), { refreshed: true, how: 'unchanged' });
  assert.deepEqual(document.opened, []);
});

test('refresh_buffer: waits for the watcher of the editor', async () => {
  const document = opened(a);
  write(a, 'new\n');
  const answered = refresh(a);
  await until('it to wait', () => changed.nListeners > 0);
  document.reload();
  assert.deepEqual(await answered, { refreshed: true, how: 'watcher' });
  assert.deepEqual(document.opened, []);
});

for (const [encoding, opened_] of [
  ['utf8', ['utf-8', 'utf8']],
  ['utf8bom', ['utf8', 'utf8bom']],
  ['windows1252', ['windows-1252', 'windows1252']],
  // Left so by a human who typed between the two steps of an earlier one.
  ['utf-8', ['utf8']],
] as const) {
  test(`refresh_buffer: reads ${encoding} again when nothing watches`, async () => {
    const document = opened(path.join(dir, 'link', 'a.clj'));
    document.encoding = encoding;
    write(a, 'new\n');
    assert.deepEqual(await refresh(a), { refreshed: true, how: 'reread' });
    assert.equal(document.text, 'new\n');
    assert.deepEqual(document.opened, opened_);
  });
}

test('refresh_buffer: both documents of a file with two names', async () => {
  const documents = [opened(a), opened(path.join(dir, 'link', 'a.clj'))];
  write(a, 'new\n');
  assert.deepEqual(await refresh(a), { refreshed: true, how: 'reread' });
  assert.deepEqual(
    documents.map((it) => it.text),
    ['new\n', 'new\n'],
  );
});

test('refresh_buffer: an unsaved document is not touched', async () => {
  const document = opened(a);
  document.type('mine');
  write(a, 'new\n');
  assert.deepEqual(await refresh(a), dirty);
  assert.equal(document.text, 'one\ntwo\nmine');
  assert.deepEqual([document.opened, world.executed], [[], []]);
});

test('refresh_buffer: nor does it matter that the text happens to be the same', async () => {
  opened(a, { isDirty: true });
  assert.deepEqual(await refresh(a), dirty);
});

test('refresh_buffer: nor one that is unsaved under another name', async () => {
  const clean = opened(a);
  opened(path.join(dir, 'link', 'a.clj')).type('mine');
  write(a, 'new\n');
  assert.deepEqual(await refresh(a), dirty);
  assert.deepEqual(clean.opened, []);
});

test('refresh_buffer: nor one that becomes unsaved while we wait', async () => {
  const document = opened(a);
  write(a, 'new\n');
  const answered = refresh(a);
  await until('it to wait', () => changed.nListeners > 0);
  document.type('mine');
  assert.deepEqual(await answered, dirty);
  assert.equal(document.text, 'one\ntwo\nmine');
  assert.deepEqual(document.opened, []);
});

for (const step of ['utf-8', 'utf8']) {
  test(`refresh_buffer: nor one that becomes unsaved just before the step to ${step}`, async () => {
    const document = opened(a);
    write(a, 'new\n');
    world.beforeOpen = (it, encoding) => {
      if (encoding === step) it.type('mine');
    };
    assert.deepEqual(await refresh(a), dirty);
    assert.match(document.text, /mine$/);
  });
}

test('refresh_buffer: an older editor without encodings says that it cannot', async () => {
  opened(a).encoding = undefined;
  write(a, 'new\n');
  assert.deepEqual(await refresh(a), { refreshed: false, reason: 'not_reloaded' });
});

for (const [reason, arrange] of [
  ['not_open', () => undefined],
  ['not_loaded', () => world.groups.push({ tabs: [tab({ uri: Uri.file(a) })] })],
  [
    'missing',
    () => {
      opened(a);
      fs.rmSync(a);
    },
  ],
] as const) {
  test(`refresh_buffer: ${reason}`, async () => {
    arrange();
    assert.deepEqual(await refresh(a), { refreshed: false, reason });
  });
}

test('send_message: shows a warning and opens the unsaved document', async () => {
  const document = opened(path.join(dir, 'link', 'a.clj'), { isDirty: true });
  world.pressed = 'Open file';
  assert.deepEqual(await ask('send_message', { message: 'held', file_path: a }), { shown: true });
  assert.deepEqual(world.messages, [['held', 'Open file']]);
  await until('the file to be opened', () => world.executed.length > 0);
  assert.deepEqual(world.executed, [['vscode.open', document.uri, { preview: false }]]);
  assert.deepEqual(refused, [['held', a]]);
});

test('send_message: without a file there is no button and no refusal', async () => {
  assert.deepEqual(await ask('send_message', { message: 'hello' }), { shown: true });
  assert.deepEqual([world.messages, refused], [[['hello']], []]);
});

test('send_message: a note about a file is not a refusal', async () => {
  await ask('send_message', { message: 'changed', file_path: a, refused: false });
  assert.deepEqual([world.messages, refused], [[['changed', 'Open file']], []]);
});

test('send_message: a file name cannot become a link that runs a command', async () => {
  await ask('send_message', { message: 'see [x](command:evil)\n\u001b[1m' });
  assert.deepEqual(world.messages, [['see [x] (command:evil) [1m']]);
});

test('send_message: has an end', async () => {
  await ask('send_message', { message: 'x'.repeat(5000) });
  assert.deepEqual(world.messages, [[`${'x'.repeat(1000)}…`]]);
});

const span = (...at: [number, number, number, number]) =>
  new Selection(new Position(at[0], at[1]), new Position(at[2], at[3]));

function select(text: string, ...selections: Selection[]): void {
  const document = opened(path.join(dir, 'link', 'a.clj'));
  document.text = text;
  world.active = { document, selections };
}

test('get_visual_selection: exact lines and text, from top to bottom', async () => {
  select('one\ntwo\nthree\nfour\n', span(2, 1, 3, 2), span(0, 0, 2, 0), span(3, 3, 3, 3));
  assert.deepEqual(await ask('get_visual_selection'), [
    { file_path: a, start_line: 1, end_line: 2, text: 'one\ntwo\n' },
    { file_path: a, start_line: 3, end_line: 4, text: 'hree\nfo' },
  ]);
});

test('get_visual_selection: none', async () => {
  assert.deepEqual(await ask('get_visual_selection'), []);
  select('one\n', span(0, 1, 0, 1));
  assert.deepEqual(await ask('get_visual_selection'), []);
});

test('get_visual_selection: nothing from what has no path', async () => {
  const document = opened('Untitled-1', { scheme: 'untitled' });
  document.text = 'secret';
  world.active = { document, selections: [span(0, 0, 0, 3)] };
  assert.deepEqual(await ask('get_visual_selection'), []);
});

test('get_visual_selection: is cut between characters', async () => {
  select(`x${'é'.repeat(40_000)}\nmore`, span(0, 0, 0, 40_001), span(1, 0, 1, 4));
  assert.deepEqual(await ask('get_visual_selection'), [
    { file_path: a, start_line: 1, end_line: 1, text: `x${'é'.repeat(32_767)}`, truncated: true },
    { file_path: a, start_line: 2, end_line: 2, text: 'm', truncated: true },
  ]);
});
