import { shelves } from '../../../scripts/new-function/shelves.ts';
import { importsThat } from '../support/checkout.ts';
import { filesBelow, read } from '../support/sources.ts';

/** @returns the name of the shelf; '' at the root of a layer; undefined outside the layers that have shelves */
function shelfOf(path: string): string | undefined {
  const [, inside] = /^shared\/(?:domain|stores|operations)\/(.+)$/.exec(path) ?? [];
  return inside?.includes('/') ? inside.split('/')[0] : inside && '';
}

describe('shelves', () => {
  it('have the names and directions of the table in docs/architecture.md', () => {
    const section = read('docs/architecture.md').split('\n### Shelves\n')[1]?.split('\n##')[0] ?? '';
    const rows = [...section.matchAll(/^\| (?<shelf>[a-z-]+) \|[^|]*\|(?<may>[^|]*)\|$/gm)];
    const documented = rows.map(({ groups }) => [groups?.shelf, groups?.may?.trim()]).slice(1);
    expect(documented).toEqual(Object.entries(shelves).map(([name, may]) => [name, may.join(', ')]));
  });

  it('contain every folder of domain, stores and operations', () => {
    const found = new Set(filesBelow('shared', '.ts').map(shelfOf));
    expect([...found].filter(Boolean).sort()).toEqual(Object.keys(shelves).sort());
  });

  it('import each other in one direction, inside a layer and across layers', () => {
    const strange = importsThat(({ from, to }) => {
      const [own, other] = [shelfOf(from), shelfOf(to)];
      return own !== undefined && other && other !== own && !shelves[own]?.includes(other);
    });
    expect(strange).toEqual([]);
  });
});
