import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';

/** @returns the callbacks of a call that the client's system never accepted */
export const failedCallbacksOf = ({ callbacks }: Pick<ShownCall, 'callbacks'>): ShownCall['callbacks'] =>
  callbacks.filter(({ state }) => state === 'failed' || state === 'gone');

/** Verifies a callback by Standard Webhooks. Tested against the signature of the service. */
export const verificationSample = `import { createHmac, timingSafeEqual } from 'node:crypto';

/** headers: lower-case names; body: the raw text; secret: whsec_… */
export function isOurs(headers, body, secret) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const ours = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\${body}\`).digest();
  return (headers['webhook-signature'] ?? '').split(' ').some((signature) => {
    const theirs = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return theirs.length === ours.length && timingSafeEqual(theirs, ours);
  });
}
`;
