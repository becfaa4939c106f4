import * as z from 'zod/mini';
import { isErasedNumber } from '../../../shared/domain/organizations/erased-number.ts';
import { listDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { findNumbers } from '../../../shared/operations/organizations/do-not-call/find-numbers.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { cursorOf, limitOf, readCursor, writeCursor } from '../../../shared/runtime/dashboard/dashboard-input.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireDoNotCall } from '../../../shared/wiring/do-not-call.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  DO_NOT_CALL_TABLE: z.string(),
  DO_NOT_CALL_KEY_ID: z.string(),
});
const db = documentClient(quick);

const deps = {
  doNotCall: wireDoNotCall(config, db, quick),
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
};
const admit = wireAdmission(config, db);
const cursor = cursorOf('phone');

export const handler = dashboardRoute(listDoNotCall, admit, async ({ member, query }) => {
  const after = readCursor(cursor, query.next);
  if (!after.ok) return after.answer;
  const { items, last } = await findNumbers(deps, member.org_id, {
    typed: query.prefix,
    limit: limitOf(query),
    ...(after.value && { after: after.value.phone }),
  });
  return answer(200, {
    items: items.map(({ phone, added_at, call_id = null, added_by = null, erased_at = null }) => ({
      phone: isErasedNumber(phone) ? null : phone,
      added_at,
      call_id,
      added_by,
      erased_at,
    })),
    next: writeCursor(last && { phone: last.phone }),
  });
});
