import { parseSync } from 'oxc-parser';

/** Blanks everything but the comments, so that line numbers stay the same and each comment reads as Markdown. */
export const commentsAsMarkdown = (path: string, code: string): string =>
  path.endsWith('.py') ? commentsOfPython(code) : commentsOfTypeScript(path, code);

function commentsOfTypeScript(path: string, code: string): string {
  const lines = code.split('\n').map(() => '');
  const lineOf = (offset: number) => code.slice(0, offset).split('\n').length - 1;
  for (const { type, value, start } of parseSync(path, code).comments) {
    const first = lineOf(start);
    for (const [index, line] of value.split('\n').entries())
      lines[first + index] = type === 'Block' ? line.replace(/^\s*\*+ ?/, '').trim() : line.trim();
  }
  return lines.join('\n');
}

/** Reads docstrings and the comments that have a line of their own. */
function commentsOfPython(code: string): string {
  let isDocstring = false;
  const commentOf = (line: string) => {
    const marks = line.split('"""').length - 1;
    const wasDocstring = isDocstring;
    if (marks % 2 === 1) isDocstring = !isDocstring;
    if (wasDocstring || /^\s*[rf]?"""/.test(line)) return line.replace(/[rf]?"""/g, '').trim();
    return /^\s*#/.test(line) ? line.replace(/^\s*#+/, '').trim() : '';
  };
  return code.split('\n').map(commentOf).join('\n');
}
