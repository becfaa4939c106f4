import { type FunctionName, functionNames, functionRow } from '../../../lib/functions.ts';
import { bundledCode, type Code } from '../support/bundled-code.ts';
import { rightsOf } from '../support/rights.ts';
import { rightsInUse } from '../support/rights-in-use.ts';
import { unusedRights } from '../support/unused-rights.ts';

describe('permissions', () => {
  describe('compared with the code of their function', () => {
    let code: Awaited<ReturnType<typeof bundledCode>>;
    const unusedOf = (name: FunctionName, rights: Parameters<typeof unusedRights>[1]) =>
      unusedRights(name, rights, rightsInUse((code.get(name) as () => Code)()));

    beforeAll(async () => {
      code = await bundledCode(
        Object.fromEntries(functionNames.map((name) => [name, `functions/${functionRow(name).entry}.ts`])),
      );
    }, 60_000);

    it.each(functionNames)('are all used: %s', (name) => {
      expect(unusedOf(name, rightsOf(name))).toEqual([]);
    });

    it('are reported if the code does not use them', () => {
      const actions = ['dynamodb:DeleteItem', 'dynamodb:Query', 'kms:Sign', 's3:GetObject', 'sqs:PurgeQueue'];
      // The function deletes claims.
      const others = rightsOf('process-lead').filter(({ resources }) => !resources.includes('tableclaims'));
      const planted = others.map((right) => ({ ...right, actions }));
      expect(unusedOf('process-lead', planted)).toEqual(
        others.flatMap(({ resources }) => actions.map((action) => `${action} ${resources}`)),
      );
    });
  });
});
