import type * as z from 'zod/mini';
import { DASHBOARD_PATH, type DashboardRoute } from '../../shared/messages/dashboard/route.ts';
import { dashboardRoutes } from '../../shared/messages/dashboard/routes.ts';

export const ROUTES_PAGE = 'docs/dashboard-routes.md';

const INTRODUCTION = `# Routes of the dashboard

For developers: every route below \`${DASHBOARD_PATH}\`, with its function, the least role that may use it, and the fields
that it takes and answers. [Dashboard](dashboard.md#routes) describes their common rules.

\`npm run docs:routes\` writes this page from \`shared/messages/dashboard/routes.ts\`. A question mark before a
name marks a field of the query; a question mark after a name marks an optional field of the body.

| route | function | role | takes | answers |
|---|---|---|---|---|
`;

/** Returns the page of all routes, as Markdown. */
export const routesPage = (): string =>
  `${INTRODUCTION}${Object.entries<DashboardRoute>(dashboardRoutes)
    .map(([name, route]) => `| ${cellsOf(name, route).join(' | ')} |\n`)
    .join('')}`;

function cellsOf(name: string, route: DashboardRoute): string[] {
  const taken = [
    ...fieldsOf(route.query).map((field) => `?${field.replace('?', '')}`),
    ...fieldsOf(route.request),
    ...(route.takesFiles ? ['a file'] : []),
    ...(route.idempotencyKey === 'required' ? ['`Idempotency-Key`'] : []),
    ...(route.idempotencyKey === 'optional' ? ['`Idempotency-Key` (optional)'] : []),
  ];
  return [`\`${route.method} ${route.path}\``, `\`${name}\``, route.role, list(taken), list(fieldsOf(route.answer))];
}

const list = (fields: readonly string[]): string => fields.join(', ') || '–';

/** Lists the fields of an object, or of each of its possible shapes. */
function fieldsOf(schema: z.ZodMiniType | undefined): string[] {
  const { def } = (schema?._zod ?? { def: undefined }) as { def?: Definition };
  if (def?.type === 'union') return [...new Set((def.options ?? []).flatMap(fieldsOf))];
  return Object.entries(def?.shape ?? {}).map(([name, field]) =>
    field._zod.def.type === 'optional' ? `${name}?` : name,
  );
}

type Definition = {
  type: string;
  shape?: Record<string, z.ZodMiniType>;
  options?: z.ZodMiniType[];
};
