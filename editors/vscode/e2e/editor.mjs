// A real VS Code on throw-away folders: code-server with the packed extension,
// drawn by a headless Chromium. Offers what a human does: open, type, save,
// select, look. Everything it writes is below one temporary folder.

import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { until } from './client.mjs';
import { tools } from './setup.mjs';

const START_MS = 120_000;
const REMOVE = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };

const SETTINGS = {
  // In a browser the default is to save after a delay: nothing would stay unsaved.
  'files.autoSave': 'off',
  'files.watcherExclude': { '**/quiet/**': true },
  'security.workspace.trust.enabled': false,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.reduceMotion': 'on',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'editor.autoClosingBrackets': 'never',
  'editor.minimap.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'git.enabled': false,
};

const BROWSER_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Nothing but loopback can be reached, whatever the page asks for.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** Starts the server and the browser, with `files` ({ path: text }) in the work folder. */
export async function start({ vsix, files }) {
  const cleanups = [];
  const stop = async () => {
    for (const it of cleanups.reverse()) await it();
  };
  try {
    return { ...(await run({ vsix, files, cleanups })), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function run({ vsix, files, cleanups }) {
  const { node, codeServer, playwright, chromium } = tools();
  const { chromium: driver } = await import(pathToFileURL(playwright).href);
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'oe-')));
  cleanups.push(() => fs.rmSync(root, REMOVE));
  const folder = (name) => {
    const made = path.join(root, name);
    fs.mkdirSync(made, { recursive: true });
    return made;
  };
  const work = folder('work');
  for (const [name, text] of Object.entries(files)) write(path.join(work, name), text);
  const userData = folder('data');
  write(path.join(userData, 'User', 'settings.json'), JSON.stringify(SETTINGS));

  const env = {
    PATH: `${path.dirname(node)}:${process.env.PATH}`,
    HOME: folder('home'),
    TMPDIR: folder('tmp'),
    XDG_RUNTIME_DIR: folder('run'),
    LANG: 'C.UTF-8',
    // Without it the page asks for a marketplace.
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
  };
  const places = ['--user-data-dir', userData, '--extensions-dir', folder('extensions')];
  const command = (...args) => [codeServer, ...places, ...args];
  await promisify(execFile)(node, command('--install-extension', vsix), { env });

  const log = fs.openSync(path.join(root, 'server.log'), 'a');
  const port = await freePort();
  const outside = new Set();
  let server;
  const startServer = async () => {
    const args = command(
      '--auth',
      'none',
      '--bind-addr',
      `127.0.0.1:${port}`,
      '--disable-telemetry',
    );
    args.push('--disable-update-check', '--disable-getting-started-override');
    // A page that goes without a goodbye would keep its extension host for hours.
    args.push('--reconnection-grace-time', '3');
    // In a group of its own, so that nothing of it outlives the test.
    server = spawn(node, args, { env, stdio: ['ignore', log, log], detached: true });
    const isUp = async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok;
    await until('the server', isUp, START_MS);
  };
  const killServer = async () => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const gone = new Promise((resolve) => server.once('exit', resolve));
    process.kill(-server.pid, 'SIGKILL');
    await gone;
  };
  cleanups.push(killServer);
  await startServer();

  const context = await driver.launchPersistentContext(folder('browser'), {
    executablePath: chromium,
    headless: true,
    viewport: { width: 1000, height: 560 },
    reducedMotion: 'reduce',
    args: BROWSER_ARGS,
  });
  cleanups.push(() => context.close());
  context.on('request', (request) => {
    const { protocol, hostname, host } = new URL(request.url());
    if (/^(https?|wss?):$/.test(protocol) && hostname !== '127.0.0.1') outside.add(host);
  });

  return {
    root,
    work,
    userData,
    outside,
    startServer,
    killServer,
    pages: () => context.pages(),
    /** Opens a window on `target`, a folder, or on none. */
    open: async (target) => {
      const blank = context.pages().find((it) => it.url() === 'about:blank');
      const window = new Window(blank ?? (await context.newPage()), `http://127.0.0.1:${port}/`);
      await window.goTo(target);
      return window;
    },
  };
}

const EDITOR = '.editor-group-container.active .monaco-editor';

/** One window, through its page. */
class Window {
  constructor(page, url) {
    this.page = page;
    this.url = url;
  }

  /** Shows a folder, or no folder. */
  async goTo(target) {
    const query = target === undefined ? 'ew=true' : `folder=${encodeURIComponent(target)}`;
    await this.page.goto(`${this.url}?${query}`);
    await this.page.waitForSelector('.monaco-workbench .part.statusbar', { timeout: START_MS });
  }

