// What the human is told, and the button that leads to the file.

import * as vscode from 'vscode';

import { matcher, unsaved } from './documents.js';
import { fileId } from './paths.js';

const MAX_CHARS = 1000;
const OPEN = 'Open file';

/** Shows a warning; does not wait for the human to answer it. */
export function warn(message: string, file: string | undefined): void {
  const buttons = file === undefined ? [] : [OPEN];
  void vscode.window.showWarningMessage(plain(message), ...buttons).then((chosen) => {
    if (chosen === OPEN && file !== undefined) void open(file);
  });
}

/** Brings `file` to the front, in the editor that holds it unsaved if there is one. */
export async function open(file: string): Promise<void> {
  const isIt = matcher(fileId(file));
  const held = unsaved().files.find((it) => isIt(it.uri));
  await reveal(held?.uri ?? vscode.Uri.file(file));
}

/** Brings the document with that URI to the front. */
export async function reveal(uri: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand('vscode.open', uri, { preview: false });
}

/**
 * Returns the message as the text it is: messages of the editor may carry links
 * that run commands, and a file name must not become one.
 */
export function plain(message: string): string {
  const text = message.replace(/\p{Cc}+/gu, ' ').replaceAll('](', '] (');
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}
