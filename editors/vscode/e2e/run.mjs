// The end-to-end test: the packed extension in a real VS Code, asked over its
// socket while a human (the browser) opens, types, splits, selects and saves.
//
//   node e2e/run.mjs [--screenshot]      the latter renews docs/screenshot.png

import { blake3 } from '@noble/hashes/blake3.js';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { ask, askAll, until } from './client.mjs';
import { openPath, start, write } from './editor.mjs';

const home = path.join(import.meta.dirname, '..');
const failures = path.join(home, 'out', 'e2e');
const SOCKETS = '/tmp';

const numbered = (n) => Array.from({ length: n }, (_, idx) => `line ${idx + 1}\n`).join('');
const FILES = {
  'plain.clj': '(ns plain)\n(def one 1)\n',
  'other.clj': '(ns other)\n',
  'typed.clj': '(ns typed)\n',
  'behind.clj': '(ns behind)\n',
  'split.clj': '(ns split)\n',
  'deleted.clj': '(ns deleted)\n',
  'linked.clj': '(ns linked)\n',
  'front.txt': numbered(20),
  'back.txt': numbered(20),
  'quiet/calm.txt': numbered(20),
  'quiet/silent.txt': numbered(20),
  'mine.clj': '(ns mine)\n',
  'select.txt': 'alpha\nbeta\ngamma\ndelta\n',
  'backup.clj': '(ns backup)\n',
  'restored.clj': '(ns restored)\n',
};

const SHOP = {
  'core.clj': `(ns shop.core
  (:require [shop.util :as util]))

(defn total
  "Returns the sum of all prices."
  [items]
  (reduce + (map :price items)))
`,
  'util.clj': '(ns shop.util)\n',
  'README.md': '# shop\n\nA small shop, and an agent that works in it.\n',
};

const began = performance.now();
const editor = await start({ vsix: path.join(home, 'out', 'outrigger.vsix'), files: FILES });
const { root, work } = editor;
const elsewhere = path.join(root, 'elsewhere');
write(path.join(elsewhere, 'far.clj'), '(ns far)\n');
fs.symlinkSync(elsewhere, path.join(work, 'link'));

let first;
let second;
const foreign = [...sockets('/').keys()];
let socket;
let pid;
const at = (name) => path.join(work, name);
const status = (file, of = socket) => ask(of, 'buffer_status', { file_path: file });
const refresh = (file) => ask(socket, 'refresh_buffer', { file_path: file });

/** The letters stand for current, unsaved, open, visible. */
const shape = (letters) => ({
  is_current: letters.includes('c'),
  has_unsaved_changes: letters.includes('u'),
  is_open: letters.includes('o'),
  is_visible: letters.includes('v'),
});
const becomes = (file, letters, of = socket) =>
  until(`${path.basename(file)} to be ${letters}`, async () => {
    assert.deepEqual(await status(file, of), shape(letters));
    return true;
  });

/** Returns the sockets of windows on `folder`, by the pid in their names. */
function sockets(folder) {
  const prefix = `${Buffer.from(blake3(Buffer.from(folder))).toString('hex')}-vscode-`;
  return new Map(
    fs
      .readdirSync(SOCKETS)
      .filter((it) => it.startsWith(prefix) && it.endsWith('.sock'))
      .map((it) => [Number(it.slice(prefix.length, -'.sock'.length)), path.join(SOCKETS, it)]),
  );
}

/** Returns the pid and the file of a socket that is not of `known`. */
const newSocket = (folder, known = []) =>
  until('a socket', () => [...sockets(folder)].find(([it]) => !known.includes(it)), 120_000);

const gone = (file) => until(`${file} to go`, () => !fs.existsSync(file), 30_000);

/** Returns the contents of all hot-exit backups. */
function backups() {
  const folder = path.join(editor.userData, 'User', 'Backups');
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => fs.readFileSync(path.join(it.parentPath, it.name), 'utf8'));
}