  press(...keys) {
    return inTurn(keys, (it) => this.page.keyboard.press(it));
  }

  type(text) {
    return this.page.keyboard.type(text);
  }

  /** Opens a file of the folder by its name, as a tab that stays. */
  async openFile(name) {
    const base = path.basename(name);
    await this.#pick('Control+P', name, base);
    await this.inFront(base);
    await this.#focused();
    await this.press('Control+K', 'Enter');
  }

  /** Runs a command by its title. */
  async command(title) {
    await this.#pick('F1', `>${title}`, title);
  }

  /** Puts the keyboard into the editor in front. */
  async focus() {
    await this.page.locator(`${EDITOR} .view-lines`).first().click();
    await this.#focused();
  }

  async #focused() {
    const isFocused = `document.activeElement?.closest('${EDITOR}') !== null`;
    await until('the editor to have the focus', () => this.page.evaluate(isFocused));
  }

  /** Returns the lines of the editor in front. */
  async text() {
    const lines = this.page.locator(`${EDITOR} .view-lines`).first();
    return (await lines.innerText()).replaceAll('\u00a0', ' ');
  }

  /** Returns the cursor's place as the status bar shows it: `Ln 1, Col 1`. */
  cursor() {
    return this.page.locator('[id="status.editor.selection"]').innerText();
  }

  /** Waits for our own item in the status bar to have that text. */
  async shows(text) {
    const item = this.page.locator('[id="outrigger.outrigger.outrigger"]');
    await until(
      `the status bar to show ${text}`,
      async () => (await item.innerText()).trim() === text,
    );
  }

  /** Takes a picture when nothing moves any more. */
  async screenshot(file) {
    await this.page.getByText('Activating Extensions').waitFor({ state: 'hidden' });
    await this.page.screenshot({ path: file, animations: 'disabled' });
  }

  /** Returns the rows of the picker that is open. */
  picker() {
    return this.page.locator('.quick-input-widget .monaco-list-row').allInnerTexts();
  }

  /** Returns the first notification that contains `text`. */
  notification(text) {
    return this.page
      .locator('.notifications-toasts .notification-list-item')
      .filter({ hasText: text });
  }

  /** Resolves when the tab in front is that of `name`. */
  async inFront(name) {
    await this.#tab(path.basename(name)).waitFor();
  }

  /** Leaves the page, as closing the browser's tab does. */
  close() {
    return this.page.goto('about:blank');
  }

  #tab(name) {
    return this.page.locator(
      `.editor-group-container.active .tab.active[data-resource-name="${name}"]`,
    );
  }

  async #pick(key, text, expected) {
    const widget = this.page.locator('.quick-input-widget');
    const box = widget.locator('input.input');
    await until('the picker', async () => {
      await this.page.keyboard.press(key);
      await box.waitFor({ state: 'visible', timeout: 2000 });
      return true;
    });
    await box.fill(text);
    // The wanted row need not be the first: files and commands have similar names.
    await widget.locator('.monaco-list-row').filter({ hasText: expected }).first().click();
    // A command may ask on: then it is the old text that goes.
    await until('the picker to go', async () => {
      return !(await box.isVisible()) || (await box.inputValue()) !== text;
    });
  }
}

/** Opens any path in the window of the extension host `pid`, as `code PATH` in its terminal does. */
export async function openPath(root, pid, file) {
  const runtime = path.join(root, 'run');
  const hooks = fs.readdirSync(runtime).filter((it) => it.startsWith('vscode-ipc-'));
  const owner = hooks.map((it) => path.join(runtime, it)).find((it) => listens(pid, it));
  if (!owner) throw new Error(`no command line socket of ${pid} among ${hooks.length}`);
  const body = JSON.stringify({
    type: 'open',
    fileURIs: [pathToFileURL(file).href],
    forceReuseWindow: true,
  });
  await new Promise((resolve, reject) => {
    const request = http.request({ socketPath: owner, path: '/', method: 'POST' }, (reply) => {
      reply.resume();
      reply.on('end', () =>
        reply.statusCode === 200 ? resolve() : reject(new Error(`status ${reply.statusCode}`)),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Says whether process `pid` holds the listening socket `file`. */
function listens(pid, file) {
  const row = fs
    .readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .find((it) => it.endsWith(` ${file}`));
  const inode = row?.split(/\s+/)[6];
  return fs.readdirSync(`/proc/${pid}/fd`).some((it) => {
    try {
      return fs.readlinkSync(`/proc/${pid}/fd/${it}`) === `socket:[${inode}]`;
    } catch {
      return false;
    }
  });
}

export function write(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

async function inTurn(items, run) {
  for (const it of items) await run(it);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = net.createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
