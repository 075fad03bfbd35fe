// Bundles the extension into one file: out/extension.js

import * as esbuild from 'esbuild';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');

await esbuild.build({
  absWorkingDir: root,
  entryPoints: ['src/extension.ts'],
  outfile: 'out/extension.js',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  // Node 20 is the extension host of VS Code 1.90, the oldest that we name.
  target: 'node20',
  external: ['vscode'],
  minifySyntax: true,
  legalComments: 'inline',
  logLevel: 'warning',
});
