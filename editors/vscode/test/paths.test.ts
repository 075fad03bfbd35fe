// Paths, as the operating system sees them.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';

import { canonical, fileId, isSameFile } from '../src/paths.js';
import { folder, write } from './helpers.js';

const dir = folder();
write(path.join(dir, 'real', 'a.clj'), 'a');
fs.symlinkSync('real', path.join(dir, 'link'));
fs.symlinkSync('a.clj', path.join(dir, 'real', 'alias.clj'));
fs.symlinkSync('not-yet.clj', path.join(dir, 'real', 'dangling.clj'));
fs.symlinkSync('round', path.join(dir, 'round'));
fs.linkSync(path.join(dir, 'real', 'a.clj'), path.join(dir, 'hard.clj'));

for (const [name, given, expected] of [
  ['a file', 'real/a.clj', 'real/a.clj'],
  ['through a linked folder', 'link/a.clj', 'real/a.clj'],
  ['through a linked file', 'link/alias.clj', 'real/a.clj'],
  ['dots', 'link/../real/./a.clj', 'real/a.clj'],
  ['not there yet', 'link/new.clj', 'real/new.clj'],
  ['nor its folders', 'link/x/y/new.clj', 'real/x/y/new.clj'],
  ['a dangling link', 'link/dangling.clj', 'real/not-yet.clj'],
  ['a link to itself', 'round', 'round'],
] as const) {
  test(`canonical: ${name}`, () => {
    assert.equal(canonical(path.join(dir, given)), path.join(dir, expected));
  });
}

for (const [name, a, b, expected] of [
  ['two spellings', 'link/a.clj', 'real/alias.clj', true],
  ['two files', 'real/a.clj', 'real/b.clj', false],
  ['hard links', 'hard.clj', 'real/a.clj', true],
  ['two new files', 'real/b.clj', 'real/c.clj', false],
  ['one new file', 'link/b.clj', 'real/b.clj', true],
  ['new files apart in case', 'real/b.clj', 'real/B.clj', fs.existsSync(path.join(dir, 'REAL'))],
] as const) {
  test(`same file: ${name}`, () => {
    const ids = [a, b].map((it) => fileId(path.join(dir, it)));
    assert.equal(isSameFile(ids[0]!, ids[1]!), expected);
  });
}
