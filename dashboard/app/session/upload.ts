import type { Fetch } from '../api/send.ts';
import { session } from './browser-session.ts';
import { createClient } from './client.ts';

/**
 * Uses XMLHttpRequest, because fetch does not report upload progress.
 * @param onProgress receives the share of the body sent, from 0 to 1
 */
const fetchWithProgress =
  (onProgress: (share: number) => void): Fetch =>
  (address, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      const abort = () => request.abort();
      request.open(method, address);
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
      request.onload = () => resolve(responseOf(request));
      request.onerror = () => reject(new TypeError('the request failed'));
      request.onabort = () => reject(new DOMException('Aborted', 'AbortError'));
      request.onloadend = () => signal?.removeEventListener('abort', abort);
      signal?.addEventListener('abort', abort);
      request.send(body as FormData);
    });

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const name of ['x-request-id', 'apigw-requestid', 'retry-after']) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(request.responseText, { status: request.status, headers });
}

/** Calls a route that takes files. */
export const createUploadClient = (onProgress: (share: number) => void) =>
  createClient(fetchWithProgress(onProgress), session);
