import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { crmBSettingsSchema } from '../../../shared/domain/connections/crm-b-settings.ts';
import { listsIn, readingSchemas, storesWithOwnLists } from '../support/stored-lists.ts';

const FILE = 'test/unit/stores/stored-values.json';

const recorded: Record<string, string[]> = JSON.parse(readFileSync(resolve(FILE), 'utf8'));

const advice = (changes: readonly string[]): string => `The values that workers read from stored items have changed:

${changes.join('\n')}

Former versions read the items of newer ones: beside them during a canary, and after a rollback.
A new value takes two releases (CONTRIBUTING.md, "Add a value to a stored list"):
1. The first release reads it and does not write it yet. Record it in ${FILE}.
2. The next release writes it.
A value that is still stored cannot be removed. Record the removal only if no item has it.`;

/** The lists by which workers decide, by schema and path. */
async function storedLists(): Promise<Map<string, string[]>> {
  const schemas = await readingSchemas();
  // The stores leave settings to the domain.
  schemas.set('crmBSettingsSchema', crmBSettingsSchema);
  return new Map(
    [...schemas].flatMap(([name, schema]) =>
      listsIn(schema).map(({ path, values }) => [[name, ...path].join('.'), values.toSorted()] as const),
    ),
  );
}

describe('the values that workers read from stored items', () => {
  it('change only together with their record, so that each new one takes two releases', async () => {
    const lists = await storedLists();
    const changes = [...new Set([...lists.keys(), ...Object.keys(recorded)])].sort().flatMap((path) => {
      const [now, before] = [new Set(lists.get(path)), new Set(recorded[path])];
      return [
        ...[...now.difference(before)].map((value) => `+ ${path}: ${value}`),
        ...[...before.difference(now)].map((value) => `- ${path}: ${value}`),
      ];
    });
    if (changes.length > 0) throw new Error(advice(changes));
  });

  it('are found in every list, because no store has a list of its own', () => {
    expect(storesWithOwnLists()).toEqual([]);
  });
});
