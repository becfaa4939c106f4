import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

type Request = { method?: string | undefined; headers: IncomingHttpHeaders };
type Refusal = { status: 403 | 421; error: 'foreign_host' | 'foreign_origin' };

/** A foreign page's host name can resolve to this machine (DNS rebinding), but it is never one of these. */
const ALLOWED_HOST = /^(?:127\.0\.0\.1|localhost)(?::(\d+))?$/i;
const ALLOWED_ORIGIN = /^http:\/\/(?:127\.0\.0\.1|localhost)(?::(\d+))?$/i;

/**
 * Detects requests that a web page of another origin makes through a browser on this machine. Programs send no `Origin`
 * and no `Sec-Fetch-Site`. A person may follow a link to this machine.
 * @returns undefined for a request that may be answered.
 */
function foreignRequestRefusal({ method = 'GET', headers }: Request): Refusal | undefined {
  const host = ALLOWED_HOST.exec(headers.host ?? String(headers[':authority'] ?? ''));
  if (!host) return { status: 421, error: 'foreign_host' };
  const { origin, 'sec-fetch-site': site = 'none', 'sec-fetch-mode': mode, 'sec-fetch-dest': target } = headers;
  const own = ALLOWED_ORIGIN.exec(origin ?? '');
  if (origin && (!own || own[1] !== host[1])) return { status: 403, error: 'foreign_origin' };
  const isLink = mode === 'navigate' && target === 'document' && ['GET', 'HEAD'].includes(method);
  return ['none', 'same-origin'].includes(String(site)) || isLink
    ? undefined
    : { status: 403, error: 'foreign_origin' };
}

function refuse(response: ServerResponse | Http2ServerResponse, { status, error }: Refusal): void {
  const message = 'The local cloud answers programs and its own pages on 127.0.0.1 only.';
  (response as ServerResponse)
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error, message }));
}

/** Puts the check in front of a listener. */
export const refuseForeignRequests =
  <Req extends IncomingMessage | Http2ServerRequest, Res extends ServerResponse | Http2ServerResponse>(
    listener: (request: Req, response: Res) => unknown,
  ) =>
  (request: Req, response: Res): void => {
    const refusal = foreignRequestRefusal(request);
    if (!refusal) return void listener(request, response);
    request.resume();
    refuse(response, refusal);
  };
