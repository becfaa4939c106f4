import type { IncomingMessage, ServerResponse } from 'node:http';

const maxBodyBytes = 5 * 1024 * 1024;

const errorNames: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** An answer other than success, in the vendor's form. */
export class HttpProblem extends Error {
  readonly status: number;
  readonly details: string | string[];
  readonly headers: Record<string, string>;

  constructor(status: number, details: string | string[], headers: Record<string, string> = {}) {
    super(String(details));
    this.status = status;
    this.details = details;
    this.headers = headers;
  }
}

export function sendProblem(response: ServerResponse, problem: HttpProblem): void {
  const { status, details: message, headers } = problem;
  send(response, status, { message, error: errorNames[status] ?? 'Error', statusCode: status }, headers);
}

export function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}

/** The parsed body; an empty one is undefined. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new HttpProblem(400, 'request entity too large');
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new HttpProblem(400, 'Unexpected token in JSON');
  }
}
