import type { Plan } from './plan.ts';

/** The parts that a trigger's template contributes to a function. The command formats the code. */
export type Template = {
  /** Folder below functions/. The first part of its path is also the folder below test/e2e/. */
  folder: string;
  entry: string;
  operation: string;
  unitTest: string;
  /** Absent for streams, whose tests begin with the write that the stream reports. */
  e2eTest?: string;
  /** The row in lib/functions.ts, lib/http-functions.ts or lib/dashboard/. */
  row: string;
  /** The route in shared/messages/rest/routes.ts or shared/messages/dashboard/. */
  route?: string;
  /** The answers of a route of the dashboard, in shared/messages/dashboard/answers.ts. */
  answers?: string;
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
