type Line = (message: string, fields?: Record<string, unknown>) => void;
type Log = Record<'info' | 'warn' | 'error', Line> & {
  appendKeys: (keys: Record<string, unknown>) => void;
  resetKeys: () => void;
};

class Failure extends Error {
  override readonly name = 'Failure';
  readonly code = 'E_ONE';
  readonly $metadata = { httpStatusCode: 503 };
}

function failureOf(message: string, options?: ErrorOptions): Failure {
  const failure = new Failure(message, options);
  failure.stack = `Failure: ${message}\n    at call (get-call/index.0123456789ab.mjs:1:23)\n    at next (other.mjs:4:5)`;
  return failure;
}

function circular(): Record<string, unknown> {
  const one: Record<string, unknown> = { name: 'one' };
  one.self = one;
  return { one, again: [one] };
}

const shared = { id: 1 };

/** Writes lines of all forms. test/unit/runtime/golden/log-lines.json records what Powertools wrote for them. */
export const logCases: Readonly<Record<string, (log: Log) => void>> = {
  'a message': (log) => log.info('answered'),
  'fields in their order': (log) => log.info('answered', { status: 200, address: '192.0.2.1', ok: true }),
  'keys before fields': (log) => {
    log.appendKeys({ request_id: 'request-1', route: 'GET /v1' });
    log.appendKeys({ org_id: 'org1' });
    log.info('answered', { status: 200 });
  },
  'a field in place of its key': (log) => {
    log.appendKeys({ route: 'a', call_id: 'b' });
    log.info('answered', { route: 'c', status: 200 });
  },
  'a key that was replaced': (log) => {
    log.appendKeys({ route: 'a', call_id: 'b' });
    log.appendKeys({ route: 'c' });
    log.info('answered');
  },
  'no keys of a former request': (log) => {
    log.appendKeys({ request_id: 'request-1' });
    log.resetKeys();
    log.info('answered');
  },
  'no empty fields': (log) => {
    log.appendKeys({ a: undefined, b: '', c: null });
    log.info('answered', { d: undefined, e: '', f: null, g: 0, h: false, i: [], j: {} });
  },
  'empty members of fields': (log) => log.info('x', { in: { a: undefined, b: '', c: null, d: [undefined, null, ''] } }),
  'no empty message': (log) => log.info('', { a: 1 }),
  warnings: (log) => log.warn('unavailable', { error: 'Throttled' }),
  errors: (log) => log.error('failed', { error: failureOf('one'), call_id: 'call_1' }),
  'errors with causes': (log) =>
    log.error('failed', { error: failureOf('one', { cause: failureOf('two', { cause: 'text' }) }) }),
  'errors inside fields': (log) => log.error('failed', { all: [failureOf('one')], in: { error: failureOf('two') } }),
  'an error without a stack': (log) => {
    const error = failureOf('one');
    Reflect.deleteProperty(error, 'stack');
    log.error('failed', { error });
  },
  'long numbers': (log) => log.info('x', { big: 12345678901234567890n, in: [1n] }),
  'an object twice': (log) => log.info('x', { a: shared, b: { shared }, c: [shared, shared] }),
  'no circles': (log) => log.info('x', circular()),
  dates: (log) => log.info('x', { at: new Date(0), all: new Set([1]), of: new Map([['a', 1]]) }),
  'reserved names': (log) => log.info('x', { level: 'no', message: 'no', service: 'no', timestamp: 'no', a: 1 }),
  'text with percent signs': (log) => log.info('%s %d %o', { a: '%s' }),
};

/** Runs work and returns the text that it writes, each with its stream. */
export function writtenBy(work: () => void): string[] {
  const written: string[] = [];
  const streams = [process.stdout, process.stderr] as const;
  const writes = streams.map(({ write }) => write);
  streams.forEach((stream, at) => {
    stream.write = ((text: string) => {
      written.push(`${['stdout', 'stderr'][at]} ${text}`);
      return true;
    }) as typeof stream.write;
  });
  try {
    work();
  } finally {
    streams.forEach((stream, at) => {
      stream.write = writes[at] as typeof stream.write;
    });
  }
  return written.map((line) => line.replace(/"timestamp":"[\dT:.-]{23}Z"/, '"timestamp":"NOW"'));
}
