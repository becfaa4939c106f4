import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { KnowledgeEntry } from '../../../shared/domain/organizations/assistants/assistant.ts';
import type { TestOrg } from '../organizations/orgs.ts';
import { environment } from '../stack/stack.ts';
import { untilNotBusy } from './rest.ts';

export type Upload = { filename: string; bytes: string | Uint8Array; field?: string };

export type UploadAnswer = {
  status: number;
  headers: IncomingHttpHeaders;
  /** The entries or the error. */
  body: KnowledgeEntry[] & { error?: string; message?: string };
};

type Target = Pick<TestOrg, 'apiKey' | 'assistantId'>;

/** Uploads, with retries while the service is busy. @returns the last answer and the number of requests */
export async function upload(target: Target, files: readonly Upload[]): Promise<UploadAnswer & { tries: number }> {
  const answers = await untilNotBusy(() => uploadOnce(target, files));
  return { ...(answers.at(-1) ?? answers[0]), tries: answers.length };
}

/** Uploads in a multipart body that the runtime builds. */
export async function uploadOnce(target: Target, files: readonly Upload[]): Promise<UploadAnswer> {
  const form = new FormData();
  for (const { filename, bytes, field = 'files' } of files)
    form.append(field, new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), filename);
  const written = new Response(form);
  const contentType = written.headers.get('content-type') ?? '';
  return uploadRaw(target, Buffer.from(await written.arrayBuffer()), contentType);
}

/**
 * Posts a raw body on a new connection: building a large file takes so long that a kept-alive connection may be closed
 * by then.
 */
export async function uploadRaw(
  { apiKey, assistantId }: Target,
  body: string | Buffer,
  contentType: string,
): Promise<UploadAnswer> {
  const request = http.request(`${environment.base_url}/v1/assistants/${assistantId}/knowledge-base`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
    },
    signal: AbortSignal.timeout(60_000),
  });
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  request.end(body);
  const [response] = await answered;
  const text = Buffer.concat(await response.toArray()).toString('utf8');
  return { status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) };
}

/** Builds one part of a multipart body. */
export const part = (filename: string, content: string | Uint8Array, boundary = 'b', field = 'files'): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${filename}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
