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
  'app/files': [],
  words: ['app/api', 'app/files'],
  'app/address': ['words'],
  'app/query': ['app/api'],
  'app/session': ['app/api', 'app/browser', 'app/query', 'words'],
  'app/reads': ['app/address', 'app/query', 'app/session'],
  'parts/text': ['words'],
  'parts/button': ['parts/text'],
  'parts/layout': [],
  'parts/message': ['app/api', 'app/session', 'app/reads', 'words', 'parts/text', 'parts/button', 'parts/layout'],
  'parts/form': ['app/api', 'app/query', 'words', 'parts/text', 'parts/button', 'parts/message'],
  'parts/dialog': ['app/browser', 'app/query', 'app/session', 'parts/button', 'parts/message', 'parts/form'],
  'parts/list': ['app/files', 'app/query', 'parts/text', 'parts/button', 'parts/layout', 'parts/message', 'parts/form'],
  'parts/chart': ['words', 'parts/button', 'parts/message', 'parts/list'],
  'app/navigation': ['parts/dialog'],
  'app/keyboard': ['app/browser', 'app/navigation', 'parts/dialog'],
  'app/menus': ['words', 'app/session', 'app/reads', 'parts/button', 'parts/message'],
};
shelvesOfDashboard.pages = Object.keys(shelvesOfDashboard);
shelvesOfDashboard['app/shell'] = [
  'words',
  'app/address',
  'app/api',
  'app/query',
  'app/session',
  'app/reads',
  'parts/text',
  'parts/button',
  'parts/message',
  'parts/form',
  'parts/dialog',
  'app/navigation',
  'app/keyboard',
  'app/menus',
];
shelvesOfDashboard['app/routing'] = ['app/address', 'parts/message', 'app/shell', 'pages'];
/** The others that a shelf may import only as types. */
const typesOfShelf: Record<string, string> = { words: 'app/address' };

describe('the shelves of the dashboard', () => {
  const shelfIn = (path: string) => /^dashboard\/((?:app|parts)\/[^/]+|words|pages)\//.exec(path)?.[1];
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

  it('contain every folder of app and parts', () => {
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
    expect(importsThat(({ from, to }) => /^dashboard\/(app|parts)\/[^/]+$/.test(from) && shelfIn(to))).toEqual([]);
  });
});
