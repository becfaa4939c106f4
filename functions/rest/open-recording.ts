import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import { openRecording } from '../../shared/operations/after-call/open-recording.ts';
import { localS3Url, quick } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { refuse, restRoute } from '../../shared/runtime/rest/rest-route.ts';
import { recordingLinks } from '../../shared/stores/after-call/recording-links.ts';
import { recordedCall } from '../../shared/stores/calls/recorded-calls.ts';
import { keyReader } from '../../shared/stores/secrets.ts';

const config = readConfig({
  CALLS_TABLE: z.string(),
  CALL_FILES_BUCKET: z.string(),
  RECORDING_LINK_KEY_ID: z.string(),
});
const db = documentClient(quick);

const deps = {
  calls: { get: recordedCall(db, config.CALLS_TABLE) },
  linkKeys: keyReader(new SecretsManagerClient(quick), config.RECORDING_LINK_KEY_ID),
  linkTo: recordingLinks(db.config, config.CALL_FILES_BUCKET, localS3Url()),
  now: clock,
};

const messages = {
  invalid_link: 'This link to a recording is incomplete or invalid.',
  link_expired: 'This link to a recording has expired: it was valid for 30 days.',
  recording_not_found: 'There is no such recording.',
} as const;

export const handler = restRoute(async ({ path, query }) => {
  const { expires, key, signature } = query;
  const opened = await openRecording(deps, path.callId ?? '', { expires, key, signature });
  // Anyone who knows this link, or the one to which it redirects, can open the recording.
  const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
  if (opened.kind === 'found') return { status: 302, headers: { ...headers, location: opened.url } };
  return refuse({ error: opened.kind, message: messages[opened.kind] }, headers);
});
