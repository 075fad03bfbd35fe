// Asks the extension over its socket, as the outrigger command does, and waits
// for conditions with a deadline.

import net from 'node:net';

/** Sends one request; returns its `result`, or throws its `error`. */
export async function ask(socket, method, params = {}) {
  const [reply] = await askAll(socket, [{ method, params }]);
  if (reply.error) throw Object.assign(new Error(reply.error.message), reply.error);
  return reply.result;
}

/** Sends all requests at once over one connection; returns the replies. */
export function askAll(socket, requests, ms = 10_000) {
  return new Promise((resolve, reject) => {
    const connection = net.connect(socket);
    const timer = setTimeout(() => connection.destroy(new Error(`no answer in ${ms} ms`)), ms);
    let received = '';
    connection.setEncoding('utf8');
    connection.on('data', (it) => (received += it));
    connection.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    connection.on('end', () => {
      clearTimeout(timer);
      const replies = received
        .split('\n')
        .slice(0, -1)
        .map((it) => JSON.parse(it));
      if (replies.length === requests.length) resolve(replies);
      else reject(new Error(`${replies.length} replies to ${requests.length} requests`));
    });
    const lines = requests.map((it, id) => JSON.stringify({ jsonrpc: '2.0', id, ...it }));
    connection.end(`${lines.join('\n')}\n`);
  });
}

/**
 * Returns the first truthy value of `look`, asked again and again; what it
 * throws last is told when the deadline passes.
 */
export async function until(what, look, ms = 10_000) {
  const deadline = Date.now() + ms;
  for (;;) {
    let last;
    try {
      const value = await look();
      if (value) return value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) {
      throw new Error(`waited ${ms} ms for ${what}${last ? `: ${last.message}` : ''}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
