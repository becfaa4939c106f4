import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import prh from 'textlint-rule-prh';
import { commentsAsMarkdown } from './comments.ts';
import type { Finding } from './finding.ts';
import { hasLongLine, longLinesOfComments, longLinesOfMarkdown } from './long-lines.ts';
import { testNamesAsMarkdown } from './test-names.ts';
import { mayHavePhrase, wordList } from './words.ts';

const kernel = new TextlintKernel();

/**
 * Checks a text against the mechanical rules of docs/writing.md: the word list and the length of lines.
 *
 * @param path with an extension: Markdown is checked as a whole, code only in its comments and test names
 */
export async function findingsIn(path: string, text: string): Promise<Finding[]> {
  if (!mayHavePhrase(text) && !hasLongLine(text)) return [];
  if (path.endsWith('.md')) return [...(await wordFindings(text)), ...longLinesOfMarkdown(text)];
  const comments = commentsAsMarkdown(path, text);
  const names = path.endsWith('.test.ts') ? [testNamesAsMarkdown(path, text)] : [];
  return [...(await wordFindings(comments, ...names)), ...longLinesOfComments(text, comments)];
}

/** @param texts of one file, with the same line numbers */
async function wordFindings(...texts: string[]): Promise<Finding[]> {
  const lines = texts.flatMap((text) =>
    `${text}\n`.split('\n').map((content, index) => ({ content, line: index + 1 })),
  );
  // Most lines between comments are blank, and each would cost the parser time.
  const kept = lines.filter(({ content }, index) => content.trim() || lines[index - 1]?.content.trim());
  if (!texts.some(mayHavePhrase)) return [];
  const { messages } = await kernel.lintText(kept.map(({ content }) => content).join('\n'), {
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown.default }],
    rules: [
      { ruleId: 'words', rule: prh.default, options: { rulePaths: [wordList], checkLink: true, checkEmphasis: true } },
    ],
  });
  return messages.map(({ loc, message }) => ({
    line: kept[loc.start.line - 1]?.line ?? 1,
    message: message.replace(/\s+/g, ' '),
  }));
}
