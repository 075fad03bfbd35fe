// The extension's life: one socket for each folder of the window, as long as the
// window lives. Every socket answers for all documents of the window.

import * as vscode from 'vscode';

import { localFolders, methods } from './methods.js';
import type { Methods } from './protocol.js';
import { createServer } from './server.js';
import { DEFAULT_FOLDER, listen, removeStale, socketPath, type Listening } from './socket.js';
import { Status } from './status.js';

// A window without a folder may still hold any file: it stands for all of them.
const WITHOUT_FOLDER = '/';

/** Keeps the sockets in step with the folders of the window. */
class Sockets implements vscode.Disposable {
  private readonly open = new Map<string, Listening>();
  private readonly problems = new Map<string, string>();
  private turn: Promise<void> = Promise.resolve();
  private isDisposed = false;
  // The extension host may end without asking us first.
  private readonly onExit = (): void => {
    this.dispose();
  };

  constructor(
    private readonly methods: Methods,
    private readonly status: Status,
    private readonly log: vscode.LogOutputChannel,
  ) {
    process.once('exit', this.onExit);
  }

  /** Opens and closes what is missing and what is left over, one change at a time. */
  sync(): Promise<void> {
    this.turn = this.turn.then(() => this.run());
    return this.turn;
  }

  dispose(): void {
    this.isDisposed = true;
    process.off('exit', this.onExit);
    for (const it of this.open.values()) it.close();
    this.open.clear();
  }

  private async run(): Promise<void> {
    const wanted = new Set(wantedSockets());
    for (const [file, socket] of this.open) {
      if (wanted.has(file)) continue;
      socket.close();
      this.open.delete(file);
      this.log.info(`closed ${file}`);
    }
    this.problems.clear();
    for (const file of wanted) if (!this.open.has(file)) await this.start(file);
    const problem = [...this.problems.values()][0];
    this.status.update({ sockets: [...this.open.keys()], problem });
  }

  private async start(file: string): Promise<void> {
    try {
      const socket = await listen(createServer(this.methods), file);
      if (this.isDisposed) {
        socket.close();
        return;
      }
      this.open.set(file, socket);
      this.log.info(`listening on ${file}`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.problems.set(file, `Agents cannot ask this window: ${reason}`);
      this.log.error(`failed to listen on ${file}: ${reason}`);
    }
  }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel('outrigger', { log: true });
  const status = new Status(log);
  context.subscriptions.push(log, status);
  const version = (context.extension.packageJSON as { version: string }).version;
  log.info(`outrigger ${version}, ${vscode.env.appName} ${vscode.version}, pid ${process.pid}`);
  if (process.platform === 'win32') {
    const problem = 'outrigger does nothing on Windows: it needs Unix sockets.';
    log.warn(problem);
    status.update({ sockets: [], problem });
    return;
  }
  const onRefused = (message: string, file: string): void => {
    log.info(`refused: ${file}`);
    status.refused(message, file);
  };
  const sockets = new Sockets(methods({ version, onRefused }), status, log);
  context.subscriptions.push(
    sockets,
    vscode.workspace.onDidChangeWorkspaceFolders(() => sockets.sync()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('outrigger.socketDir')) void sockets.sync();
    }),
  );
  await sockets.sync();
  try {
    for (const it of await removeStale(socketFolder())) log.info(`removed ${it}, left behind`);
  } catch (error) {
    log.warn(`failed to look for sockets left behind: ${String(error)}`);
  }
}

function wantedSockets(): string[] {
  const folders = localFolders();
  const roots = folders.length === 0 ? [WITHOUT_FOLDER] : folders;
  return roots.map((it) => socketPath(socketFolder(), it, process.pid));
}

function socketFolder(): string {
  const folder = vscode.workspace.getConfiguration('outrigger').get<string>('socketDir');
  return folder === undefined || folder === '' ? DEFAULT_FOLDER : folder;
}
