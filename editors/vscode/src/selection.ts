// What the human has selected in the active editor.

import type * as vscode from 'vscode';

import { pathOf } from './documents.js';
import { canonical } from './paths.js';

/** One selected stretch. Lines count from 1, both ends included. */
export interface Selected {
  file_path: string;
  start_line: number;
  end_line: number;
  text: string;
  /** Only the beginning of the text is here. */
  truncated?: true;
}

/** Everything selected together is cut here. */
export const MAX_BYTES = 64 * 1024;

/** Returns the non-empty selections from top to bottom. */
export function selected(editor: vscode.TextEditor | undefined): Selected[] {
  const path = pathOf(editor?.document.uri);
  if (!editor || path === undefined) return [];
  const found: Selected[] = [];
  let nBytes = MAX_BYTES;
  const spans = editor.selections.filter((it) => !it.isEmpty);
  for (const span of spans.sort((a, b) => a.start.compareTo(b.start))) {
    if (nBytes <= 0) break;
    const whole = editor.document.getText(span);
    const text = cut(whole, nBytes);
    nBytes -= Buffer.byteLength(text);
    // Whole lines are selected up to column 0 of the next, which is no part of them.
    const endsBefore = span.end.character === 0 && span.end.line > span.start.line;
    found.push({
      file_path: canonical(path),
      start_line: span.start.line + 1,
      end_line: endsBefore ? span.end.line : span.end.line + 1,
      text,
      ...(text === whole ? {} : { truncated: true as const }),
    });
  }
  return found;
}

/** Returns the longest beginning of `text` within `nBytes`, no character split. */
function cut(text: string, nBytes: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= nBytes) return text;
  let end = nBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString('utf8');
}