const CHECKS = {
  'a socket is there, for its owner alone, under the name that is looked for': async () => {
    first = await editor.open(work);
    [pid, socket] = await newSocket(work);
    const { mode, uid } = fs.lstatSync(socket);
    assert.equal(mode & 0o777, 0o600);
    assert.equal(uid, process.getuid());
  },

  'hello says who answers': async () => {
    const { version } = JSON.parse(fs.readFileSync(path.join(home, 'package.json')));
    const { app, app_version, ...rest } = await ask(socket, 'hello');
    assert.deepEqual(rest, { name: 'outrigger', version, protocol: 1, pid, folders: [work] });
    assert.equal(app, 'code-server');
    assert.match(app_version, /^1\.\d+\.\d+$/);
  },

  'not open': async () => {
    assert.deepEqual(await status(at('plain.clj')), shape(''));
    assert.deepEqual(await status(at('no-such-file.clj')), shape(''));
  },

  'clean and in front': async () => {
    await first.openFile('plain.clj');
    await becomes(at('plain.clj'), 'cov');
  },

  'clean and behind another tab': async () => {
    await first.openFile('other.clj');
    await becomes(at('plain.clj'), 'o');
    await becomes(at('other.clj'), 'cov');
  },

  'unsaved and in front, then saved': async () => {
    await first.openFile('typed.clj');
    await first.press('Control+End');
    await first.type('(def typed 1)');
    await becomes(at('typed.clj'), 'cuov');
    await first.press('Control+S');
    await becomes(at('typed.clj'), 'cov');
    assert.equal(fs.readFileSync(at('typed.clj'), 'utf8'), '(ns typed)\n(def typed 1)');
  },

  'unsaved and undone is clean': async () => {
    await first.type('!');
    await becomes(at('typed.clj'), 'cuov');
    await first.press('Control+Z');
    await becomes(at('typed.clj'), 'cov');
  },

  'unsaved behind another tab': async () => {
    await first.openFile('behind.clj');
    await first.press('Control+End');
    await first.type(';; mine');
    await becomes(at('behind.clj'), 'cuov');
    await first.openFile('plain.clj');
    await becomes(at('behind.clj'), 'uo');
  },

  'the focus in another view changes nothing': async () => {
    await first.press('Control+Shift+F');
    await becomes(at('behind.clj'), 'uo');
    await becomes(at('plain.clj'), 'cov');
    await first.press('Control+Shift+E');
  },

  'unsaved in a second split': async () => {
    await first.openFile('split.clj');
    await first.press('Control+End');
    await first.type(';; mine');
    await first.command('View: Split Editor Right');
    await first.openFile('plain.clj');
    await becomes(at('split.clj'), 'uov');
    await becomes(at('plain.clj'), 'cov');
    await first.command('View: Close All Editors in Group');
  },

  'all unsaved files at once, many questions over one connection': async () => {
    const row = (name) => ({
      file_path: at(name),
      kind: 'text',
      is_current: false,
      is_visible: false,
    });
    const [unsaved, ...states] = await askAll(socket, [
      { method: 'list_unsaved' },
      ...Object.keys(FILES).map((it) => ({
        method: 'buffer_status',
        params: { file_path: at(it) },
      })),
    ]);
    const names = ['behind.clj', 'split.clj'];
    const { files, n_without_path } = unsaved.result;
    files.sort((a, b) => a.file_path.localeCompare(b.file_path));
    assert.equal(n_without_path, 0);
    assert.deepEqual(
      files.map((it) => ({ ...it, is_current: false, is_visible: false })),
      names.map(row),
    );
    const found = Object.keys(FILES).filter((_, idx) => states[idx].result.has_unsaved_changes);
    assert.deepEqual(found, names);
  },

  'a new file without a name': async () => {
    await first.command('File: New Untitled Text File');
    await first.focus();
    await first.type('no name yet');
    await until('the new file', async () => {
      assert.equal((await ask(socket, 'list_unsaved')).n_without_path, 1);
      return true;
    });
  },

  'a new file that has its name but was never saved': async () => {
    const file = at('brand/new.clj');
    await openPath(root, pid, file);
    await first.inFront(file);
    await first.focus();
    await first.type('(ns brand.new)');
    await becomes(file, 'cuov');
    assert.equal(fs.existsSync(file), false);
  },

  'unsaved, and deleted on disk meanwhile': async () => {
    await first.openFile('deleted.clj');
    await first.press('Control+End');
    await first.type(';; mine');
    await becomes(at('deleted.clj'), 'cuov');
    fs.rmSync(at('deleted.clj'));
    await becomes(at('deleted.clj'), 'cuov');
  },

  'asked through a symlink, opened by its own path': async () => {
    fs.symlinkSync(work, path.join(root, 'way'));
    fs.symlinkSync('linked.clj', at('alias.clj'));
    await first.openFile('linked.clj');
    await first.press('Control+End');
    await first.type(';; mine');
    await becomes(at('linked.clj'), 'cuov');
    assert.deepEqual(await status(path.join(root, 'way', 'linked.clj')), shape('cuov'));
    assert.deepEqual(await status(at('alias.clj')), shape('cuov'));
  },

  'opened through a symlink, asked by its own path; reads again what nothing watches': async () => {
    const file = path.join(elsewhere, 'far.clj');
    await openPath(root, pid, at('link/far.clj'));
    await first.inFront(file);
    await becomes(file, 'cov');
    fs.writeFileSync(file, '(ns far)\n(def changed 1)\n');
    assert.deepEqual(await refresh(file), { refreshed: true, how: 'reread' });
    await until('the new text', async () => (await first.text()).includes('changed'));
    await first.focus();
    await first.press('Control+End');
    await first.type(';; mine');
    await becomes(file, 'cuov');
  },

  'refresh in front keeps the cursor': () => refreshed('front.txt', { isBehind: false }),
  'refresh behind keeps the cursor': () => refreshed('back.txt', { isBehind: true }),
  'refresh in front where nothing watches': () =>
    refreshed('quiet/calm.txt', { isBehind: false, how: 'reread' }),
  'refresh behind where nothing watches': () =>
    refreshed('quiet/silent.txt', { isBehind: true, how: 'reread' }),

  'what was read again is saved without a byte order mark': async () => {
    await first.openFile('quiet/calm.txt');
    await first.press('Control+End');
    await first.type('é');
    await becomes(at('quiet/calm.txt'), 'cuov');
    await first.press('Control+S');
    await becomes(at('quiet/calm.txt'), 'cov');
    assert.equal(fs.readFileSync(at('quiet/calm.txt'), 'utf8'), `new first\n${numbered(20)}é`);
  },

  'an unsaved document is never refreshed': async () => {
    await first.openFile('mine.clj');
    await first.press('Control+End');
    await first.type(';; mine');
    await becomes(at('mine.clj'), 'cuov');
    fs.writeFileSync(at('mine.clj'), '(ns agent)\n');
    await assert.rejects(refresh(at('mine.clj')), { code: -32001, message: 'dirty' });
    await first.openFile('plain.clj');
    await assert.rejects(refresh(at('mine.clj')), { code: -32001, message: 'dirty' });
    await becomes(at('mine.clj'), 'uo');
    await first.openFile('mine.clj');
    assert.equal((await first.text()).trim(), '(ns mine)\n;; mine');
  },

  'the selection, exactly': async () => {
    await first.openFile('select.txt');
    assert.deepEqual(await ask(socket, 'get_visual_selection'), []);
    await first.press('Control+Home', 'ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowDown');
    await selects([{ start_line: 2, end_line: 3, text: 'beta\ngamma\n' }]);
    // The agent's terminal has the focus when the human writes a prompt.
    await first.press('Control+Shift+F');
    await selects([{ start_line: 2, end_line: 3, text: 'beta\ngamma\n' }]);
    await first.press('Control+Shift+E');
    await first.focus();
    await first.press('Control+Home', 'Shift+End', 'Shift+Alt+ArrowDown');
    await selects([
      { start_line: 1, end_line: 1, text: 'alpha' },
      { start_line: 2, end_line: 2, text: 'beta' },
    ]);
    await first.press('Escape', 'Control+Home');
    await selects([]);
  },

  'another window: a message, its button, and the status bar': async () => {
    const shop = path.join(root, 'shop');
    const core = path.join(shop, 'core.clj');
    for (const [name, text] of Object.entries(SHOP)) write(path.join(shop, name), text);
    second = await editor.open(shop);
    const [, of] = await newSocket(shop);
    await second.openFile('util.clj');
    await second.openFile('core.clj');
    await second.press('Control+End');
    await second.type('\n(defn discounted [items]\n  (* 0.9 (total items)))');
    await becomes(core, 'cuov', of);
    await second.shows('outrigger · 1 unsaved');

    const message =
      'outrigger kept an agent from writing core.clj: you have not saved it. Save or undo your changes, and it may go on.';
    assert.deepEqual(await ask(of, 'send_message', { message, file_path: core }), { shown: true });
    const button = second.notification(message).getByRole('button', { name: 'Open file' });
    await button.waitFor();
    await second.shows('outrigger · 1 unsaved · 1 refused');
    const folder = process.argv.includes('--screenshot') ? path.join(home, 'docs') : failures;
    await second.screenshot(path.join(folder, 'screenshot.png'));
    await second.openFile('README.md');
    await becomes(core, 'uo', of);
    await button.click();
    await second.inFront('core.clj');
    await becomes(core, 'cuov', of);

    await second.command('outrigger: Show Status');
    await until('the list', async () => {
      const rows = await second.picker();
      return rows.filter((it) => it.includes('core.clj')).length === 2 && rows.join().includes(of);
    });
    await second.press('Escape');
    assert.deepEqual(await status(core), shape(''), 'the first window does not hold it');
    await second.close();
    await gone(of);
  },

  'two windows on one folder, each for itself': async () => {
    await second.goTo(work);
    const [, of] = await newSocket(work, [pid]);
    await second.openFile('other.clj');
    await second.press('Control+End');
    await second.type('!');
    await becomes(at('other.clj'), 'cuov', of);
    assert.deepEqual(await status(at('other.clj')), shape('o'));
    await second.press('Control+Z');
    await becomes(at('other.clj'), 'cov', of);
    await second.close();
    await gone(of);
  },

  'a window without a folder': async () => {
    await second.goTo(undefined);
    const [of, file] = await newSocket('/', foreign);
    assert.deepEqual((await ask(file, 'hello')).folders, []);
    await openPath(root, of, path.join(root, 'shop', 'util.clj'));
    await second.inFront('util.clj');
    await second.focus();
    await second.type(';; mine');
    await becomes(path.join(root, 'shop', 'util.clj'), 'cuov', file);
    await second.close();
    await gone(file);
  },

  'unsaved text is on disk as well, until it is saved': async () => {
    await first.openFile('backup.clj');
    await first.press('Control+End');
    await first.type(';; mine');
    const head = /^vscode-remote:\/\/[^ ]*\/work\/backup\.clj \{.*\}\n/;
    const backup = await until('the backup', () => backups().find((it) => head.test(it)));
    assert.equal(backup.replace(head, ''), '(ns backup)\n;; mine');
    await first.press('Control+S');
    await until('it to go', () => !backups().some((it) => head.test(it)));
  },

  'after a reload what was restored is unsaved at the first answer': async () => {
    await first.openFile('restored.clj');
    await first.press('Control+End');
    await first.type(';; mine');
    await until('the backup', () => backups().some((it) => it.includes('/work/restored.clj ')));
    await first.openFile('plain.clj');
    const [before, file] = [pid, socket];
    await first.page.reload();
    [pid, socket] = await newSocket(work, [before]);
    assert.equal((await status(at('restored.clj'))).has_unsaved_changes, true);
    await gone(file);
  },

  'a killed extension host leaves a socket that the next one clears away': async () => {
    const [before, file] = [pid, socket];
    process.kill(before, 'SIGKILL');
    [pid, socket] = await newSocket(work, [before]);
    assert.equal((await status(at('restored.clj'))).has_unsaved_changes, true);
    await gone(file);
  },

  'the socket goes with the window': async () => {
    await first.close();
    await gone(socket);
  },

  'nothing was asked of other machines': async () => {
    assert.deepEqual([...editor.outside], []);
  },
};

