import { arrow, below, imports, importsThat, linesOf, pageFiles } from '../support/checkout.ts';
import { codeOf, filesBelow, read } from '../support/sources.ts';

describe('dashboard', () => {
  const own = imports.filter(({ from }) => below(from, 'dashboard'));

  /** The files of shared that the browser loads, directly or through others. */
  function loaded(): string[] {
    const found = new Set<string>();
    const visit = (file: string) => {
      if (found.has(file)) return;
      found.add(file);
      for (const { from, to, isPackage, isTypeOnly } of imports)
        if (from === file && !isPackage && !isTypeOnly) visit(to);
    };
    for (const { to, isPackage, isTypeOnly } of own) if (!isPackage && !isTypeOnly && below(to, 'shared')) visit(to);
    return [...found];
  }

  it('imports no file that needs Node.js or a package that is too large for a page', () => {
    const files = loaded();
    expect(files).toContain('shared/messages/dashboard/session.ts');
    expect(importsThat(({ from, to, isPackage }) => files.includes(from) && isPackage && to !== 'zod/mini')).toEqual(
      [],
    );
  });

  it('imports the build tool only in its configuration', () => {
    const strange = own.filter(({ from, to }) => /^(vite$|node:)/.test(to) && from !== 'dashboard/vite.config.ts');
    expect(strange.map(arrow)).toEqual([]);
  });

  it('exports by name only', () => {
    const unnamed = pageFiles.filter(
      (path) => path !== 'dashboard/vite.config.ts' && /^export default/m.test(codeOf(path)),
    );
    expect(unnamed).toEqual([]);
  });

  it('has files of at most 200 lines', () => {
    const written = filesBelow('dashboard').filter((path) => /\.(tsx?|css)$/.test(path));
    expect(written.filter((path) => linesOf(path) > 200)).toEqual([]);
  });

  it('writes no inline markup, style or script', () => {
    const writing =
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|<(style|script)\b|srcDoc/;
    expect(pageFiles.filter((path) => writing.test(codeOf(path)))).toEqual([]);
    expect(read('dashboard/index.html')).not.toMatch(/<style|style=|\son[a-z]+=|<script(?![^>]*\ssrc=)/);
  });
});

/** The shelves of dashboard/, with the others that each may import. */
const shelvesOfDashboard: Record<string, string[]> = {
  'app/api': [],
  'app/browser': [],
  'app/files': ['app/api'],
  words: ['app/api', 'app/files'],
  'app/url': ['app/api', 'words'],
  'app/query': ['app/api'],
  'app/session': ['app/api', 'app/browser', 'app/query', 'words'],
  'app/shared-queries': ['app/url', 'app/query', 'app/session'],
  'components/text': ['words'],
  'components/button': ['components/text'],
  'components/layout': [],
  'components/message': [
    'app/api',
    'app/session',
    'app/shared-queries',
    'words',
    'components/text',
    'components/button',
    'components/layout',
  ],
  'components/form': ['app/api', 'app/query', 'words', 'components/text', 'components/button', 'components/message'],
  'components/dialog': [
    'app/browser',
    'app/query',
    'app/session',
    'words',
    'components/button',
    'components/message',
    'components/form',
  ],
  'components/list': [
    'app/files',
    'app/query',
    'components/text',
    'components/button',
    'components/layout',
    'components/message',
    'components/form',
  ],
  'components/chart': ['words', 'components/button', 'components/message', 'components/list'],
  'app/navigation': ['app/api', 'components/message', 'components/dialog'],
  'app/keyboard': ['app/browser', 'app/navigation', 'components/dialog'],
  'app/menus': ['words', 'app/session', 'app/shared-queries', 'components/button', 'components/message'],
};
shelvesOfDashboard.pages = Object.keys(shelvesOfDashboard);
shelvesOfDashboard['app/shell'] = [
  'words',
  'app/url',
  'app/api',
  'app/query',
  'app/session',
  'app/shared-queries',
  'components/text',
  'components/button',
  'components/message',
  'components/form',
  'components/dialog',
  'app/navigation',
  'app/keyboard',
  'app/menus',
];
shelvesOfDashboard['app/routing'] = ['app/url', 'components/message', 'app/shell', 'pages'];
/** The others that a shelf may import only as types. */
const typesOfShelf: Record<string, string> = { words: 'app/url' };

describe('the shelves of the dashboard', () => {
  const shelfIn = (path: string) => /^dashboard\/((?:app|components)\/[^/]+|words|pages)\//.exec(path)?.[1];
  const names = Object.keys(shelvesOfDashboard);
  const permittedImports = (name: string, may: string[]) =>
    [name === 'pages' ? 'all above' : may.join(', '), typesOfShelf[name] && `types of ${typesOfShelf[name]}`]
      .filter((part) => part !== undefined)
      .join('; ');

  it('have the names and directions of the table in docs/architecture.md', () => {
    const section = read('docs/architecture.md').split('\n### Shelves of the dashboard\n')[1]?.split('\n##')[0] ?? '';
    const rows = [...section.matchAll(/^\| (?<shelf>[a-z/-]+) \|[^|]*\|(?<may>[^|]*)\|$/gm)].slice(1);
    expect(rows.map(({ groups }) => [groups?.shelf, groups?.may?.trim()])).toEqual(
      Object.entries(shelvesOfDashboard).map(([name, may]) => [name, permittedImports(name, may)]),
    );
  });

  it('contain every folder of app and components', () => {
    const found = new Set(filesBelow('dashboard').map(shelfIn));
    expect([...found].filter(Boolean).sort()).toEqual([...names].sort());
  });

  it('may import only shelves above them in the table', () => {
    const wrong = names.filter((name, index) =>
      shelvesOfDashboard[name]?.some((other) => !names.slice(0, index).includes(other)),
    );
    expect(wrong).toEqual([]);
  });

  it('import each other in one direction', () => {
    const strange = importsThat(({ from, to, isTypeOnly }) => {
      const [own, other] = [shelfIn(from), shelfIn(to)];
      if (!own || !other || other === own || shelvesOfDashboard[own]?.includes(other)) return false;
      return !(isTypeOnly && typesOfShelf[own] === other);
    });
    expect(strange).toEqual([]);
  });

  it('are imported by no file beside them', () => {
    expect(importsThat(({ from, to }) => /^dashboard\/(app|components)\/[^/]+$/.test(from) && shelfIn(to))).toEqual([]);
  });
});
