import { createServer, type IncomingMessage, type Server } from 'node:http';
import { json, text } from 'node:stream/consumers';
import * as z from 'zod';
import { faultSchema } from './faults.ts';
import type { ModelState } from './state.ts';

/**
 * Telling the simulator what to do, and asking what happened. A server of its own: the vendor's speaks HTTP/2 without TLS,
 * which fetch does not.
 */
export const controlServer = (state: ModelState): Server =>
  createServer((request, response) => {
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    serve(state, request).then(
      (body) => send(200, body),
      (error: unknown) => send(400, { message: error instanceof z.ZodError ? z.prettifyError(error) : String(error) }),
    );
  });

async function serve(state: ModelState, request: IncomingMessage): Promise<unknown> {
  const url = new URL(request.url ?? '/', 'http://control');
  switch (`${request.method} ${url.pathname}`) {
    case 'POST /_simulator/faults':
      state.faults.push({ ...faultSchema.parse(await json(request)), skipped: 0, befell: 0 });
      return {};
    case 'GET /_simulator/faults':
      return { faults: state.faults };
    case 'DELETE /_simulator/faults': {
      const having = url.searchParams.get('whenTranscriptHas');
      state.faults =
        having === null ? [] : state.faults.filter(({ whenTranscriptHas }) => whenTranscriptHas !== having);
      return {};
    }
    case 'GET /_simulator/requests': {
      const having = url.searchParams.get('transcriptHas') ?? '';
      return { requests: state.requests.filter(({ transcript }) => transcript.includes(having)) };
    }
    case 'POST /_simulator/reset':
      state.reset();
      return {};
    default:
      await text(request);
      throw new Error(`no control route ${request.method} ${url.pathname}`);
  }
}