async function selects(expected) {
  const rows = expected.map((it) => ({ file_path: at('select.txt'), ...it }));
  await until('the selection', async () => {
    assert.deepEqual(await ask(socket, 'get_visual_selection'), rows);
    return true;
  });
}

/** A line is added on top while the cursor stands on line 10. */
async function refreshed(name, { isBehind, how }) {
  const file = at(name);
  await first.openFile(name);
  await first.press('Control+Home');
  for (let line = 1; line < 10; line += 1) await first.press('ArrowDown');
  await first.press('ArrowRight', 'ArrowRight');
  await until('the cursor', async () => (await first.cursor()) === 'Ln 10, Col 3');
  if (isBehind) await first.openFile('plain.clj');
  await becomes(file, isBehind ? 'o' : 'cov');
  fs.writeFileSync(file, `new first\n${numbered(20)}`);
  const answer = await refresh(file);
  assert.equal(answer.refreshed, true, JSON.stringify(answer));
  if (how) assert.equal(answer.how, how);
  if (isBehind) {
    await becomes(at('plain.clj'), 'cov');
    await first.openFile(name);
  }
  await until('the new text', async () => (await first.text()).startsWith('new first\n'));
  // In front the editor moves the cursor along with its line; for a tab behind it
  // remembers the place itself. Its own reload does just the same.
  const place = isBehind ? 'Ln 10, Col 3' : 'Ln 11, Col 3';
  await until(`the cursor at ${place}`, async () => (await first.cursor()) === place);
  await becomes(file, 'cov');
}

let nPassed = 0;
let nFailed = 0;
fs.rmSync(failures, { recursive: true, force: true });
fs.mkdirSync(failures, { recursive: true });
try {
  for (const [name, check] of Object.entries(CHECKS)) {
    const from = performance.now();
    try {
      await check();
      nPassed += 1;
      console.log(`ok   ${name} (${Math.round(performance.now() - from)} ms)`);
    } catch (error) {
      nFailed += 1;
      console.log(`FAIL ${name} (${Math.round(performance.now() - from)} ms)\n${error.stack}`);
      for (const [idx, it] of editor.pages().entries()) {
        await it.screenshot({ path: path.join(failures, `${nFailed}-${idx}.png`) }).catch(() => {});
      }
      console.log(`     see ${path.join(failures, `${nFailed}-*.png`)}`);
      if (!socket) break;
    }
  }
} finally {
  await editor.stop();
}
console.log(`${((performance.now() - began) / 1000).toFixed(1)} s`);
console.log(`${nPassed} passed, ${nFailed} failed`);
process.exitCode = nFailed === 0 ? 0 : 1;
