// What the human sees of us: an item in the status bar, and the list behind it.

import * as path from 'node:path';
import * as vscode from 'vscode';

import { unsaved } from './documents.js';
import { open, plain, reveal } from './messages.js';

/** What is going on besides the documents. */
export interface Situation {
  /** The sockets over which this window answers. */
  readonly sockets: string[];
  /** Why this window does not answer, in words for the human. */
  readonly problem: string | undefined;
}

interface Refusal {
  readonly message: string;
  readonly file: string;
  readonly at: Date;
}

interface Row extends vscode.QuickPickItem {
  readonly run?: () => unknown;
}

// Typing makes an event for each key; the number of unsaved files changes rarely.
const SETTLE_MS = 50;
const MAX_REFUSALS = 20;

/** The status bar item and the command `outrigger.showStatus`. */
export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'outrigger',
    vscode.StatusBarAlignment.Right,
  );
  private readonly subscriptions: vscode.Disposable[] = [this.item];
  private timer: NodeJS.Timeout | undefined;
  private situation: Situation = { sockets: [], problem: undefined };
  private refusals: Refusal[] = [];
  private nRefused = 0;
  private isSeen = true;

  constructor(private readonly log: vscode.LogOutputChannel) {
    const later = (): void => {
      this.timer ??= setTimeout(() => {
        this.timer = undefined;
        this.draw();
      }, SETTLE_MS);
    };
    this.item.name = 'outrigger';
    this.item.command = 'outrigger.showStatus';
    this.subscriptions.push(
      vscode.workspace.onDidChangeTextDocument(later),
      vscode.workspace.onDidSaveTextDocument(later),
      vscode.workspace.onDidOpenTextDocument(later),
      vscode.workspace.onDidCloseTextDocument(later),
      vscode.workspace.onDidChangeNotebookDocument(later),
      vscode.workspace.onDidSaveNotebookDocument(later),
      vscode.window.tabGroups.onDidChangeTabs(later),
      vscode.commands.registerCommand('outrigger.showStatus', () => this.show()),
    );
    this.draw();
    this.item.show();
  }

  /** Tells what the sockets do. */
  update(situation: Situation): void {
    this.situation = situation;
    this.draw();
  }

  /** Counts a write that an agent was refused because of this window. */
  refused(message: string, file: string): void {
    this.nRefused += 1;
    this.isSeen = false;
    this.refusals = [{ message, file, at: new Date() }, ...this.refusals].slice(0, MAX_REFUSALS);
    this.draw();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const it of this.subscriptions) it.dispose();
  }

  private draw(): void {
    const { problem, sockets } = this.situation;
    const { files, nWithoutPath } = unsaved();
    const nUnsaved = files.length + nWithoutPath;
    const parts = ['outrigger'];
    if (problem !== undefined) parts.push('off');
    if (nUnsaved > 0) parts.push(`${nUnsaved} unsaved`);
    if (this.nRefused > 0) parts.push(`${this.nRefused} refused`);
    this.item.text = `$(shield) ${parts.join(' · ')}`;
    const names = files.map((it) => path.basename(it.uri.fsPath)).sort();
    this.item.tooltip =
      problem ??
      (sockets.length === 0
        ? 'Starting.'
        : names.length === 0
          ? 'Agents may write: nothing here is unsaved.'
          : `Agents are kept from: ${names.join(', ')}`);
    const isLoud = problem !== undefined || !this.isSeen;
    this.item.backgroundColor = isLoud
      ? new vscode.ThemeColor('statusBarItem.warningBackground')
      : undefined;
  }

  private async show(): Promise<void> {
    this.isSeen = true;
    this.draw();
    const options = { title: 'outrigger', placeHolder: this.summary() };
    await (await vscode.window.showQuickPick<Row>(this.rows(), options))?.run?.();
  }

  private summary(): string {
    const { problem, sockets } = this.situation;
    return problem ?? (sockets.length === 0 ? 'starting' : 'answering the outrigger command');
  }

  private rows(): Row[] {
    const files = unsaved().files.map(({ uri }) => ({
      label: `$(circle-filled) ${path.basename(uri.fsPath)}`,
      description: path.dirname(uri.fsPath),
      run: () => reveal(uri),
    }));
    const refusals = this.refusals.map(({ message, file, at }) => ({
      label: `$(circle-slash) ${path.basename(file)}`,
      description: at.toLocaleTimeString(),
      detail: plain(message),
      run: () => open(file),
    }));
    const sockets = this.situation.sockets.map((it) => ({ label: `$(plug) ${it}` }));
    const log = {
      label: '$(output) Show log',
      run: () => {
        this.log.show();
      },
    };
    return [
      ...section('unsaved: agents are kept out', files),
      ...section('refused writes', refusals),
      ...section('sockets', sockets),
      ...section('more', [log]),
    ];
  }
}

function section(label: string, rows: Row[]): Row[] {
  const separator = { label, kind: vscode.QuickPickItemKind.Separator };
  return rows.length === 0 ? [] : [separator, ...rows];
}
