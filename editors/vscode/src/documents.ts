// What this window holds: which files are open, shown, and unsaved. Text
// documents and tabs are both asked: only the former know a text file restored
// without a tab in front, only the latter know custom editors.
// Reads, never changes anything.

import * as vscode from 'vscode';

import { fileId, isSameFile, type FileId } from './paths.js';

/** How one file stands in this window. */
export interface FileState {
  /** It is what the human works on: the active editor or the active tab. */
  readonly isCurrent: boolean;
  readonly hasUnsavedChanges: boolean;
  readonly isOpen: boolean;
  /** Some editor group shows it. */
  readonly isVisible: boolean;
}

/** A file with unsaved changes. */
export interface Unsaved {
  readonly uri: vscode.Uri;
  readonly kind: 'text' | 'notebook' | 'custom';
}

interface OpenTab {
  readonly tab: vscode.Tab;
  readonly isInActiveGroup: boolean;
  /** What a save of this tab would write. */
  readonly written: vscode.Uri | undefined;
  /** The other side of a comparison. */
  readonly compared: vscode.Uri | undefined;
  readonly kind: Unsaved['kind'];
}

// `untitled:` with an absolute path is a new file that has its name already.
// `vscode-userdata:` are the editor's own settings, files like any other.
const SCHEMES = ['file', 'untitled', 'vscode-userdata'];

/** Returns the path of what is, or will be, a file on this machine. */
export function pathOf(uri: vscode.Uri | undefined): string | undefined {
  if (!uri || !SCHEMES.includes(uri.scheme) || !uri.path.startsWith('/')) return undefined;
  return uri.fsPath;
}

/** Returns a test for "this URI is that file", with each path looked up once. */
export function matcher(file: FileId): (uri: vscode.Uri | undefined) => boolean {
  const known = new Map<string, boolean>();
  return (uri) => {
    const path = pathOf(uri);
    if (path === undefined) return false;
    let isMatch = known.get(path);
    if (isMatch === undefined) {
      isMatch = path === file.real || isSameFile(fileId(path), file);
      known.set(path, isMatch);
    }
    return isMatch;
  };
}

/** Returns how `file` stands. */
export function stateOf(file: FileId): FileState {
  const isIt = matcher(file);
  const texts = vscode.workspace.textDocuments.filter((it) => isIt(it.uri));
  const notebooks = vscode.workspace.notebookDocuments.filter((it) => isIt(it.uri));
  const tabs = openTabs().filter((it) => isIt(it.written) || isIt(it.compared));
  const isActiveEditor = isIt(vscode.window.activeTextEditor?.document.uri);
  return {
    isCurrent: isActiveEditor || tabs.some((it) => it.tab.isActive && it.isInActiveGroup),
    hasUnsavedChanges:
      texts.some((it) => it.isDirty) ||
      notebooks.some((it) => it.isDirty) ||
      tabs.some((it) => it.tab.isDirty && isIt(it.written)),
    isOpen: texts.length > 0 || notebooks.length > 0 || tabs.length > 0,
    isVisible:
      isActiveEditor ||
      vscode.window.visibleTextEditors.some((it) => isIt(it.document.uri)) ||
      tabs.some((it) => it.tab.isActive),
  };
}

/** Returns all text documents of `file`: a symlink makes a second one. */
export function textsOf(file: FileId): vscode.TextDocument[] {
  const isIt = matcher(file);
  return vscode.workspace.textDocuments.filter((it) => isIt(it.uri) && !it.isClosed);
}

/** Returns everything unsaved that has a path, each once, and how much has none. */
export function unsaved(): { files: Unsaved[]; nWithoutPath: number } {
  const found = new Map<string, Unsaved>();
  const add = (uri: vscode.Uri | undefined, kind: Unsaved['kind']): void => {
    if (uri && !found.has(uri.toString())) found.set(uri.toString(), { uri, kind });
  };
  for (const it of vscode.workspace.notebookDocuments) if (it.isDirty) add(it.uri, 'notebook');
  for (const it of vscode.workspace.textDocuments) {
    // A cell belongs to its notebook, which is listed itself.
    if (it.isDirty && it.uri.scheme !== 'vscode-notebook-cell') add(it.uri, 'text');
  }
  for (const it of openTabs()) if (it.tab.isDirty) add(it.written, it.kind);
  const all = [...found.values()];
  const files = all.filter((it) => pathOf(it.uri) !== undefined);
  return { files, nWithoutPath: all.length - files.length };
}

function openTabs(): OpenTab[] {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  return all.flatMap((group) =>
    group.tabs.map((tab) => ({ tab, isInActiveGroup: group === activeTabGroup, ...read(tab) })),
  );
}

/** Reads a tab's input by its shape: not every kind of tab has a class in the API. */
function read(tab: vscode.Tab): Pick<OpenTab, 'written' | 'compared' | 'kind'> {
  const input = (tab.input ?? {}) as {
    uri?: vscode.Uri;
    modified?: vscode.Uri;
    original?: vscode.Uri;
    result?: vscode.Uri;
    viewType?: string;
    notebookType?: string;
  };
  const written = input.uri ?? input.modified ?? input.result;
  const kind = input.notebookType ? 'notebook' : input.viewType ? 'custom' : 'text';
  return { written, compared: input.original, kind };
}
