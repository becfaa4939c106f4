import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { orNewer } from '../../../shared/domain/newer-values.ts';
import { dashboardRoutes } from '../../../shared/messages/dashboard/routes.ts';
import { listsIn } from '../support/stored-lists.ts';

const FILE = 'test/unit/dashboard/answer-values.json';

type Recorded = { values: string[]; in: string[] };

const recorded: Recorded[] = JSON.parse(readFileSync(resolve(FILE), 'utf8'));

const advice = (changes: readonly string[]): string => `The values that pages read in answers have changed:

${changes.join('\n')}

Pages of the last release call the routes of the next one, and refuse a whole answer that has an unknown value
(CONTRIBUTING.md, "Add a value to an answer").
A new value takes two releases, or a new optional member:
1. The first release opens the list for newer values (orNewer) and does not answer with the value yet.
2. The next release answers with it.
A new list, and one that was opened or removed, need no more than their record in ${FILE}.`;

/** The closed lists in the answers, by route and path. */
function closedLists(answers: Readonly<Record<string, z.core.$ZodType>>): Map<string, Set<string>> {
  return new Map(
    Object.entries(answers).flatMap(([route, answer]) =>
      listsIn(answer).map(({ path, values }) => [[route, ...path].join('.'), new Set(values)] as const),
    ),
  );
}

const answers = Object.fromEntries(
  Object.entries(dashboardRoutes).flatMap(([name, route]) =>
    'answer' in route ? [[name, route.answer] as const] : [],
  ),
);

describe('the values that pages read in answers', () => {
  it('change only together with their record, so that pages of the last release read each answer', () => {
    const lists = closedLists(answers);
    const known = new Map(recorded.flatMap(({ values, in: paths }) => paths.map((path) => [path, new Set(values)])));
    const none = new Set<string>();
    const changes = [...new Set([...lists.keys(), ...known.keys()])].sort().flatMap((path) => {
      const [now, before] = [lists.get(path) ?? none, known.get(path) ?? none];
      return [
        ...[...now.difference(before)].map((value) => `+ ${path}: ${value}`),
        ...[...before.difference(now)].map((value) => `- ${path}: ${value}`),
      ];
    });
    if (changes.length > 0) throw new Error(advice(changes));
  });

  it('exclude the lists that are open for newer values', () => {
    const answer = z.object({ open: orNewer(['a']), closed: z.enum(['b']) });
    expect([...closedLists({ show: answer }).keys()]).toEqual(['show.closed']);
  });
});
