import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Plan, UsageError } from './plan.ts';
import type { Template } from './template.ts';
import { dashboard } from './templates/dashboard.ts';
import { oauth } from './templates/oauth.ts';
import { queue } from './templates/queue.ts';
import { rest } from './templates/rest.ts';
import { schedule } from './templates/schedule.ts';
import { stream } from './templates/stream.ts';
import { webhook } from './templates/webhook.ts';

const templates: Record<Plan['trigger'], (plan: Plan) => Template> = {
  rest,
  dashboard,
  webhook,
  oauth,
  queue,
  stream,
  schedule,
};

const FUNCTIONS_END = '} as const satisfies Record<string, FunctionRow>;';
const DASHBOARD_ROUTES_END = '} as const satisfies Record<string, DashboardRoute>;';
const ROUTES_END = '] as const satisfies readonly RestRoute[];';
const QUEUES_END = '} as const satisfies Record<string, QueueRow>;';

/**
 * Writes a function below the root of a checkout: its entry, operation, tests and rows.
 *
 * @returns the paths of the files that were written or changed
 * @throws {UsageError} if one of the new files exists
 */
export function writeFunction(root: string, plan: Plan): string[] {
  const template = templates[plan.trigger](plan);
  const created = newFiles(plan, template);
  const taken = Object.keys(created).find((path) => existsSync(join(root, path)));
  if (taken) throw new UsageError(`${taken} exists: choose another name.`);

  for (const [path, text] of Object.entries(created)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text.trimStart());
  }
  const changed = changedFiles(plan, template);
  for (const [path, change] of Object.entries(changed))
    writeFileSync(join(root, path), change(readFileSync(join(root, path), 'utf8')));
  return [...Object.keys(created), ...Object.keys(changed)];
}

function newFiles({ shelf, name }: Plan, template: Template): Record<string, string> {
  return {
    [`functions/${template.folder}/${name}.ts`]: template.entry,
    [`shared/operations/${shelf}/${name}.ts`]: template.operation,
    [`test/unit/operations/${shelf}/${name}.test.ts`]: template.unitTest,
    ...(template.e2eTest && { [`test/e2e/${template.folder.split('/')[0]}/${name}.test.ts`]: template.e2eTest }),
  };
}

type Changes = Record<string, (text: string) => string>;

/** Adds the function's row to its list. Functions of routes have lists of their own. */
function listed({ trigger, name, area }: Plan, { row }: Template): Changes {
  if (trigger === 'dashboard')
    return { [`lib/dashboard/${area}.ts`]: (text) => text.replace(/\}\);\n$/, `  '${name}': {${row}\n  },\n});\n`) };
  const list = ['rest', 'webhook', 'oauth'].includes(trigger) ? 'lib/http-functions.ts' : 'lib/functions.ts';
  return { [list]: (text) => insertBefore(text, FUNCTIONS_END, `  '${name}': {${row}\n  },\n`) };
}

function described({ trigger, name, camel, area }: Plan, { route = '', answers = '' }: Template): Changes {
  if (trigger !== 'dashboard')
    return { 'shared/messages/rest/routes.ts': (text) => insertBefore(text, ROUTES_END, `  {${route}\n  },\n`) };
  return {
    [`shared/messages/dashboard/${area}.ts`]: (text) =>
      `${text}\nexport const ${camel} = {${route}\n} as const satisfies DashboardRoute;\n`,
    'shared/messages/dashboard/routes.ts': (text) =>
      insertBefore(addImport(text, `./${area}.ts`, camel), DASHBOARD_ROUTES_END, `  '${name}': ${camel},\n`),
    'shared/messages/dashboard/answers.ts': (text) => text.replace(/\};\n$/, `  '${name}': ${answers},\n};\n`),
  };
}

function changedFiles(plan: Plan, template: Template): Changes {
  const { row, docs, route, queueRow } = template;
  return {
    ...listed(plan, template),
    'docs/architecture.md': (text) => addTableRow(text, [`\`${plan.name}\``, ...docs, ifItFails(row)]),
    ...(route && described(plan, template)),
    ...(queueRow && { 'lib/queues.ts': (text: string) => insertBefore(text, QUEUES_END, `  ${queueRow}\n`) }),
  };
}

/** Adds a name to the import from a file. */
function addImport(text: string, file: string, name: string): string {
  const end = `} from '${file}';`;
  const isOnLines = text.split(end)[0]?.endsWith(',\n');
  return insertBefore(text, end, isOnLines ? `  ${name},\n` : `, ${name} `);
}

function insertBefore(text: string, line: string, inserted: string): string {
  const [before, after, ...more] = text.split(line);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`expected this line once: ${line}`);
  return before + inserted + line + after;
}

/** Adds a row below the last row of the table "Every function". */
function addTableRow(text: string, cells: string[]): string {
  const lines = text.split('\n');
  const last = lines.findLastIndex((line) => /^\| `[a-z0-9-]+` \|/.test(line));
  return lines.toSpliced(last + 1, 0, `| ${cells.join(' | ')} |`).join('\n');
}

const ifItFails = (row: string): string =>
  /^ *ifItFails: '(?<text>.*)',$/m.exec(row)?.groups?.text?.replace(/\.$/, '') ?? '';
