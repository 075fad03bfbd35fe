// JSON-RPC 2.0, one line each way. Turns a request line into a reply line; knows
// neither sockets nor the editor.

export type Params = Readonly<Record<string, unknown>>;
export type Method = (params: Params) => unknown;
export type Methods = Readonly<Record<string, Method>>;

export interface Reply {
  /** The line to send, without its newline; `undefined` after a notification. */
  readonly line: string | undefined;
  /** The peer does not speak our protocol: nothing after this line can be trusted. */
  readonly isLast: boolean;
}

/** The codes of the specification, and our own from -32000 downwards. */
export const CODES = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  failed: -32000,
  dirty: -32001,
} as const;

/** An answer that is a "no": becomes the `error` of the reply. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** Answers one line. Never throws. */
export async function answer(line: string, methods: Methods): Promise<Reply> {
  let request: unknown;
  try {
    request = JSON.parse(line);
  } catch {
    return { line: failure(null, CODES.parse, 'parse error'), isLast: true };
  }
  if (!isRecord(request) || typeof request['method'] !== 'string') {
    return { line: failure(null, CODES.request, 'invalid request'), isLast: false };
  }
  const { id, method, params } = request;
  const body = await outcome(method, params, methods);
  // Without an id it is a notification, which gets no answer, not even an error.
  if (id === undefined) return { line: undefined, isLast: false };
  return { line: JSON.stringify({ jsonrpc: '2.0', id, ...body }), isLast: false };
}

/** Returns the reply line for a request that could not be read at all. */
export function failure(id: unknown, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

/** Returns the string at `name`, which must be there. */
export function requiredString(params: Params, name: string): string {
  const value = params[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new RpcError(CODES.params, `\`${name}\` must be a string`);
}

/** Returns the string at `name`, if there is one. */
export function optionalString(params: Params, name: string): string | undefined {
  return params[name] === undefined || params[name] === null
    ? undefined
    : requiredString(params, name);
}

async function outcome(
  name: string,
  params: unknown,
  methods: Methods,
): Promise<{ result: unknown } | { error: { code: number; message: string } }> {
  // `hasOwn`, or `constructor` would be a method.
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (!method) return { error: { code: CODES.method, message: `no method \`${name}\`` } };
  if (params !== undefined && !isRecord(params)) {
    return { error: { code: CODES.params, message: '`params` must be an object' } };
  }
  try {
    return { result: (await method(params ?? {})) ?? null };
  } catch (error) {
    const code = error instanceof RpcError ? error.code : CODES.failed;
    return { error: { code, message: error instanceof Error ? error.message : String(error) } };
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
