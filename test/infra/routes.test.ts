import { Validator } from '@cfworker/json-schema';
import * as z from 'zod/mini';
import { functionNames, functionRow } from '../../lib/functions.ts';
import { ROUTES_PAGE, routesPage } from '../../scripts/routes/dashboard-page.ts';
import {
  DASHBOARD_OPENAPI_PAGE,
  dashboardOpenApiPage,
  OPENAPI_PAGE,
  openApiPage,
} from '../../scripts/routes/openapi-page.ts';
import { dashboardOpenApiDocument } from '../../shared/messages/dashboard/openapi.ts';
import type { DashboardRoute } from '../../shared/messages/dashboard/route.ts';
import { dashboardRoutes } from '../../shared/messages/dashboard/routes.ts';
import { openApiDocument } from '../../shared/messages/rest/openapi.ts';
import { readBody } from '../../shared/runtime/dashboard/dashboard-input.ts';
import { leavesOf } from '../support/rest/open-fields.ts';
import { read } from './support/sources.ts';

test.each([
  [ROUTES_PAGE, routesPage],
  [OPENAPI_PAGE, openApiPage],
  [DASHBOARD_OPENAPI_PAGE, dashboardOpenApiPage],
])('%s equals the output of `npm run docs:routes`', (path, page) => {
  expect(read(path)).toBe(page());
});

const describedIn = ({ paths }: { paths: Record<string, Record<string, object>> }) =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );

test('the two OpenAPI documents describe every deployed route, each once', () => {
  const deployed = functionNames.flatMap((name) => {
    const { trigger } = functionRow(name);
    return trigger.kind === 'http' ? trigger.routes : [];
  });
  const described = [...describedIn(openApiDocument()), ...describedIn(dashboardOpenApiDocument())];
  // The default route answers unknown ones.
  expect(['$default', ...described].sort()).toEqual(deployed.sort());
});

test('the documents require the access token on exactly the routes where the gateway checks it', () => {
  const { paths } = dashboardOpenApiDocument();
  const byGateway = functionNames.flatMap((name) => {
    const { trigger } = functionRow(name);
    return trigger.kind === 'http' && trigger.isForMembers ? trigger.routes : [];
  });
  const guarded = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { security }]) =>
      JSON.stringify(security).includes('accessToken') ? [`${method.toUpperCase()} ${path}`] : [],
    ),
  );
  expect(guarded.sort()).toEqual(byGateway.sort());
});

describe('a text of the dashboard', () => {
  const routes: [string, DashboardRoute][] = Object.entries(dashboardRoutes);
  const texts = routes.flatMap(([name, { request, query }]) =>
    [...leavesOf(request), ...leavesOf(query)].flatMap(([field, schema]) =>
      schema instanceof z.ZodMiniString ? [{ field: `${name} ${field}`, schema }] : [],
    ),
  );
  const isTrimmed = (schema: z.ZodMiniString) => schema.safeParse(' +919812345678 ').data?.startsWith('+') === true;
  const trimmed = texts.filter(({ schema }) => isTrimmed(schema));
  const accept = (schema: z.ZodMiniString, text: string) => {
    const body = Buffer.from(JSON.stringify({ text }));
    return readBody(z.object({ text: schema }), { headers: { 'content-type': 'application/json' }, body }, 10 ** 6).ok;
  };
  const published = (schema: z.ZodMiniString) =>
    new Validator(z.toJSONSchema(schema, { io: 'input' }) as object, '2020-12');

  it.each(texts)('is refused if its description refuses it: $field', ({ schema }) => {
    const most = z.toJSONSchema(schema, { io: 'input' }).maxLength ?? 100;
    const lengths = [0, 1, most - 1, most, most + 1, 2 * most];
    const tried = ['x', ' ', '\0', '\u0085', '\ufeff'].flatMap((fill) =>
      lengths.flatMap((length) => [fill.repeat(length), 'x'.padEnd(length, fill), '1'.padStart(length, fill)]),
    );
    const isWrong = (text: string) => !published(schema).validate(text).valid && accept(schema, text);
    expect(tried.filter(isWrong)).toEqual([]);
  });

  it.each(trimmed)('without a visible character is refused by its description, too: $field', ({ schema }) => {
    for (const blank of ['', ' ', '\t\n', '\u00a0', '\ufeff', '\u001c', '\u0085'])
      expect([blank, schema.safeParse(blank).success, published(schema).validate(blank).valid]).toEqual([
        blank,
        false,
        false,
      ]);
  });

  it('is trimmed in several routes', () => {
    expect(trimmed.length).toBeGreaterThan(10);
  });
});
