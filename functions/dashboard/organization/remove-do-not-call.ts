import * as z from 'zod/mini';
import { removeDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { removeNumber } from '../../../shared/operations/organizations/do-not-call/remove-number.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { decline, noContent } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';
import { wireDoNotCall } from '../../../shared/wiring/do-not-call.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  DO_NOT_CALL_TABLE: z.string(),
  DO_NOT_CALL_KEY_ID: z.string(),
  AUDIT_TABLE: z.string(),
});
const db = documentClient(quick);

const admit = wireAdmission(config, db);
const deps = {
  doNotCall: wireDoNotCall(config, db, quick),
  ...wireAuditedChanges(config, db),
};

export const handler = dashboardRoute(removeDoNotCall, admit, async ({ member, actor, path, body }) => {
  const number = { org_id: member.org_id, phone: `+${path.phone}`, reason: body.reason };
  const { kind } = await removeNumber(deps, actor, number);
  return kind === 'removed' ? noContent() : decline({ error: kind, message: 'This number is not on the list.' });
});
