import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod/mini';
import { linkRecording as route } from '../../../shared/messages/dashboard/calls.ts';
import { linkRecording } from '../../../shared/operations/after-call/link-recording.ts';
import { localS3Url, quick } from '../../../shared/runtime/aws.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, declineAboutCall } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { recordingLinks, recordingPresence } from '../../../shared/stores/after-call/recording-links.ts';
import { callStore } from '../../../shared/stores/calls/calls.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';

const config = readConfig({ MEMBERS_TABLE: z.string(), CALLS_TABLE: z.string(), CALL_FILES_BUCKET: z.string() });
const db = documentClient(quick);

const s3 = new S3Client(quick);

const deps = {
  calls: callStore(db, config.CALLS_TABLE),
  now: clock,
  isStored: recordingPresence(s3, config.CALL_FILES_BUCKET),
  linkTo: recordingLinks(s3.config, config.CALL_FILES_BUCKET, localS3Url()),
};
const admit = wireAdmission(config, db);

export const handler = dashboardRoute(route, admit, async ({ member, path, query }) => {
  const linked = await linkRecording(deps, member.org_id, path.id ?? '', query.download !== undefined);
  return linked.kind === 'found' ? answer(200, { url: linked.url }) : declineAboutCall(linked.kind);
});
