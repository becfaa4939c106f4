import * as z from 'zod/mini';
import { viewListedEntry } from '../../../shared/domain/organizations/ledger-entry.ts';
import { listCreditEntries as route } from '../../../shared/messages/dashboard/credit.ts';
import { listCreditEntries } from '../../../shared/operations/calls/list-credit-entries.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { cursorOf, limitOf, readCursor, writeCursor } from '../../../shared/runtime/dashboard/dashboard-input.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { callBriefs } from '../../../shared/stores/calls/call-briefs.ts';
import { callStore } from '../../../shared/stores/calls/calls.ts';
import { creditLedger } from '../../../shared/stores/organizations/credit-ledger.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  CREDIT_LEDGER_TABLE: z.string(),
  CALLS_TABLE: z.string(),
});
const db = documentClient(quick);

const deps = {
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  calls: callStore(db, config.CALLS_TABLE),
  ledger: creditLedger(db, config.CREDIT_LEDGER_TABLE),
  callBriefs: callBriefs(db, config.CALLS_TABLE),
  now: clock,
};
const admit = wireAdmission(config, db);
const cursor = cursorOf('entry');

export const handler = dashboardRoute(route, admit, async ({ member, query }) => {
  const before = readCursor(cursor, query.next);
  if (!before.ok) return before.answer;
  const { items, last } = await listCreditEntries(deps, member.org_id, {
    ...(query.from && { from: query.from }),
    ...(query.to && { to: query.to }),
    limit: limitOf(query),
    ...(before.value && { before: before.value.entry }),
  });
  return answer(200, { items: items.map(viewListedEntry), next: writeCursor(last) });
});
