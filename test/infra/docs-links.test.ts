import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesBelow, read, root } from './support/sources.ts';

const pages = filesBelow('', '.md');
const FENCE = /^ *```.*\n[\s\S]*?^ *```$/gm;
const proseOf = (page: string): string => read(page).replace(FENCE, '');

describe('each decision', () => {
  const decisions = pages.filter((page) => /^docs\/decisions\/\d{4}-/.test(page) && !page.includes('0000-template'));

  it.each(decisions)('%s has the header and the sections of the template', (page) => {
    const text = read(page);
    expect(text).toMatch(
      /^# \d+\. .+\n\n- Status: (proposed|accepted(; .+)?|superseded by \[decision \d+\]\(.+\))\n- Date: \d{4}-/,
    );
    const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(sections).toEqual(['Context', 'Decision', 'Alternatives', 'Consequences']);
  });
});

type Link = { page: string; file: string; anchor: string | undefined };

/** The links of a page to files of the repository and to headings. */
function linksOf(page: string): Link[] {
  const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#');
      return { page, file: path === '' ? page : join(dirname(page), path), anchor };
    });
}

/** The anchors that GitHub creates for the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(page).matchAll(/^#+ (.*)$/gm)) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = text.replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
    const taken = [...anchors].filter((anchor) => anchor.replace(/-\d+$/, '') === slug).length;
    anchors.add(taken === 0 ? slug : `${slug}-${taken}`);
  }
  return anchors;
}

const TOP_FOLDERS = ['bin', 'docs', 'functions', 'lib', 'local', 'scripts', 'shared', 'test'].join('|');
/** Finds whole paths of the repository in backticks, except those with placeholders or wildcards. */
const PATH = new RegExp(`\`((?:${TOP_FOLDERS})/[\\w./-]*)\``, 'g');

const isDirectory = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

describe.each(pages)('%s', (page) => {
  const links = linksOf(page);

  it('links only to existing files', () => {
    expect(links.filter(({ file }) => !existsSync(join(root, file))).map(({ file }) => file)).toEqual([]);
  });

  it('links only to existing headings', () => {
    const missing = links.filter(
      ({ file, anchor }) => anchor !== undefined && pages.includes(file) && !anchorsOf(file).has(anchor),
    );
    expect(missing.map(({ file, anchor }) => `${file}#${anchor}`)).toEqual([]);
  });

  it('names only existing paths', () => {
    const paths = [...proseOf(page).matchAll(PATH)].map(([, path = '']) => path);
    const missing = paths.filter((path) =>
      path.endsWith('/') ? !isDirectory(join(root, path)) : !existsSync(join(root, path)),
    );
    expect(missing).toEqual([]);
  });
});

describe('code', () => {
  const texts = filesBelow('', '.ts').map((file) => ({
    file,
    // A citation in a comment may continue on the next line.
    text: read(file).replace(/\n\s*(?:\*|\/\/) ?/g, ' '),
  }));
  const headingsOf = (page: string) => [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading);

  it('cites only existing headings', () => {
    const missing = texts.flatMap(({ file, text }) =>
      [...text.matchAll(/(docs\/[\w/-]+\.md), "([^"\n]+)"/g)]
        .filter(([, page = '', heading]) => !existsSync(join(root, page)) || !headingsOf(page).includes(heading))
        .map(([citation]) => `${file}: ${citation}`),
    );
    expect(missing).toEqual([]);
  });

  it('links every alarm to a section of the runbook', () => {
    const sections = headingsOf('docs/runbooks/alarms.md');
    const named = texts
      .filter(({ file }) => file.startsWith('lib/'))
      .flatMap(({ text }) => [...text.matchAll(/Runbook: "([^"\n]+)"/g)].map(([, section]) => section));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((section) => !sections.includes(section))).toEqual([]);
  });
});
