import * as z from 'zod/mini';
import { newToken } from '../../../shared/domain/ids.ts';
import { removeDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { removeNumber } from '../../../shared/operations/organizations/do-not-call/remove-number.ts';
import { memberAdmission } from '../../../shared/operations/organizations/members/admit-member.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { decline, noContent } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { transactions } from '../../../shared/stores/dynamodb/transaction.ts';
import { auditStore } from '../../../shared/stores/organizations/audit.ts';
import { memberStore } from '../../../shared/stores/organizations/members.ts';
import { wireDoNotCall } from '../../../shared/wiring/do-not-call.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  DO_NOT_CALL_TABLE: z.string(),
  DO_NOT_CALL_KEY_ID: z.string(),
  AUDIT_TABLE: z.string(),
});
const db = documentClient(quick);

const admit = memberAdmission({ members: memberStore(db, config.MEMBERS_TABLE) });
const deps = {
  doNotCall: wireDoNotCall(config, db, quick),
  audit: auditStore(db, config.AUDIT_TABLE),
  transact: transactions(db),
  now: clock,
  newToken,
};

export const handler = dashboardRoute(removeDoNotCall, admit, async ({ member, actor, path, body }) => {
  const number = { org_id: member.org_id, phone: `+${path.phone}`, reason: body.reason };
  const { kind } = await removeNumber(deps, actor, number);
  return kind === 'removed' ? noContent() : decline({ error: kind, message: 'This number is not on the list.' });
});
