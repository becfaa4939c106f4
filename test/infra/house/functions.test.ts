import { areas } from '../../../lib/dashboard/row.ts';
import { functionNames, functionRow } from '../../../lib/functions.ts';
import { type TableName, tableRow, tables } from '../../../lib/tables.ts';
import { fileKinds } from '../../../shared/domain/organizations/retention.ts';
import { prefixesOfKind } from '../../../shared/stores/calls/files/file-versions.ts';
import { bucketFolders } from '../../support/stack/bucket-folders.ts';
import { below } from '../support/checkout.ts';
import { codeOf, filesBelow, read } from '../support/sources.ts';

const functionFiles = filesBelow('functions', '.ts').map((path) => path.slice('functions/'.length, -'.ts'.length));

describe('every function', () => {
  it('has a file at the path of its row, and every file has a row', () => {
    const files = functionNames
      .map(functionRow)
      .flatMap(({ entry, children }) => [entry, ...Object.values(children ?? {})]);
    // Two functions start the same program.
    expect([...new Set(files)].sort()).toEqual(functionFiles.sort());
  });

  it.each(functionNames)('%s has the name of its file, in the folder of its trigger', (name) => {
    const folders = {
      http: ['rest', 'webhooks', 'oauth', 'dashboard'],
      queue: ['consumers'],
      stream: ['streams'],
      schedule: ['schedules'],
    };
    const { entry, trigger } = functionRow(name);
    expect(entry.split('/').at(-1)).toBe(name);
    expect(folders[trigger.kind]).toContain(entry.split('/')[0]);
  });

  it('sends lead events with the group of their organization', () => {
    const senders = filesBelow('functions', '.ts').filter((path) => /config\.LEAD_EVENTS_QUEUE_URL/.test(codeOf(path)));
    expect(senders.length).toBeGreaterThan(4);
    for (const path of senders) {
      const code = codeOf(path);
      expect([path, code.match(/config\.LEAD_EVENTS_QUEUE_URL/g)?.length]).toEqual([
        path,
        code.match(/\bleadQueue\([^;]*?config\.LEAD_EVENTS_QUEUE_URL\)/g)?.length,
      ]);
    }
  });

  it('of the dashboard is in the folder of the area whose file in lib/dashboard has its row', async () => {
    const rows = await Promise.all(
      areas.map(async (area) => {
        const [names] = Object.values<object>(await import(`../../../lib/dashboard/${area}.ts`)).map(Object.keys);
        return (names ?? []).map((name) => `dashboard/${area}/${name}`);
      }),
    );
    expect(rows.flat().sort()).toEqual(functionFiles.filter((path) => below(path, 'dashboard')).sort());
  });

  it('has a row in the flow table of the architecture, and every row has a function', () => {
    const rows = [...read('docs/architecture.md').matchAll(/^\| `([a-z0-9-]+)`/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual([...functionNames].sort());
  });

  it('stores data only in tables that the map of personal data lists', () => {
    const rows = [...read('docs/personal-data.md').matchAll(/^\| ([a-z-]+) \|/gm)].map(([, name]) => name);
    expect(rows).toEqual(expect.arrayContaining(Object.keys(tables)));
  });

  it('stores files only in folders that the map, an erasure and the search after it cover', () => {
    const uses = functionNames.flatMap((name) => Object.values(functionRow(name).uses));
    const folders = [...new Set(uses.flatMap((use) => (use.kind === 'files' ? use.prefixes : [])))].sort();
    const call = { org_id: 'o', call_id: 'c' };
    const erased = fileKinds.flatMap((kind) => prefixesOfKind(call, kind)).map((prefix) => `${prefix.split('/')[0]}/`);
    expect([...erased, 'knowledge/'].sort()).toEqual(folders);
    expect(Object.keys(bucketFolders).sort()).toEqual(folders);
    const rows = read('docs/personal-data.md').match(/^\| the bucket: .*?\|/gm) ?? [];
    expect(rows.flatMap((row) => [...row.matchAll(/`([a-z-]+\/)`/g)].map(([, name]) => name)).sort()).toEqual(folders);
  });

  it('states a duration for a table only if its items expire', () => {
    const rows = [...read('docs/personal-data.md').matchAll(/^\| ([a-z-]+) \|[^|]*\|[^|]*\|([^|]*)\|/gm)];
    const timed = rows.filter(([, , kept = '']) => /minutes|day|retention/.test(kept)).map(([, name]) => name);
    const expiring = Object.keys(tables).filter((name) => tableRow(name as TableName).expiresAt);
    expect(timed.filter((name = '') => name in tables).sort()).toEqual(expiring.sort());
  });

  it.each(functionNames)('%s receives from lib exactly the variables that its file reads', (name) => {
    const { entry, uses } = functionRow(name);
    const config = /readConfig\(\{([\s\S]*?)\}\)/.exec(codeOf(`functions/${entry}.ts`))?.[1] ?? '';
    const reads = [...config.matchAll(/\b([A-Z][A-Z0-9_]+):/g)].map(([, variable]) => variable);
    expect(reads.sort()).toEqual(Object.keys(uses).sort());
  });

  it('on a route or a queue has an end-to-end test of its name', () => {
    const tests = filesBelow('test/e2e', '.test.ts');
    const described = tests.map((path) =>
      [...codeOf(path).matchAll(/describe(?:\.each)?\(\s*(['"`])(.*?)\1/g)].join('\n'),
    );
    const untested = functionNames.filter(
      (name) =>
        ['http', 'queue'].includes(functionRow(name).trigger.kind) &&
        !tests.includes(`test/e2e/${functionRow(name).entry.split('/')[0]}/${name}.test.ts`) &&
        !described.some((titles) => titles.includes(name)),
    );
    expect(untested).toEqual([]);
  });
});
