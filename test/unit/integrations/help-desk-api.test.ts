import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import busboy from 'busboy';
import { type HelpDeskAnswer, helpDeskApi, type Upload } from '../../../shared/integrations/help-desk/api.ts';
import type { HelpDeskAccess } from '../../../shared/integrations/help-desk/help-desk.ts';
import { aToken } from '../../support/connections/access-token.ts';
import { closeServers, serve } from '../../support/loopback.ts';

afterEach(closeServers);

const api = helpDeskApi({ timeoutMs: 10_000 });
const json = (value: unknown) => JSON.stringify(value);

let answer: RequestListener;
let access: HelpDeskAccess;
/** The requests for tokens. */
let rejections: (string | undefined)[];

beforeEach(async () => {
  const { url } = await serve((request, response) => answer(request, response));
  rejections = [];
  access = {
    host: url,
    orgId: '60001',
    async token(rejected) {
      rejections.push(rejected);
      return aToken(`token-${rejections.length}`);
    },
  };
});

/** Gives this answer to every request. @returns the received requests */
function answerAll(status: number, body = '', headers: Record<string, string> = {}): IncomingMessage[] {
  const seen: IncomingMessage[] = [];
  answer = (request, response) => {
    seen.push(request);
    request.resume().on('end', () => response.writeHead(status, headers).end(body));
  };
  return seen;
}

const post = (upload?: Upload) =>
  api(access, { method: 'POST', path: '/api/v1/tickets/1', ...(upload ? { upload } : { json: {} }) });

describe('a request to the help desk', () => {
  it('is not sent without an organization, even if only the token reveals that none is chosen now', async () => {
    const seen = answerAll(200, '{}');
    const chosen = { orgId: '60001' as string | undefined };
    access = {
      ...access,
      get orgId() {
        return chosen.orgId;
      },
      async token() {
        chosen.orgId = undefined;
        return aToken('token-1');
      },
    };
    expect(await post()).toEqual({ kind: 'unavailable', reason: 'no organization of the help desk is chosen' });
    expect(seen).toEqual([]);
  });
});

describe('an answer of the help desk', () => {
  const unknown = (reason: string) => ({ kind: 'unknown', reason }) as const;
  const unavailable = (reason: string) => ({ kind: 'unavailable', reason }) as const;
  const refused = (status: number, code: string) => ({ kind: 'refused', status, code }) as const;
  const coded = (errorCode: string, more: object = {}) => json({ errorCode, ...more });
  const namedFields = [{ fieldName: '/contactId', errorType: 'invalid', errorMessage: 'x' }, { fieldName: '/phone' }];

  it.each<[number, string, HelpDeskAnswer]>([
    [200, '{"id":"1"}', { kind: 'answered', body: { id: '1' } }],
    [201, '[]', { kind: 'answered', body: [] }],
    [204, '', { kind: 'answered', body: undefined }],
    [200, '<html>', unknown('not JSON')],
    [302, '', unknown('status 302')],
    [400, 'x', refused(400, 'status 400')],
    [403, '<html>', refused(403, 'status 403')],
    [404, coded('URL_NOT_FOUND'), refused(404, 'URL_NOT_FOUND')],
    [408, '', unknown('status 408')],
    [500, coded('INTERNAL_SERVER_ERROR'), unknown('status 500')],
    [503, '', unknown('status 503')],
    [429, coded('TOO_MANY_REQUESTS'), unavailable('TOO_MANY_REQUESTS')],
    [429, '', unavailable('status 429')],
    // The vendor does not document the status for exhausted daily credits.
    [403, coded('THRESHOLD_EXCEEDED'), unavailable('THRESHOLD_EXCEEDED')],
    [503, coded('THRESHOLD_EXCEEDED'), unavailable('THRESHOLD_EXCEEDED')],
    [403, coded('FORBIDDEN'), refused(403, 'FORBIDDEN')],
    [401, coded('SCOPE_MISMATCH'), refused(401, 'SCOPE_MISMATCH')],
    [401, coded('OAUTH_ORG_MISMATCH'), refused(401, 'OAUTH_ORG_MISMATCH')],
    [
      422,
      coded('INVALID_DATA', { message: 'of +919876543210', errors: namedFields }),
      refused(422, 'INVALID_DATA /contactId /phone'),
    ],
    // Free text is never shown.
    [422, coded('call +919876543210'), refused(422, 'status 422')],
    [422, coded('X'.repeat(1_000)), refused(422, 'status 422')],
    [422, coded('INVALID_DATA', { errors: [{ fieldName: 'Asha Rao' }] }), refused(422, 'INVALID_DATA')],
  ])('with %d %s is read as documented', async (status, body, expected) => {
    const seen = answerAll(status, body);
    expect(await post()).toEqual(expected);
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['7', 7],
    ['0', 1],
    ['999999999', 86_400],
    ['Mon, 02 Mar 2026 06:01:30 GMT', 90],
    ['Mon, 02 Mar 2026 05:00:00 GMT', 1],
    ['soon', undefined],
    ['', undefined],
  ])('returns the demanded wait of Retry-After %s', async (value, retryAfterSeconds) => {
    answerAll(429, '', { 'retry-after': value, date: 'Mon, 02 Mar 2026 06:00:00 GMT' });
    expect(await post()).toEqual({ ...unavailable('status 429'), ...(retryAfterSeconds && { retryAfterSeconds }) });
  });

  it('is read only up to a limit', async () => {
    answerAll(200, json('x'.repeat(9 * 1024 * 1024)));
    expect(await post()).toEqual(unknown('answer too large'));
  });
});

