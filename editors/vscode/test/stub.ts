// Stands in for the `vscode` module: as much of it as the extension uses, with a
// world that tests put together. Documents behave like the editor's: a dirty one
// refuses to be opened in another encoding.

import * as fs from 'node:fs';

type Listener<T> = (event: T) => unknown;

export class EventEmitter<T> {
  private readonly listeners = new Set<Listener<T>>();
  readonly event = (listener: Listener<T>) => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };
  get nListeners(): number {
    return this.listeners.size;
  }
  fire(event: T): void {
    for (const it of this.listeners) it(event);
  }
}

export class Uri {
  constructor(
    readonly scheme: string,
    readonly path: string,
  ) {}
  static file(path: string): Uri {
    return new Uri('file', path);
  }
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    return `${this.scheme}:${this.path}`;
  }
}

export class ThemeColor {
  constructor(readonly id: string) {}
}
export const StatusBarAlignment = { Left: 1, Right: 2 };
export const QuickPickItemKind = { Separator: -1, Default: 0 };

export class TextDocument {
  isDirty = false;
  isClosed = false;
  encoding: string | undefined = 'utf8';
  /** Every encoding that it was opened in. */
  readonly opened: string[] = [];
  constructor(
    readonly uri: Uri,
    public text: string,
  ) {}
  getText(span?: Selection): string {
    if (!span) return this.text;
    const lines = this.text.split('\n');
    const offset = (at: Position): number =>
      lines.slice(0, at.line).reduce((sum, it) => sum + it.length + 1, 0) + at.character;
    return this.text.slice(offset(span.start), offset(span.end));
  }
  /** As the editor's watcher does it. */
  reload(): void {
    this.text = fs.readFileSync(this.uri.fsPath, 'utf8');
    changed.fire({ document: this });
  }
  type(text: string): void {
    this.text += text;
    this.isDirty = true;
    changed.fire({ document: this });
  }
}

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
  compareTo(other: Position): number {
    return this.line - other.line || this.character - other.character;
  }
}

export class Selection {
  constructor(
    readonly start: Position,
    readonly end: Position,
  ) {}
  get isEmpty(): boolean {
    return this.start.compareTo(this.end) === 0;
  }
}

export interface Tab {
  input: unknown;
  isDirty: boolean;
  isActive: boolean;
}

export const changed = new EventEmitter<{ document: TextDocument }>();
const foldersChanged = new EventEmitter<undefined>();
const never = new EventEmitter<unknown>();

/** What tests set, and what the extension did. */
export const world = {
  folders: [] as string[],
  documents: [] as TextDocument[],
  notebooks: [] as { uri: Uri; isDirty: boolean }[],
  active: undefined as { document: TextDocument; selections: Selection[] } | undefined,
  visible: [] as TextDocument[],
  groups: [] as { tabs: Tab[] }[],
  activeGroup: 0,
  settings: {} as Record<string, unknown>,
  /** Makes `openTextDocument` read nothing, as a human typing in between would. */
  beforeOpen: ignore as (document: TextDocument, encoding: string) => void,
  /** The button that the human presses. */
  pressed: undefined as string | undefined,
  messages: [] as string[][],
  executed: [] as unknown[][],
  bar: { text: '', tooltip: undefined as unknown, backgroundColor: undefined as unknown },
  picked: [] as { label: string }[],
  commands: new Map<string, () => unknown>(),
  log: [] as string[],
  changeFolders(folders: string[]): void {
    world.folders = folders;
    foldersChanged.fire(undefined);
  },
};
const empty = { ...world };

/** Makes the world empty again. */
export function reset(): void {
  Object.assign(world, empty, {
    folders: [],
    documents: [],
    notebooks: [],
    visible: [],
    groups: [],
    settings: {},
    messages: [],
    executed: [],
    bar: { text: '', tooltip: undefined, backgroundColor: undefined },
    picked: [],
    commands: new Map(),
    log: [],
  });
}

export const version = '1.139.1';
export const env = { appName: 'Stub' };

export const workspace = {
  get textDocuments(): TextDocument[] {
    return world.documents;
  },
  get notebookDocuments(): { uri: Uri; isDirty: boolean }[] {
    return world.notebooks;
  },
  get workspaceFolders(): { uri: Uri }[] {
    return world.folders.map((it) => ({ uri: Uri.file(it) }));
  },
  getConfiguration: () => ({ get: (name: string) => world.settings[name] }),
  openTextDocument(uri: Uri, { encoding }: { encoding: string }): Promise<TextDocument> {
    const document = world.documents.find((it) => it.uri === uri);
    if (!document) return Promise.reject(new Error('cannot open'));
    world.beforeOpen(document, encoding);
    if (document.isDirty) return Promise.reject(new Error('Cannot re-open a dirty text document'));
    document.opened.push(encoding);
    if (document.encoding !== encoding) {
      document.encoding = encoding;
      document.reload();
    }
    return Promise.resolve(document);
  },
  decode(content: Uint8Array, { encoding }: { encoding: string }): Promise<string> {
    return Promise.resolve(
      new TextDecoder(encoding.replace('bom', '').replace(/^windows/, '$&-')).decode(content),
    );
  },
  onDidChangeTextDocument: changed.event,
  onDidSaveTextDocument: never.event,
  onDidOpenTextDocument: never.event,
  onDidCloseTextDocument: never.event,
  onDidChangeNotebookDocument: never.event,
  onDidSaveNotebookDocument: never.event,
  onDidChangeWorkspaceFolders: foldersChanged.event,
  onDidChangeConfiguration: never.event,
};

export const window = {
  get activeTextEditor() {
    return world.active;
  },
  get visibleTextEditors() {
    return world.visible.map((document) => ({ document }));
  },
  tabGroups: {
    get all() {
      return world.groups;
    },
    get activeTabGroup() {
      return world.groups[world.activeGroup];
    },
    onDidChangeTabs: never.event,
  },
  showWarningMessage(...message: string[]): Promise<string | undefined> {
    world.messages.push(message);
    return Promise.resolve(world.pressed);
  },
  showQuickPick(rows: { label: string }[]): Promise<undefined> {
    world.picked = rows;
    return Promise.resolve(undefined);
  },
  createStatusBarItem: () => Object.assign(world.bar, { show: ignore, dispose: ignore }),
  createOutputChannel: () => {
    const add = (line: string) => world.log.push(line);
    return { info: add, warn: add, error: add, show: ignore, dispose: ignore };
  },
};

export const commands = {
  executeCommand(...command: unknown[]): Promise<void> {
    world.executed.push(command);
    return Promise.resolve();
  },
  registerCommand(name: string, run: () => unknown) {
    world.commands.set(name, run);
    return { dispose: () => world.commands.delete(name) };
  },
};

function ignore(): void {
  // Nothing to see.
}
