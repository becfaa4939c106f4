import { shelves } from '../../../scripts/new-function/shelves.ts';
import { importsThat } from '../support/checkout.ts';
import { codeOf, filesBelow, read } from '../support/sources.ts';

/** @returns the name of the shelf; '' at the root of a layer; undefined outside the layers that have shelves */
function shelfOf(path: string): string | undefined {
  const [, inside] = /^shared\/(?:domain|stores|operations)\/(.+)$/.exec(path) ?? [];
  return inside?.includes('/') ? inside.split('/')[0] : inside && '';
}

/** An exported function of a file, with its first parameter. */
const EXPORTED =
  /^export (?:async )?(?:function\*? (?<name>\w+)(?:<[^(]*>)?|const (?<constant>\w+)(?::[^=]+)? = (?:async )?(?:<[^(]*>)?)\(\s*(?<first>[^\s,:)]*)/gm;
const TAKES_DEPENDENCIES = /^(?:\.\.\.\[)?(?:deps$|\{)/;

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

  it('have the same names in the unit tests', () => {
    const mirrored = filesBelow('test/unit', '.ts').map((path) => path.replace('test/unit/', 'shared/'));
    const found = new Set(mirrored.map(shelfOf));
    expect([...found].filter((name) => name && !(name in shelves))).toEqual([]);
  });

  it('of operations contain use cases, which take their dependencies first; helpers are in a subfolder', () => {
    const onShelves = filesBelow('shared/operations', '.ts').filter((path) => path.split('/').length === 4);
    const exported = onShelves.flatMap((path) =>
      [...codeOf(path).matchAll(EXPORTED)].map(({ groups = {} }) => ({ path, groups })),
    );
    expect(exported.length).toBeGreaterThan(80);
    expect(exported.filter(({ groups: { first = '' } }) => !TAKES_DEPENDENCIES.test(first))).toEqual([]);
  });

  it('import each other in one direction, inside a layer and across layers', () => {
    const strange = importsThat(({ from, to }) => {
      const [own, other] = [shelfOf(from), shelfOf(to)];
      return own !== undefined && other && other !== own && !shelves[own]?.includes(other);
    });
    expect(strange).toEqual([]);
  });
});
