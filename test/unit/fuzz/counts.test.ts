import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { alwaysRefusing, thinlyFuzzed, withoutInput } from '../../fuzz/counts.ts';

const FEWEST = 2_000;

describe('a route', () => {
  it('is fuzzed enough if it answered the wanted number of requests, whatever the answers', () => {
    const statuses = { 'GET /a': { 200: 1_500, 404: 500 }, 'POST /b': { 400: 2_003 } };
    expect(thinlyFuzzed(['GET /a', 'POST /b'], statuses, FEWEST)).toEqual([]);
  });

  it('is reported if it answered one request too few, however many other routes answered', () => {
    const statuses = { 'GET /a': { 200: 9_000 }, 'POST /b': { 200: 1_500, 404: 499 } };
    expect(thinlyFuzzed(['GET /a', 'POST /b'], statuses, FEWEST)).toEqual(['POST /b: 1999 of 2000']);
  });

  it('is reported if it answered no request', () => {
    expect(thinlyFuzzed(['GET /a'], {}, FEWEST)).toEqual(['GET /a: 0 of 2000']);
  });

  it('is reported if it refused every request, because nothing behind its checks was fuzzed', () => {
    const statuses = { 'GET /a': { 200: 1, 404: 1_999 }, 'GET /b': { 302: 9 }, 'POST /c': { 400: 1_815, 409: 185 } };
    expect(alwaysRefusing(Object.keys(statuses), statuses)).toEqual(['POST /c']);
  });

  it('has no input only if it has neither parameters nor a body', () => {
    const paths = Object.assign(
      {},
      ...['docs/openapi.yaml', 'docs/openapi-dashboard.yaml'].map((file) => parse(readFileSync(file, 'utf8')).paths),
    );
    const found = Object.entries<Record<string, { parameters?: unknown[]; requestBody?: object }>>(paths).flatMap(
      ([path, operations]) =>
        Object.entries(operations).flatMap(([method, { parameters = [], requestBody }]) =>
          parameters.length === 0 && !requestBody ? [`${method.toUpperCase()} ${path}`] : [],
        ),
    );
    expect(found.sort()).toEqual([...withoutInput].sort());
  });
});
