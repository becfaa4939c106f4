import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { functionNames } from '../../../lib/functions.ts';
import { grantedRights, missingRights, usedRights } from '../support/row-rights.ts';

const FILE = fileURLToPath(new URL('./released-rights.json', import.meta.url));

// The publisher of a release records its rights (CONTRIBUTING.md, "Commits and releases").
if (process.env.RECORD_RIGHTS) {
  const rights = Object.fromEntries(functionNames.map((name) => [name, usedRights(name).join('; ')]));
  writeFileSync(FILE, `${JSON.stringify(rights, null, 2)}\n`);
}
const released: Record<string, string> = JSON.parse(readFileSync(FILE, 'utf8'));

describe('the code of the former release, which runs while a release is deployed,', () => {
  // A removed function takes its rights with it.
  it.each(functionNames.filter((name) => released[name]))('has all its rights: %s', (name) => {
    // Move a right that this function no longer uses to `formerUses` of its row for one release.
    expect(missingRights(released[name]?.split('; ') ?? [], grantedRights(name))).toEqual([]);
  });

  it('lacks a right that the row no longer grants', () => {
    const all = ['calls GetItem', 'organizations UpdateItem held', 'organizations UpdateItem name'];
    expect(missingRights(all, all)).toEqual([]);
    expect(missingRights(all, ['calls GetItem', 'organizations UpdateItem *'])).toEqual([]);
    expect(missingRights(all, ['organizations UpdateItem held'])).toEqual([all[0], all[2]]);
  });
});
