// Brings clean documents up to what is on disk. Never touches a document with
// unsaved changes, and never calls `workbench.action.files.revert`: it takes no
// file, acts on whatever is in front or picked in a list, and throws unsaved
// text away.

import * as fs from 'node:fs/promises';
import * as vscode from 'vscode';

import { stateOf, textsOf } from './documents.js';
import type { FileId } from './paths.js';
import { CODES, RpcError } from './protocol.js';

/** Why nothing was done, or how the text came in. */
export type Refreshed =
  | { refreshed: true; how: 'unchanged' | 'watcher' | 'reread' }
  | { refreshed: false; reason: 'not_open' | 'not_loaded' | 'missing' | 'not_reloaded' };

/** What VS Code 1.100 and later know of encodings; older ones have none of it. */
interface Encodings {
  decode?: (content: Uint8Array, options: { encoding: string }) => Thenable<string>;
  openTextDocument: (uri: vscode.Uri, options: { encoding: string }) => Thenable<unknown>;
}

// The editor's watcher needs 90 to 230 ms for the files that it watches.
const WATCHER_MS = 400;
const AFTER_REREAD_MS = 500;
const LOADING_MS = 400;

/** Refreshes every document of `file`. Throws `dirty` if one has unsaved changes. */
export async function refresh(file: FileId): Promise<Refreshed> {
  refuseUnsaved(file);
  const documents = await loaded(file);
  if (documents.length === 0) {
    // A tab that was not looked at since the window opened has no text yet; it
    // is read from disk when it is. Notebooks and custom editors see to themselves.
    return { refreshed: false, reason: stateOf(file).isOpen ? 'not_loaded' : 'not_open' };
  }
  let how: Refreshed & { refreshed: true } = { refreshed: true, how: 'unchanged' };
  for (const document of documents) {
    const one = await refreshOne(document, file);
    if (!one.refreshed) return one;
    if (one.how !== 'unchanged') how = one;
  }
  return how;
}

/** Returns the documents; those of a tab that has just come to the front may take a moment. */
async function loaded(file: FileId): Promise<vscode.TextDocument[]> {
  const find = (): vscode.TextDocument[] =>
    textsOf(file).filter((it) => it.uri.scheme !== 'untitled');
  if (find().length === 0 && stateOf(file).isVisible) {
    await happens(vscode.workspace.onDidOpenTextDocument, () => find().length > 0, LOADING_MS);
  }
  return find();
}

function refuseUnsaved(file: FileId): void {
  if (stateOf(file).hasUnsavedChanges) throw new RpcError(CODES.dirty, 'dirty');
}

async function refreshOne(document: vscode.TextDocument, file: FileId): Promise<Refreshed> {
  const first = await compare(document);
  if (first === 'missing') return { refreshed: false, reason: 'missing' };
  if (first === 'equal') return { refreshed: true, how: 'unchanged' };
  if (await becomesEqual(document, WATCHER_MS)) return { refreshed: true, how: 'watcher' };
  // Not watched: excluded in the settings, reached through a symlink, or outside
  // of the folders and behind another tab.
  refuseUnsaved(file);
  if (!(await reread(document))) {
    refuseUnsaved(file);
    return { refreshed: false, reason: 'not_reloaded' };
  }
  if (await becomesEqual(document, AFTER_REREAD_MS)) return { refreshed: true, how: 'reread' };
  refuseUnsaved(file);
  return { refreshed: false, reason: 'not_reloaded' };
}

/** Waits for the document to show what is on disk; gives up when it becomes unsaved. */
async function becomesEqual(document: vscode.TextDocument, ms: number): Promise<boolean> {
  const isOver = async (): Promise<boolean> =>
    document.isClosed || document.isDirty || (await compare(document)) === 'equal';
  const mayBeEqual = await happens(vscode.workspace.onDidChangeTextDocument, isOver, ms);
  return mayBeEqual && !document.isClosed && !document.isDirty;
}

/** Looks now and after each event; resolves to false when the time is over. */
function happens(
  event: vscode.Event<unknown>,
  look: () => boolean | Promise<boolean>,
  ms: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isTrue: boolean): void => {
      clearTimeout(timer);
      listener.dispose();
      resolve(isTrue);
    };
    const check = async (): Promise<void> => {
      if (await look()) finish(true);
    };
    const timer = setTimeout(() => {
      finish(false);
    }, ms);
    const listener = event(() => void check());
    void check();
  });
}

/** Compares the text with what the editor would read from disk now. */
async function compare(document: vscode.TextDocument): Promise<'equal' | 'different' | 'missing'> {
  let bytes: Uint8Array;
  try {
    bytes = await fs.readFile(document.uri.fsPath);
  } catch {
    return 'missing';
  }
  const text = await decode(bytes, encodingOf(document));
  return lines(text) === lines(document.getText()) ? 'equal' : 'different';
}

async function decode(bytes: Uint8Array, encoding: string | undefined): Promise<string> {
  const workspace = vscode.workspace as unknown as Encodings;
  if (encoding === undefined || !workspace.decode) return new TextDecoder().decode(bytes);
  return workspace.decode(bytes, { encoding });
}

/** The editor drops a byte order mark and makes all line ends alike. */
function lines(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}

function encodingOf(document: vscode.TextDocument): string | undefined {
  return (document as { encoding?: string }).encoding;
}

/**
 * Makes the editor read one document again, by asking for it in another encoding
 * and back. The editor itself refuses this for unsaved text, so none can be lost,
 * however the two calls fall; cursor and undo are kept as by its own reload.
 */
async function reread(document: vscode.TextDocument): Promise<boolean> {
  const encoding = encodingOf(document);
  if (encoding === undefined) return false;
  const workspace = vscode.workspace as unknown as Encodings;
  const openIn = (it: string): Thenable<unknown> =>
    workspace.openTextDocument(document.uri, { encoding: it });
  const home = encoding.replaceAll('-', '');
  try {
    if (encoding === home) await openIn(otherNameOf(home));
    await openIn(home);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns another name of the same encoding: `utf-8` for `utf8`. The editor takes
 * it for a different one, but it reads and writes the same bytes. So if the human
 * types just between the two calls, and the way back is refused, the file is
 * still saved as it was; with `utf8bom` it would gain a byte order mark.
 */
function otherNameOf(encoding: string): string {
  if (encoding === 'utf8bom') return 'utf8';
  return /[0-9]/.test(encoding) ? encoding.replace(/[0-9]/, '-$&') : `${encoding}-`;
}
