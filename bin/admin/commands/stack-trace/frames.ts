import { SourceMap } from 'node:module';
import { type Node, parseSync, Visitor } from 'oxc-parser';
import { isOurs, type SourceMapOfBundle } from '../../../../lib/source-maps.ts';

/** A bundle's name, which lib/bundle.ts gives, and a position in it, as V8 writes it. */
const POSITION = /^([a-z][a-z0-9-]*\/[a-z][a-z0-9-]*\.[0-9a-f]{12}\.mjs):(\d+):(\d+)$/;

/** @returns the names of the bundles, each once */
export const bundlesIn = (trace: string): string[] => [
  ...new Set(trace.split('\n').flatMap((line) => positionIn(line)?.bundle ?? [])),
];

/** @returns the position in a bundle at the end of a frame, in parentheses if V8 knows the function */
function positionIn(line: string): { bundle: string; row: number; column: number } | undefined {
  if (!isFrame(line)) return undefined;
  const end = line.trimEnd().replace(/\)$/, '');
  const found = POSITION.exec(end.slice(Math.max(end.lastIndexOf('('), end.lastIndexOf(' ')) + 1));
  return found ? { bundle: found[1] ?? '', row: Number(found[2]), column: Number(found[3]) } : undefined;
}

/** Names files, lines, columns and functions in the frames of a stack trace, with the line of code if it is ours. */
export function translate(trace: string, maps: readonly SourceMapOfBundle[]): string {
  const readers = new Map(maps.map((map) => [map.file, readerOf(map)]));
  return trace
    .split('\n')
    .map((line) => {
      const position = positionIn(line);
      const place = position && readers.get(position.bundle)?.(position.row, position.column);
      return place ? frame(line, place) : line;
    })
    .join('\n');
}

type Place = { at: string; name: string | undefined; code: string | undefined };

function frame(line: string, { at, name, code }: Place): string {
  const before = /^\s*at (?:async )?/.exec(line)?.[0] ?? '';
  const shown = name ?? methodIn(line.slice(before.length));
  return `${before}${shown ? `${shown} (${at})` : at}${code ? `\n${' '.repeat(before.length)}> ${code}` : ''}`;
}

/** V8's name of a method, which is not minified, unlike names of functions and classes. */
const methodIn = (call: string): string | undefined => /^[\w$]+\.([\w$]+) \(?/.exec(call)?.[1];

/** @returns a function from a position in the bundle, which begins at 1:1, to the place in the sources */
function readerOf(map: SourceMapOfBundle): (row: number, column: number) => Place | undefined {
  // The types of SourceMap omit that the content of a source may be unknown.
  const reader = new SourceMap(map as ConstructorParameters<typeof SourceMap>[0]);
  return (row, column) => {
    const entry = reader.findEntry(row - 1, column - 1);
    if (!('originalSource' in entry)) return undefined;
    const { originalSource: source, originalLine, originalColumn } = entry;
    const at = `${source}:${originalLine + 1}:${originalColumn + 1}`;
    const content = isOurs(source) ? map.sourcesContent[map.sources.indexOf(source)] : undefined;
    if (!content) return { at, name: undefined, code: undefined };
    const lines = content.split('\n');
    const offset = lines.slice(0, originalLine).join('\n').length + (originalLine > 0 ? 1 : 0) + originalColumn;
    return { at, name: functionAt(source, content, offset), code: lines[originalLine]?.trim() };
  };
}

/**
 * Finds the name of the innermost named function around a place. The bundle's own names are minified.
 * @param offset in characters
 */
function functionAt(file: string, code: string, offset: number): string | undefined {
  let found: { start: number; name: string } | undefined;
  const consider = (key: Node | null, body: Node | null) => {
    const name = key && 'name' in key && typeof key.name === 'string' ? key.name : undefined;
    if (!name || !body || !/Function/.test(body.type) || offset < body.start || offset >= body.end) return;
    if (!found || body.start > found.start) found = { start: body.start, name };
  };
  new Visitor({
    FunctionDeclaration: (node) => consider(node.id, node),
    FunctionExpression: (node) => consider(node.id, node),
    VariableDeclarator: ({ id, init }) => consider(id, init),
    MethodDefinition: ({ key, value }) => consider(key, value),
    PropertyDefinition: ({ key, value }) => consider(key, value),
    Property: ({ key, value }) => consider(key, value),
  }).visit(parseSync(file, code).program);
  return found?.name;
}

/** Maximum nesting of members in a log line, such as causes of causes. */
const MAX_DEPTH = 20;

/** Returns whether a line of a stack trace names a position in code. */
const isFrame = (line: string): boolean => line.trimStart().startsWith('at ');

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
