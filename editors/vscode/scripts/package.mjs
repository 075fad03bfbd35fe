// Packs out/outrigger.vsix, the same bytes each time: only what users need is
// staged, with the time stamps of SOURCE_DATE_EPOCH.

import { createVSIX } from '@vscode/vsce';
import fs from 'node:fs';
import path from 'node:path';

process.env.SOURCE_DATE_EPOCH ||= '1735689600';
await import('./build.mjs');

const root = path.join(import.meta.dirname, '..');
const stage = path.join(root, 'out', 'stage');
const vsix = path.join(root, 'out', 'outrigger.vsix');
const read = (...names) => fs.readFileSync(path.join(root, ...names));

fs.rmSync(stage, { recursive: true, force: true });
fs.mkdirSync(path.join(stage, 'docs'), { recursive: true });
const write = (name, content) => {
  fs.writeFileSync(path.join(stage, name), content);
  // The package keeps modes, and a umask must not show in it.
  fs.chmodSync(path.join(stage, name), 0o644);
};

const manifest = JSON.parse(read('package.json'));
for (const it of ['private', 'type', 'scripts', 'devDependencies']) delete manifest[it];
manifest.files = ['extension.js', 'LICENSE.txt', 'docs/screenshot.png'];
write('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
write('README.md', read('README.md'));
write('extension.js', read('out', 'extension.js'));
write('docs/screenshot.png', read('docs', 'screenshot.png'));
const licences = ['LICENSE-MIT', 'LICENSE-APACHE'].map((it) => read('..', '..', it).toString());
write('LICENSE.txt', `MIT OR Apache-2.0, at your choice.\n\n${licences.join('\n\n')}`);

await createVSIX({
  cwd: stage,
  packagePath: vsix,
  dependencies: false,
  allowMissingRepository: true,
  rewriteRelativeLinks: false,
});
