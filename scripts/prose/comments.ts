import { parseSync } from 'oxc-parser';

/** Blanks everything but the comments, so that line numbers stay the same and each comment reads as Markdown. */
export function commentsAsMarkdown(path: string, code: string): string {
  const lines = code.split('\n').map(() => '');
  const lineOf = (offset: number) => code.slice(0, offset).split('\n').length - 1;
  for (const { type, value, start } of parseSync(path, code).comments) {
    const first = lineOf(start);
    for (const [index, line] of value.split('\n').entries())
      lines[first + index] = type === 'Block' ? line.replace(/^\s*\*+ ?/, '').trim() : line.trim();
  }
  return lines.join('\n');
}
