import { once } from 'node:events';
import http, { type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import busboy from 'busboy';
import { type HelpDeskAnswer, type HelpDeskRequest, helpDeskApi } from '../../../shared/integrations/help-desk/api.ts';
import type { HelpDeskAccess } from '../../../shared/integrations/help-desk/help-desk.ts';
import { aToken } from '../../support/access-token.ts';

const api = helpDeskApi({ timeoutMs: 10_000 });
const asked: HelpDeskRequest = { method: 'GET', path: '/api/v1/tickets/1' };

let server: http.Server;
let answer: RequestListener;
let access: HelpDeskAccess;
/** The requests for tokens. */
let rejections: (string | undefined)[];

beforeEach(async () => {
  server = http.createServer((req, res) => answer(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  rejections = [];
  access = {
    host: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orgId: '60001',
    async token(rejected) {
      rejections.push(rejected);
      return aToken(`token-${rejections.length}`);
    },
  };
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const json = (value: unknown) => JSON.stringify(value);
/** Gives this answer to every request. @returns the requests that arrived. */
function answering(status: number, body = '', headers: Record<string, string> = {}): IncomingMessage[] {
  const seen: IncomingMessage[] = [];
  answer = (req, res) => {
    seen.push(req);
    req.resume().on('end', () => res.writeHead(status, headers).end(body));
  };
  return seen;
}

describe('an answer of the help desk', () => {
  it.each<[number, string, HelpDeskAnswer]>([
    [200, '{"id":"1"}', { kind: 'answered', body: { id: '1' } }],
    [201, '[]', { kind: 'answered', body: [] }],
    [204, '', { kind: 'answered', body: undefined }],
    [200, '<html>', { kind: 'unknown', reason: 'not JSON' }],
    [302, '', { kind: 'unknown', reason: 'status 302' }],
    [400, 'x', { kind: 'refused', status: 400, code: 'status 400' }],
    [403, '<html>', { kind: 'refused', status: 403, code: 'status 403' }],
    [404, json({ errorCode: 'URL_NOT_FOUND' }), { kind: 'refused', status: 404, code: 'URL_NOT_FOUND' }],
    [408, '', { kind: 'unknown', reason: 'status 408' }],
    [500, json({ errorCode: 'INTERNAL_SERVER_ERROR' }), { kind: 'unknown', reason: 'status 500' }],
    [503, '', { kind: 'unknown', reason: 'status 503' }],
    [429, json({ errorCode: 'TOO_MANY_REQUESTS' }), { kind: 'unavailable', reason: 'TOO_MANY_REQUESTS' }],
    [429, '', { kind: 'unavailable', reason: 'status 429' }],
    // The vendor does not document the status for exhausted daily credits.
    [403, json({ errorCode: 'THRESHOLD_EXCEEDED' }), { kind: 'unavailable', reason: 'THRESHOLD_EXCEEDED' }],
    [503, json({ errorCode: 'THRESHOLD_EXCEEDED' }), { kind: 'unavailable', reason: 'THRESHOLD_EXCEEDED' }],
    [403, json({ errorCode: 'FORBIDDEN' }), { kind: 'refused', status: 403, code: 'FORBIDDEN' }],
    [401, json({ errorCode: 'SCOPE_MISMATCH' }), { kind: 'refused', status: 401, code: 'SCOPE_MISMATCH' }],
    [401, json({ errorCode: 'OAUTH_ORG_MISMATCH' }), { kind: 'refused', status: 401, code: 'OAUTH_ORG_MISMATCH' }],
    [
      422,
      json({
        errorCode: 'INVALID_DATA',
        message: 'of +919876543210',
        errors: [{ fieldName: '/contactId', errorType: 'invalid', errorMessage: 'x' }, { fieldName: '/phone' }],
      }),
      { kind: 'refused', status: 422, code: 'INVALID_DATA /contactId /phone' },
    ],
  ])('with %d %s is read as documented', async (status, body, expected) => {
    const seen = answering(status, body);
    expect(await api(access, { ...asked, method: 'POST', json: {} })).toEqual(expected);
    expect(seen).toHaveLength(1);
  });

  it('is never shown as free text', async () => {
    for (const body of [
      json({ errorCode: 'call +919876543210' }),
      json({ errorCode: 'INVALID_DATA', errors: [{ fieldName: 'Asha Rao' }] }),
      json({ errorCode: 'X'.repeat(1_000) }),
    ]) {
      answering(422, body);
      expect(await api(access, asked)).toMatchObject({ code: expect.stringMatching(/^(status 422|INVALID_DATA)$/) });
    }
  });

  it.each([
    ['7', 7],
    ['0', 1],
    ['999999999', 86_400],
    ['Mon, 02 Mar 2026 06:01:30 GMT', 90],
    ['Mon, 02 Mar 2026 05:00:00 GMT', 1],
    ['soon', undefined],
    ['', undefined],
  ])('gives the time to wait: Retry-After %s', async (value, retryAfterSeconds) => {
    answering(429, '', { 'retry-after': value, date: 'Mon, 02 Mar 2026 06:00:00 GMT' });
    expect(await api(access, asked)).toEqual({
      kind: 'unavailable',
      reason: 'status 429',
      ...(retryAfterSeconds && { retryAfterSeconds }),
    });
  });

  it('is read only up to a limit', async () => {
    answering(200, json({ id: 'x'.repeat(9 * 1024 * 1024) }));
    expect(await api(access, asked)).toEqual({ kind: 'unknown', reason: 'answer too large' });
  });

  it('is never followed if it is a redirect', async () => {
    const seen = answering(307, '', { location: '/elsewhere' });
    expect(await api(access, { ...asked, method: 'POST', json: {} })).toMatchObject({ kind: 'unknown' });
    expect(seen).toHaveLength(1);
  });
});

describe('a refused token', () => {
  it.each(['INVALID_OAUTH', 'UNAUTHORIZED', 'whatever'])(
    'is replaced, and the request is repeated: %s',
    async (errorCode) => {
      const seen: unknown[] = [];
      answer = ({ headers }, res) => {
        seen.push(headers.authorization);
        if (seen.length === 1) res.writeHead(401).end(json({ errorCode }));
        else res.end('{"id":"1"}');
      };
      expect(await api(access, asked)).toEqual({ kind: 'answered', body: { id: '1' } });
      expect(rejections).toEqual([undefined, 'token-1']);
      expect(seen).toEqual(['Zoho-oauthtoken token-1', 'Zoho-oauthtoken token-2']);
    },
  );

  it('makes the help desk unavailable the second time, with the write not sent', async () => {
    const seen = answering(401, json({ errorCode: 'INVALID_OAUTH' }));
    expect(await api(access, { ...asked, method: 'POST', json: {} })).toEqual({
      kind: 'unavailable',
      reason: 'the access token is refused: INVALID_OAUTH',
    });
    expect(seen).toHaveLength(2);
  });
});

describe('an organization', () => {
  it('is named in the header of every request except the list of organizations', async () => {
    const seen = answering(200, '{}');
    await api(access, asked);
    await api(access, { ...asked, isWithoutOrg: true });
    expect(seen.map(({ headers }) => headers.orgid)).toEqual(['60001', undefined]);
  });

  it('that is not chosen yet makes the help desk unavailable, without a request', async () => {
    const seen = answering(200, '{}');
    const unset = { ...access, orgId: undefined };
    expect(await api(unset, asked)).toMatchObject({ kind: 'unavailable' });
    expect([seen, rejections]).toEqual([[], []]);
    expect(await api(unset, { ...asked, isWithoutOrg: true })).toMatchObject({ kind: 'answered' });
  });
});

describe('a file', () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
  const opened: Readable[] = [];
  const fileOf = (content: Buffer, contentLength = content.length) => ({
    filename: 'call_1.wav',
    contentType: 'audio/wav',
    contentLength,
    open: async () => {
      const stream = Readable.from(
        (function* chunks() {
          for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
        })(),
      );
      opened.push(stream);
      return stream;
    },
  });
  const upload = (content = bytes, contentLength?: number) =>
    api(access, { method: 'POST', path: '/api/v1/tickets/1/attachments', upload: fileOf(content, contentLength) });

  /** Reads the form as it arrived. */
  async function formOf(req: IncomingMessage): Promise<unknown[]> {
    const parts: unknown[] = [];
    const form = busboy({ headers: req.headers });
    form.on('field', (name) => parts.push({ field: name }));
    form.on('file', async (name, stream, info) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      parts.push({ name, ...info, bytes: Buffer.concat(chunks) });
    });
    req.pipe(form);
    await once(form, 'close');
    return parts;
  }

  beforeEach(() => {
    opened.splice(0);
  });

  it.each([
    ['of some length', bytes],
    ['that is empty', Buffer.alloc(0)],
  ])('arrives as the only part of a form, byte for byte, %s', async (_, content) => {
    const forms: unknown[] = [];
    answer = async (req, res) => {
      forms.push(...(await formOf(req)));
      res.end('{"id":"9"}');
    };
    expect(await upload(content)).toEqual({ kind: 'answered', body: { id: '9' } });
    expect(forms).toEqual([
      { name: 'file', filename: 'call_1.wav', encoding: '7bit', mimeType: 'audio/wav', bytes: content },
    ]);
  });

  it('is opened again to repeat the request after a refused token, and closed both times', async () => {
    let times = 0;
    answer = async (req, res) => {
      times += 1;
      if (times === 1) return req.resume().on('end', () => res.writeHead(401).end());
      expect(await formOf(req)).toMatchObject([{ bytes }]);
      return res.end('{"id":"9"}');
    };
    expect(await upload()).toMatchObject({ kind: 'answered' });
    expect(opened.map(({ destroyed }) => destroyed)).toEqual([true, true]);
  });

  it.each([
    ['longer', bytes.length - 1],
    ['shorter', bytes.length + 1],
  ])('that is %s than announced never arrives as a whole', async (_, length) => {
    let isWhole = false;
    answer = (req, res) => {
      req.on('error', () => undefined);
      req.resume().on('end', () => {
        isWhole = true;
        res.end('{"id":"9"}');
      });
    };
    expect(await upload(bytes, length)).toEqual({ kind: 'unknown', reason: 'FILE_LENGTH' });
    expect(isWhole).toBe(false);
    expect(opened[0]?.destroyed).toBe(true);
  });

  it('is closed if the connection is refused', async () => {
    access = { ...access, host: 'http://127.0.0.1:9' };
    expect(await upload()).toEqual({ kind: 'unavailable', reason: 'ECONNREFUSED' });
    expect(opened[0]?.destroyed).toBe(true);
  });

  it('that cannot be opened fails for the caller before a request is sent', async () => {
    const seen = answering(200, '{}');
    const file = { ...fileOf(bytes), open: () => Promise.reject(new Error('no such file')) };
    await expect(api(access, { ...asked, method: 'POST', upload: file })).rejects.toThrow('no such file');
    expect(seen).toEqual([]);
  });

  it('that breaks off has an unknown outcome', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    answer = (req) => {
      req.on('error', () => undefined).resume();
      arrive();
    };
    async function* broken() {
      yield bytes.subarray(0, 10);
      await arrived;
      throw Object.assign(new Error('of +919876543210'), { code: 'ESTALE' });
    }
    const file = { ...fileOf(bytes), open: async () => Readable.from(broken()) };
    expect(await api(access, { ...asked, method: 'POST', upload: file })).toEqual({
      kind: 'unknown',
      reason: 'ESTALE',
    });
  });
});
