import type { ServerResponse } from 'node:http';

/** What a route answers; nothing is written before the faults had their say. */
export type Answer = {
  status: number;
  json?: unknown;
  html?: string;
  /** Of the type that the headers name. */
  bytes?: Buffer;
  headers?: Record<string, string>;
};

/** An answer that ends the work at once. */
export class Problem extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`${answer.status} ${JSON.stringify(answer.json ?? answer.html)}`);
    this.answer = answer;
  }
}

export function writeAnswer(response: ServerResponse, { status, json, html, bytes, headers = {} }: Answer): void {
  if (html !== undefined)
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(html);
  else if (json !== undefined)
    response
      .writeHead(status, { 'content-type': 'application/json;charset=utf-8', ...headers })
      .end(JSON.stringify(json));
  else response.writeHead(status, headers).end(bytes);
}

/** Half of the body, and no more. */
export function cutAnswer(response: ServerResponse, { status, json, html }: Answer): void {
  const body = Buffer.from(html ?? JSON.stringify(json ?? {}));
  response.writeHead(status, { 'content-type': 'application/json;charset=utf-8', 'content-length': body.length });
  response.write(body.subarray(0, body.length / 2), () => response.destroy());
}
