import type { Plan } from './plan.ts';

/** What a trigger's template gives for one function. Texts of code need no formatting. */
export type Template = {
  /** Folder below functions/. */
  folder: string;
  entry: string;
  operation: string;
  unitTest: string;
  /** None for streams: a test of theirs begins with the write that the stream reports. */
  e2eTest?: string;
  /** The row in lib/functions.ts, or lib/http-functions.ts. */
  row: string;
  /** The route in shared/messages/rest/routes.ts. */
  route?: string;
  /** The cells of the row in docs/architecture.md: trigger, reads and writes. */
  docs: [trigger: string, effect: string];
  /** The row in lib/queues.ts. */
  queueRow?: string;
};

export const operationImport = ({ shelf, name, camel }: Plan, up: string): string =>
  `import { ${camel} } from '${up}shared/operations/${shelf}/${name}.ts';`;

export const unitTestOf = (plan: Plan, body: string): string => `
${operationImport(plan, '../../../../')}

describe('${plan.name}', () => {
${body}
});
`;
