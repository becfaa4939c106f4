import type { KnowledgeEntry } from '../../shared/domain/assistant.ts';
import type { TestOrg } from './orgs.ts';
import { environment } from './stack.ts';

export type Upload = { filename: string; bytes: string | Uint8Array; field?: string };

export type UploadAnswer = {
  status: number;
  headers: Headers;
  /** The entries, or what the refusal says. */
  body: KnowledgeEntry[] & { error?: string; message?: string };
};

type Target = Pick<TestOrg, 'apiKey' | 'assistantId'>;

/** Uploads as a client does: its runtime writes the multipart body. */
export function upload(target: Target, files: readonly Upload[]): Promise<UploadAnswer> {
  const form = new FormData();
  for (const { filename, bytes, field = 'files' } of files)
    form.append(field, new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), filename);
  return post(target, form);
}

/** @param body as it is, with the content type that is said. */
export const uploadRaw = (target: Target, body: string | Buffer, contentType: string): Promise<UploadAnswer> =>
  post(target, body, { 'content-type': contentType });

async function post(
  { apiKey, assistantId }: Target,
  body: FormData | string | Buffer,
  headers: Record<string, string> = {},
): Promise<UploadAnswer> {
  const response = await fetch(`${environment.base_url}/v1/assistants/${assistantId}/knowledge-base`, {
    method: 'POST',
    // A connection of its own: a big file is made in one go, and one that was kept may be closed by then.
    headers: { authorization: `Bearer ${apiKey}`, connection: 'close', ...headers },
    body: Buffer.isBuffer(body) ? new Uint8Array(body) : body,
    signal: AbortSignal.timeout(60_000),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as UploadAnswer['body'] };
}

/** One part of a multipart body, as bytes. */
export const part = (filename: string, content: string | Uint8Array, boundary = 'b', field = 'files'): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${filename}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
