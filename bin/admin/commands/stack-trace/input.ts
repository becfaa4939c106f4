/** Maximum nesting of members in a log line, such as causes of causes. */
const MAX_DEPTH = 20;

/** Returns whether a line of a stack trace names a position in code. */
export const isFrame = (line: string): boolean => line.trimStart().startsWith('at ');

const hasFrame = (text: string): boolean => text.split('\n').some(isFrame);

/**
 * Finds the stack traces in a text: in the members of JSON documents, such as log lines (`error.stack`, its causes, the
 * runtime's `stackTrace`), which may have a prefix on their line; otherwise the whole text is one stack.
 */
export function stackTracesIn(text: string): string[] {
  const whole = parsed(text);
  if (whole !== undefined) return unique(tracesOf(whole, 0));
  const documents = text.split('\n').flatMap((line) => {
    const document = parsed(line.slice(Math.max(line.indexOf('{'), 0)));
    return document === undefined ? [] : [document];
  });
  return documents.length > 0 ? unique(documents.flatMap((document) => tracesOf(document, 0))) : [text.trim()];
}

function tracesOf(value: object, depth: number): string[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value) && value.every((line) => typeof line === 'string') && value.some(isFrame))
    return [value.join('\n')];
  return Object.values(value).flatMap((member: unknown) => {
    if (typeof member === 'object' && member !== null) return tracesOf(member, depth + 1);
    if (typeof member !== 'string') return [];
    // CloudWatch's own documents contain the log line as a text.
    const document = parsed(member);
    if (document !== undefined) return tracesOf(document, depth + 1);
    return hasFrame(member) ? [member] : [];
  });
}

/** @returns the object or list of a JSON text; undefined for other texts */
function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const unique = (traces: string[]): string[] => [...new Set(traces)];
