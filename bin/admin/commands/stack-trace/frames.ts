import { SourceMap } from 'node:module';
import { isOurs, type SourceMapOfBundle } from '../../../../lib/source-maps.ts';
import { functionAt } from './function-at.ts';
import { isFrame } from './input.ts';

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
