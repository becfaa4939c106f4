import { CommanderError } from 'commander';
import { adminProgram, commonOptions } from '../../bin/admin/program.ts';
import { requestAddresses } from '../../shared/domain/organizations/request-addresses.ts';
import { commandsOf, verbAt, wordsOf } from '../support/admin/documented-commands.ts';
import { filesBelow, read } from './support/sources.ts';
import { prod } from './support/stages/prod.ts';

const pages = filesBelow('docs', '.md').filter((page) => !page.startsWith('docs/decisions/'));
const commands = pages.flatMap(commandsOf);

/** Parses a command as `admin` does, without running it. @returns the error, if any */
async function problemOf(command: string): Promise<string | undefined> {
  const silent = { writeOut: () => {}, writeErr: () => {} };
  try {
    await adminProgram(silent, async () => {}).parseAsync(wordsOf(command), { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError) return error.message;
    return String(error);
  }
}

/** The first flag of a mentioned command that its verb does not have. */
function unknownFlagOf(command: string): string | undefined {
  const flags = [...(verbAt(command)?.[1].options ?? []), ...commonOptions].map(({ long }) => long);
  return wordsOf(command).find((word) => word.startsWith('--') && !flags.includes(word));
}

describe('the commands of the documents', () => {
  it('exist', () => {
    expect(commands.filter(({ page }) => page.startsWith('docs/runbooks/')).length).toBeGreaterThan(50);
    expect(commands.filter(({ command }) => !verbAt(command))).toEqual([]);
  });

  it('use only flags that the parser knows, and in blocks all that it requires', async () => {
    expect(commands.filter(({ isComplete }) => isComplete).length).toBeGreaterThan(20);
    const problems = await Promise.all(
      commands.map(async ({ page, command, isComplete }) => {
        const problem = await problemOf(command);
        const isLeftOut =
          !isComplete && /required option|missing required argument|argument missing/.test(problem ?? '');
        return { page, command, problem: isLeftOut ? undefined : problem };
      }),
    );
    expect(problems.filter(({ problem }) => problem !== undefined)).toEqual([]);
  });

  it('are refused by the parser if a flag is wrong, which proves that this test can fail', async () => {
    expect(await problemOf('call show --call CALL_ID --now')).toMatch('unknown option');
    expect(unknownFlagOf('call show --cal CALL_ID')).toBe('--cal');
    expect(await problemOf('call show')).toMatch('--call');
  });
});

/** The words of CloudWatch Logs Insights. */
const ofInsights = ['filter', 'stats', 'count', 'by', 'sort', 'limit', 'in', 'like', 'and', 'or', 'not', 'asc', 'desc'];

/** The fields that a query or a condition names. */
const fieldsOf = (query: string): string[] =>
  [...query.replace(/"[^"]*"|\/[^/]*\//g, '').matchAll(/[a-z_]+/gi)]
    .map(([word]) => word)
    .filter((word) => !ofInsights.includes(word));

/** The code in sentences that follows a pattern, such as the queries that begin with `filter`. */
const codesOf = (pattern: RegExp): string[] =>
  pages.flatMap((page) => [...read(page).replace(/\n */g, ' ').matchAll(pattern)].map(([, code = '']) => code));

describe('the log queries of the documents', () => {
  const ofAccessLog = codesOf(/`(filter [^`]+)`/g);
  const ofFunctions = codesOf(/(`message = "answered"[^`]*`(?:, counted by `\w+` and `\w+`)?)/g);

  it('name fields of the access log', () => {
    const [stage] = prod.ofType('AWS::ApiGatewayV2::Stage');
    const fields = Object.keys(JSON.parse(stage?.Properties.AccessLogSettings.Format));
    expect(ofAccessLog.length).toBeGreaterThan(1);
    expect(ofAccessLog.flatMap(fieldsOf).filter((field) => !fields.includes(field))).toEqual([]);
  });

  it('name fields that a function adds to its log lines', () => {
    const sources = [...filesBelow('shared', '.ts'), ...filesBelow('functions', '.ts')].map(read);
    const logged = sources.flatMap((source) => [
      ...source.matchAll(/(?:logger\.(?:info|appendKeys)|\.correlate)\((?:'[^']*', )?\{([^}]*)/g),
    ]);
    const added = logged.flatMap(([, keys = '']) => [...keys.matchAll(/(\w+)(?=:|,|\s*$)/g)].map(([key]) => key));
    const fields = ['message', ...added, ...Object.keys(requestAddresses('192.0.2.1', '192.0.2.2'))];
    expect(ofFunctions.length).toBeGreaterThan(1);
    const named = ofFunctions.flatMap((text) => fieldsOf(text.replaceAll('counted', '')));
    expect(named).toEqual(expect.arrayContaining(['connection_id', 'key_id']));
    expect(named.filter((field) => !fields.includes(field))).toEqual([]);
  });

  it('are read without their values and words, which proves that this test can fail', () => {
    const query = 'filter status like /^5/ and wrong = "401" | stats count(*) by route, state';
    expect(fieldsOf(query)).toEqual(['status', 'wrong', 'route', 'state']);
  });
});
