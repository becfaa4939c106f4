import http from 'node:http';

export type Answer = { status: number; text: string };

/** Sends a request with the headers of a browser, which `fetch` does not let a program set. */
export const ask = (url: string, options: http.RequestOptions = {}, body?: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const request = http.request(url, { agent: false, ...options }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    request.once('upgrade', (_answer, socket) => {
      socket.destroy();
      resolve({ status: 101, text: '' });
    });
    request.once('error', reject).end(body);
  });

const evil = 'http://evil.example';
const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** The requests that an open page of another origin can send through the browser. */
export const pageRequests: readonly [what: string, status: 403 | 421, options: http.RequestOptions][] = [
  ['under its own name, which resolves to this machine', 421, { headers: { host: 'evil.example:8080' } }],
  ['under its own name, as its own origin', 421, { headers: { host: 'evil.example', origin: evil } }],
  ['under a name that only begins like ours', 421, { headers: { host: '127.0.0.1.evil.example' } }],
  ['under a name that only ends like ours', 421, { headers: { host: 'evil-localhost' } }],
  ['under a name of a numbered service', 421, { headers: { host: '127.0.0.1:80.nip.example' } }],
  ['by a form', 403, { method: 'POST', headers: { origin: evil, 'content-type': 'text/plain' } }],
  ['by a form in a sandbox', 403, { method: 'POST', headers: { origin: 'null' } }],
  ['from another port of this machine', 403, { method: 'POST', headers: { origin: 'http://127.0.0.1:9' } }],
  ['as a preflight request', 403, { method: 'OPTIONS', headers: { origin: evil } }],
  ['with cors', 403, { headers: { origin: evil, 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'cross-site' } }],
  ['without cors, as an image', 403, { headers: { 'sec-fetch-mode': 'no-cors', 'sec-fetch-site': 'cross-site' } }],
  ['as an image, from another port', 403, { headers: { 'sec-fetch-mode': 'no-cors', 'sec-fetch-site': 'same-site' } }],
  [
    'in a frame',
    403,
    { headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site' } },
  ],
  ['as a web socket', 403, { headers: { ...upgrade, origin: evil } }],
];

/** The request of a person who follows a link. */
export const link = {
  headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'cross-site' },
};
