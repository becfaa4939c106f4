import type { FunctionName } from '../../../lib/functions.ts';
import { functionsWithoutId, idTouchedBy, namingFunctions } from '../../../lib/named-ids.ts';
import { prod } from '../support/stages/prod.ts';

const OF_LAMBDA = '/aws/lambda/calling-service-prod-';

describe('the query that follows a call', () => {
  const queries = () => prod.ofType('AWS::Logs::QueryDefinition').map(({ Properties }) => Properties);

  it('reads the access log and the log of every function that works on a call, within the limit of a query', () => {
    const groups = new Set(prod.ofType('AWS::Logs::LogGroup').map(({ Properties }) => Properties.LogGroupName));
    const names: string[] = queries().flatMap(({ LogGroupNames }) => LogGroupNames);
    expect(names.filter((name) => !groups.has(name))).toEqual([]);
    expect(names).toContain('/aws/vendedlogs/apigateway/calling-service-prod-http');
    expect(names.filter((name) => name.startsWith(OF_LAMBDA)).map((name) => name.replace(OF_LAMBDA, ''))).toEqual([
      ...namingFunctions,
    ]);
    expect(names.length).toBeLessThanOrEqual(50);
  });

  it('leaves out functions that work on no call, each with a reason, and only if their rights suggest otherwise', () => {
    const leftOut = Object.keys(functionsWithoutId) as FunctionName[];
    expect(leftOut.filter((name) => idTouchedBy(name) === undefined)).toEqual([]);
    expect(namingFunctions.filter((name) => leftOut.includes(name))).toEqual([]);
  });

  it('names the placeholders, oldest line first', () => {
    const words = /like "CALL_ID" or @message like "REQUEST_ID"\n\| sort @timestamp asc/;
    expect(queries().map(({ QueryString }) => QueryString)).toEqual([expect.stringMatching(words)]);
  });
});
