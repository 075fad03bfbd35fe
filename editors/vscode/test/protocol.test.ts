// Lines in, lines out, without an editor: the protocol and the connections.

import assert from 'node:assert/strict';
import * as net from 'node:net';
import * as path from 'node:path';
import { after, before, test } from 'node:test';

import { answer, CODES, RpcError, type Methods } from '../src/protocol.js';
import { createServer, MAX_LINE_BYTES } from '../src/server.js';
import { folder, send } from './helpers.js';

let release: () => void = () => undefined;
const methods: Methods = {
  echo: (params) => params,
  nothing: () => undefined,
  slow: () =>
    new Promise(
      (resolve) =>
        (release = () => {
          resolve('slow');
        }),
    ),
  dirty: () => {
    throw new RpcError(CODES.dirty, 'dirty');
  },
  broken: () => {
    throw new TypeError('oh');
  },
};

for (const [name, line, expected, isLast] of [
  [
    'result',
    '{"id":1,"method":"echo","params":{"a":"é"}}',
    '{"jsonrpc":"2.0","id":1,"result":{"a":"é"}}',
    false,
  ],
  ['id of any kind', '{"id":"x","method":"echo"}', '{"jsonrpc":"2.0","id":"x","result":{}}', false],
  [
    'nothing is null',
    '{"id":1,"method":"nothing"}',
    '{"jsonrpc":"2.0","id":1,"result":null}',
    false,
  ],
  ['notification', '{"method":"echo"}', undefined, false],
  ['failing notification', '{"method":"broken"}', undefined, false],
  [
    'our error',
    '{"id":1,"method":"dirty"}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"dirty"}}',
    false,
  ],
  [
    'any error',
    '{"id":1,"method":"broken"}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"oh"}}',
    false,
  ],
  [
    'no such method',
    '{"id":1,"method":"constructor"}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no method `constructor`"}}',
    false,
  ],
  [
    'params of a wrong kind',
    '{"id":1,"method":"echo","params":[1]}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"`params` must be an object"}}',
    false,
  ],
  [
    'not a request',
    '[]',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}',
    false,
  ],
  [
    'not JSON',
    '{',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}',
    true,
  ],
] as const) {
  test(`answer: ${name}`, async () => {
    assert.deepEqual(await answer(line, methods), { line: expected, isLast });
  });
}

const socket = path.join(folder(), 's');
const server = createServer(methods);
before(() => new Promise<void>((resolve) => server.listen(socket, resolve)));
after(() => server.close());

const ask = (id: number, method = 'echo') => `{"id":${id},"method":"${method}"}\n`;
const reply = (id: number, result = '{}') => `{"jsonrpc":"2.0","id":${id},"result":${result}}\n`;

test('many requests on one connection', async () => {
  const ids = Array.from({ length: 300 }, (_, idx) => idx);
  assert.equal(
    await send(socket, ids.map((it) => ask(it)).join('')),
    ids.map((it) => reply(it)).join(''),
  );
});

test('answers keep the order of the questions, other connections do not wait', async () => {
  const first = send(socket, ask(1, 'slow') + ask(2));
  assert.equal(await send(socket, ask(3)), reply(3));
  release();
  assert.equal(await first, reply(1, '"slow"') + reply(2));
});

test('a request in pieces, within a character', async () => {
  const bytes = Buffer.from('{"id":1,"method":"echo","params":{"a":"é"}}\n');
  const connection = net.connect(socket);
  const received = new Promise<string>((resolve) => {
    connection.once('data', (it: Buffer) => {
      resolve(it.toString());
    });
  });
  for (const it of bytes) {
    await new Promise((resolve) => connection.write(Buffer.of(it), resolve));
  }
  assert.equal(await received, '{"jsonrpc":"2.0","id":1,"result":{"a":"é"}}\n');
  connection.destroy();
});

test('bad JSON is answered, then the connection is closed', async () => {
  const connection = net.connect(socket);
  let received = '';
  connection.on('data', (it: Buffer) => (received += it.toString()));
  const closed = new Promise((resolve) => connection.once('end', resolve));
  connection.write('nonsense\n');
  await closed;
  assert.equal(
    received,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}\n',
  );
});

for (const [name, rest] of [
  ['with an end', `\n${ask(2)}`],
  ['without end', ''],
] as const) {
  test(`a line that is too long, ${name}`, async () => {
    const tooLong = `"${'x'.repeat(MAX_LINE_BYTES)}"`;
    assert.equal(
      await send(socket, ask(1) + tooLong + rest),
      `${reply(1)}{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a line has at most 1000000 bytes"}}\n`,
    );
  });
}

test('a client that hangs up harms nobody', async () => {
  const connection = net.connect(socket);
  await new Promise((resolve) => connection.write(ask(1, 'slow'), resolve));
  connection.destroy();
  assert.equal(await send(socket, ask(2)), reply(2));
  release();
  assert.equal(await send(socket, ask(3)), reply(3));
});
