// The methods of the protocol, one row each. README.md documents them; the
// names are those of the `outrigger` command.

import * as path from 'node:path';
import * as vscode from 'vscode';

import { stateOf, unsaved } from './documents.js';
import { warn } from './messages.js';
import { canonical, fileId, type FileId } from './paths.js';
import {
  CODES,
  optionalString,
  requiredString,
  RpcError,
  type Methods,
  type Params,
} from './protocol.js';
import { refresh } from './refresh.js';
import { selected } from './selection.js';

/** Grows when an answer changes its meaning; new fields do not count. */
const PROTOCOL = 1;

/** What the methods need besides the editor itself. */
export interface Surroundings {
  readonly version: string;
  /** Called for every write that was refused because of this window. */
  onRefused: (message: string, file: string) => void;
}

/** Returns the table of methods. */
export function methods({ version, onRefused }: Surroundings): Methods {
  return {
    hello: () => ({
      name: 'outrigger',
      version,
      protocol: PROTOCOL,
      pid: process.pid,
      folders: localFolders().map((it) => canonical(it)),
      app: vscode.env.appName,
      app_version: vscode.version,
    }),
    buffer_status: (params) => {
      const state = stateOf(fileAt(params));
      return {
        is_current: state.isCurrent,
        has_unsaved_changes: state.hasUnsavedChanges,
        is_open: state.isOpen,
        is_visible: state.isVisible,
      };
    },
    list_unsaved: () => {
      const { files, nWithoutPath } = unsaved();
      const rows = files.map(({ uri, kind }) => {
        const file = fileId(uri.fsPath);
        const { isCurrent, isVisible } = stateOf(file);
        return { file_path: file.real, kind, is_current: isCurrent, is_visible: isVisible };
      });
      return { files: rows, n_without_path: nWithoutPath };
    },
    refresh_buffer: (params) => refresh(fileAt(params)),
    send_message: (params) => {
      const message = requiredString(params, 'message');
      const file = optionalString(params, 'file_path') && fileAt(params).real;
      warn(message, file);
      if (file !== undefined && params['refused'] !== false) onRefused(message, file);
      return { shown: true };
    },
    get_visual_selection: () => selected(vscode.window.activeTextEditor),
  };
}

/** Returns the folders of this window that are on this machine. */
export function localFolders(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter((it) => it.uri.scheme === 'file').map((it) => it.uri.fsPath);
}

function fileAt(params: Params): FileId {
  const file = requiredString(params, 'file_path');
  // We cannot know against which folder the asker's path is meant.
  if (!path.isAbsolute(file)) throw new RpcError(CODES.params, '`file_path` must be absolute');
  return fileId(file);
}
