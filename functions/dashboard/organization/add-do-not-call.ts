import * as z from 'zod/mini';
import { addDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { addNumbers, readNumbers } from '../../../shared/operations/organizations/do-not-call/add-numbers.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, decline } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';
import { wireDoNotCall } from '../../../shared/wiring/do-not-call.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  DO_NOT_CALL_TABLE: z.string(),
  DO_NOT_CALL_KEY_ID: z.string(),
  AUDIT_TABLE: z.string(),
});
const db = documentClient(quick);

const admit = wireAdmission(config, db);
const organizations = organizationStore(db, config.ORGANIZATIONS_TABLE);
const deps = {
  doNotCall: wireDoNotCall(config, db, quick),
  ...wireAuditedChanges(config, db),
};

export const handler = dashboardRoute(addDoNotCall, admit, async ({ member, actor, body }) => {
  const { org_id } = member;
  const org = await organizations.get(org_id);
  if (!org) throw new Error(`the organization ${org_id} does not exist`);
  const { phones, duplicates, wrong, numbers } = readNumbers(body.phones, org.default_region);
  if (body.check) {
    const listed = await deps.doNotCall.getMany(org_id, phones);
    const known = new Set(listed.map(({ phone }) => phone));
    return answer(200, {
      added: phones.length - listed.length,
      listed: listed.length,
      duplicates,
      wrong,
      numbers: numbers.map((phone) => (phone === undefined ? null : { phone, is_listed: known.has(phone) })),
    });
  }
  if (wrong.length > 0) {
    const message = 'This is not a phone number.';
    const fields = wrong.map((position) => ({ path: `phones.${position}`, message }));
    return decline({
      error: 'invalid_request',
      message: 'Nothing was added: some texts are not phone numbers.',
      fields,
    });
  }
  const { added, listed } = await addNumbers(deps, actor, { org_id, phones });
  return answer(200, { added, listed: listed.length, duplicates, wrong });
});
