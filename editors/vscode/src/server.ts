// Connections: bytes in, lines out, for any number of clients at once. Knows
// the protocol, but neither where the socket is nor what the methods do.

import * as net from 'node:net';

import { answer, CODES, failure, type Methods, type Reply } from './protocol.js';

/** A longer line is not one of our requests. */
export const MAX_LINE_BYTES = 1_000_000;

/** More questions than this wait in the kernel until some are answered. */
const MAX_PENDING = 64;

const MAX_CONNECTIONS = 64;
const NEWLINE = 0x0a;

/** Returns a server that is not listening yet. */
export function createServer(methods: Methods): net.Server {
  // Half open: a client may send its questions, close its side, and then read.
  const server = net.createServer({ allowHalfOpen: true }, (connection) => {
    serve(connection, methods);
  });
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

function serve(connection: net.Socket, methods: Methods): void {
  let pending: Buffer = Buffer.alloc(0);
  let nPending = 0;
  let isOver = false;
  // Questions are worked on side by side; the answers leave in their order.
  let sent: Promise<void> = Promise.resolve();

  const enqueue = (reply: Promise<Reply>): void => {
    nPending += 1;
    if (nPending >= MAX_PENDING) connection.pause();
    sent = sent.then(async () => {
      const { line, isLast } = await reply;
      if (line !== undefined && connection.writable) await write(connection, `${line}\n`);
      if (isLast) {
        isOver = true;
        connection.destroySoon();
      }
      nPending -= 1;
      if (nPending < MAX_PENDING) connection.resume();
    });
  };
  const refuseLongLine = (): void => {
    isOver = true;
    const line = failure(null, CODES.request, `a line has at most ${MAX_LINE_BYTES} bytes`);
    enqueue(Promise.resolve({ line, isLast: true }));
  };

  connection.on('data', (chunk: Buffer) => {
    if (isOver) return;
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (let end = pending.indexOf(NEWLINE); end >= 0; end = pending.indexOf(NEWLINE)) {
      const line = pending.subarray(0, end);
      pending = pending.subarray(end + 1);
      if (line.length > MAX_LINE_BYTES) {
        refuseLongLine();
        return;
      }
      if (line.length > 0) enqueue(answer(line.toString('utf8'), methods));
    }
    if (pending.length > MAX_LINE_BYTES) refuseLongLine();
  });
  connection.on('end', () => {
    sent = sent.then(() => {
      connection.end();
    });
  });
  // A client that hangs up is its own affair.
  connection.on('error', () => {
    connection.destroy();
  });
}

/** Resolves when the kernel has taken the bytes, or the client is gone. */
function write(connection: net.Socket, text: string): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      connection.off('close', done);
      resolve();
    };
    connection.once('close', done);
    connection.write(text, done);
  });
}
