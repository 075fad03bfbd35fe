// Runs the unit tests: bundles each with a stub in place of the `vscode` module,
// then hands them to Node's test runner.

import { spawnSync } from 'node:child_process';
import * as esbuild from 'esbuild';
import fs from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const out = path.join(root, 'out', 'test');
const tests = fs.readdirSync(path.join(root, 'test')).filter((it) => it.endsWith('.test.ts'));

fs.rmSync(out, { recursive: true, force: true });
await esbuild.build({
  absWorkingDir: root,
  entryPoints: tests.map((it) => `test/${it}`),
  outdir: out,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  alias: { vscode: './test/stub.ts' },
  sourcemap: 'inline',
  logLevel: 'warning',
});

const files = tests.map((it) => path.join(out, it.replace(/\.ts$/, '.mjs')));
// A failed test may leave a socket open: that must not keep the run from ending.
const options = ['--enable-source-maps', '--test', '--test-force-exit', '--test-timeout=30000'];
const { status } = spawnSync(process.execPath, [...options, ...files], { stdio: 'inherit' });
process.exitCode = status ?? 1;
