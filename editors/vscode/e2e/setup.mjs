// Fetches what the end-to-end test needs, once: VS Code as code-server, the
// Node that it wants, and playwright-core, by name from the package registry;
// Chromium from the system's packages. Knows nothing of the extension.
//
//   node e2e/setup.mjs        prints the folder; a second run finds it complete

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

// code-server 4.139 is VS Code 1.139; it refuses any Node but 24.
const PACKAGES = {
  'code-server': '4.139.1',
  [`node-linux-${process.arch}`]: '24.21.0',
  'playwright-core': '1.65.0',
};
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Returns where everything is, after fetching what is missing. */
export function tools() {
  if (process.platform !== 'linux') throw new Error('the end-to-end test runs on Linux only');
  const folder = path.join(cacheFolder(), `vscode-${PACKAGES['code-server']}-${process.arch}`);
  if (!isComplete(folder)) install(folder);
  const modules = path.join(folder, 'node_modules');
  return {
    folder,
    node: path.join(modules, `node-linux-${process.arch}`, 'bin', 'node'),
    codeServer: path.join(modules, 'code-server', 'out', 'node', 'entry.js'),
    playwright: path.join(modules, 'playwright-core', 'index.mjs'),
    chromium: chromium(),
  };
}

function cacheFolder() {
  const { OUTRIGGER_DEV_CACHE, XDG_CACHE_HOME } = process.env;
  if (OUTRIGGER_DEV_CACHE) return path.resolve(OUTRIGGER_DEV_CACHE);
  return path.join(XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'outrigger-dev');
}

function isComplete(folder) {
  try {
    return fs.readFileSync(path.join(folder, '.complete'), 'utf8') === mark();
  } catch {
    return false;
  }
}

const mark = () => `${JSON.stringify(PACKAGES)}\n`;

function install(folder) {
  // Built aside and renamed, so that a broken download or a second run at the
  // same time never leaves half a folder behind the name.
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  const aside = fs.mkdtempSync(`${folder}.`);
  try {
    const manifest = { name: 'outrigger-vscode-e2e', private: true, dependencies: PACKAGES };
    fs.writeFileSync(path.join(aside, 'package.json'), JSON.stringify(manifest));
    npm(aside, []);
    // code-server's own install script would do this second step and compile
    // native modules besides. Nothing here needs those. `npm ci` is no
    // alternative: the shrinkwrap lacks a package.
    npm(path.join(aside, 'node_modules', 'code-server', 'lib', 'vscode'), ['--omit=dev']);
    fs.writeFileSync(path.join(aside, '.complete'), mark());
    if (isComplete(folder)) return;
    fs.rmSync(folder, { recursive: true, force: true });
    fs.renameSync(aside, folder);
  } finally {
    fs.rmSync(aside, { recursive: true, force: true });
  }
}

function npm(cwd, extra) {
  const args = [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--loglevel=error',
  ];
  const node = path.dirname(process.execPath);
  execFileSync('npm', [...args, ...extra], {
    cwd,
    stdio: ['ignore', process.stderr, process.stderr],
    // The engine check looks at the Node that runs npm, not at the one used later.
    env: { ...process.env, PATH: `${node}:${process.env.PATH}`, npm_config_engine_strict: 'false' },
  });
}

function chromium() {
  const found = () => [process.env.CHROMIUM, ...CHROMIUM].find((it) => it && fs.existsSync(it));
  if (!found() && process.getuid() === 0 && fs.existsSync('/usr/bin/apt-get')) {
    const args = ['install', '-y', '--no-install-recommends', 'chromium'];
    execFileSync('apt-get', args, { stdio: ['ignore', process.stderr, process.stderr] });
  }
  const browser = found();
  if (browser) return browser;
  throw new Error(
    'no Chromium\nhint: `apt-get install -y --no-install-recommends chromium`, or name one in `CHROMIUM`',
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(tools().folder);