it.each(['INVALID_OAUTH', 'UNAUTHORIZED', 'whatever'])(
  'a refused token is replaced, and the request is repeated: %s',
  async (errorCode) => {
    const seen: unknown[] = [];
    answer = ({ headers }, response) => {
      seen.push(headers.authorization);
      if (seen.length === 1) response.writeHead(401).end(json({ errorCode }));
      else response.end('{"id":"1"}');
    };
    expect(await post()).toEqual({ kind: 'answered', body: { id: '1' } });
    expect(rejections).toEqual([undefined, 'token-1']);
    expect(seen).toEqual(['Zoho-oauthtoken token-1', 'Zoho-oauthtoken token-2']);
  },
);

describe('a file', () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
  const opened: Readable[] = [];
  const fileOf = (chunks: () => Iterable<Buffer> | AsyncIterable<Buffer>, contentLength = bytes.length): Upload => ({
    filename: 'call_1.wav',
    contentType: 'audio/wav',
    contentLength,
    open: async () => {
      const stream = Readable.from(chunks());
      opened.push(stream);
      return stream;
    },
  });
  function* inChunks() {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  }

  /** Reads the form as received. */
  async function formOf(request: IncomingMessage): Promise<unknown[]> {
    const parts: unknown[] = [];
    const form = busboy({ headers: request.headers });
    form.on('field', (name) => parts.push({ field: name }));
    form.on('file', async (name, stream, info) => {
      parts.push({ name, ...info, bytes: Buffer.concat(await stream.toArray()) });
    });
    request.pipe(form);
    await once(form, 'close');
    return parts;
  }

  beforeEach(() => {
    opened.splice(0);
  });

  it('is the only part of a form, is sent again after a refused token, and is closed both times', async () => {
    let requests = 0;
    let form: unknown;
    answer = async (request, response) => {
      requests += 1;
      if (requests === 1) return request.resume().on('end', () => response.writeHead(401).end());
      form = await formOf(request);
      return response.end('{"id":"9"}');
    };
    expect(await post(fileOf(inChunks))).toEqual({ kind: 'answered', body: { id: '9' } });
    expect(form).toEqual([{ name: 'file', filename: 'call_1.wav', encoding: '7bit', mimeType: 'audio/wav', bytes }]);
    expect(opened.map(({ destroyed }) => destroyed)).toEqual([true, true]);
  });

  it.each([
    ['longer', bytes.length - 1],
    ['shorter', bytes.length + 1],
  ])('that is %s than announced never arrives completely', async (_, length) => {
    let isWhole = false;
    answer = (request, response) => {
      request.on('error', () => undefined);
      request.resume().on('end', () => {
        isWhole = true;
        response.end('{"id":"9"}');
      });
    };
    expect(await post(fileOf(inChunks, length))).toEqual({ kind: 'unknown', reason: 'FILE_LENGTH' });
    expect([isWhole, opened[0]?.destroyed]).toEqual([false, true]);
  });

  it('is closed if the connection is refused', async () => {
    access = { ...access, host: 'http://127.0.0.1:9' };
    expect(await post(fileOf(inChunks))).toEqual({ kind: 'unavailable', reason: 'ECONNREFUSED' });
    expect(opened[0]?.destroyed).toBe(true);
  });

  it('that cannot be opened fails for the caller before a request is sent', async () => {
    const seen = answerAll(200, '{}');
    const file = { ...fileOf(inChunks), open: () => Promise.reject(new Error('no such file')) };
    await expect(post(file)).rejects.toThrow('no such file');
    expect(seen).toEqual([]);
  });

  it('that breaks off has an unknown outcome', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    answer = (request) => {
      request.on('error', () => undefined).resume();
      arrive();
    };
    async function* broken() {
      yield bytes.subarray(0, 10);
      await arrived;
      throw Object.assign(new Error('of +919876543210'), { code: 'ESTALE' });
    }
    expect(await post(fileOf(broken))).toEqual({ kind: 'unknown', reason: 'ESTALE' });
  });
});
