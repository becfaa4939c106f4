/** Members by which log lines are searched. No field may replace them. */
const reserved = ['level', 'message', 'timestamp', 'service', 'sampling_rate'];

/** The fields of a line besides its message. A line omits a field that is undefined, null or an empty text. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns a log line: JSON with the members of Powertools' lines, in their order. */
export function lineOf(level: string, message: string, ...fields: readonly Fields[]): string {
  const line: Record<string, unknown> = {
    level,
    message,
    timestamp: new Date().toISOString(),
    service: process.env.SERVICE_NAME,
    sampling_rate: 0,
    xray_trace_id: traceId(),
  };
  for (const some of fields)
    for (const [name, value] of Object.entries(some)) if (!reserved.includes(name)) line[name] = value;
  for (const [name, value] of Object.entries(line)) if (value === null || value === '') line[name] = undefined;
  return JSON.stringify(line, withErrors());
}

/** Lambda replaces the variable for each request. @returns the root of the trace */
function traceId(): string | undefined {
  const { _X_AMZN_TRACE_ID: header = '' } = process.env;
  return header.includes('=') ? /(?:^|;)Root=([^;]*)/.exec(header)?.[1] : header;
}

/** Creates the JSON replacer of one line. It writes errors and bigints, and omits circular references. */
function withErrors() {
  const outer: unknown[] = [];
  // One view of each error, so that an error that leads back to itself is found in `outer`.
  const views = new Map<Error, object>();
  const viewOf = (error: Error): object => {
    const view = views.get(error) ?? viewError(error);
    views.set(error, view);
    return view;
  };
  return function (this: unknown, _name: string, value: unknown): unknown {
    if (typeof value === 'bigint') return String(value);
    const written = value instanceof Error ? viewOf(value) : value;
    if (typeof written !== 'object' || written === null) return written;
    while (outer.length > 0 && outer.at(-1) !== this) outer.pop();
    if (outer.includes(written)) return undefined;
    outer.push(written);
    return written;
  };
}

const viewError = ({ name, message, stack, cause, ...more }: Error): object => ({
  name,
  location: locationIn(stack),
  message,
  stack,
  cause,
  ...more,
});

/** Returns file and line of the innermost frame with parentheses. */
function locationIn(stack = ''): string {
  for (const frame of stack.split('\n')) {
    const [, file, line] = /\(([^()]*?):(\d+):\d+\)$/.exec(frame) ?? [];
    if (file !== undefined) return `${file}:${line}`;
  }
  return '';
}
