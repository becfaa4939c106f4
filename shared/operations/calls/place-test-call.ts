import { testCallIdFor } from '../../domain/ids.ts';
import { toCredits } from '../../domain/organizations/credit.ts';
import type { Member } from '../../domain/organizations/members/member.ts';
import { secondsToNextMinute } from '../../domain/organizations/rate-limit.ts';
import { memberRequest, type RequestAddresses } from '../../domain/organizations/requester.ts';
import { maskPhone } from '../../domain/text/phone-number.ts';
import type { AssistantStore } from '../../stores/organizations/assistants.ts';
import type { DoNotCallStore } from '../../stores/organizations/do-not-call.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import type { RateLimitStore } from '../../stores/organizations/rate-limits.ts';
import { type AuditedChangeDeps, audited } from '../organizations/steps/audited-change.ts';
import { type OutboundPlacing, type PlaceOutboundCallDeps, placeOutboundCall } from './steps/place-outbound-call.ts';

export type PlaceTestCallDeps = PlaceOutboundCallDeps &
  AuditedChangeDeps & {
    assistants: Pick<AssistantStore, 'get'>;
    organizations: Pick<OrganizationStore, 'get'>;
    doNotCall: Pick<DoNotCallStore, 'has'>;
    rateLimits: Pick<RateLimitStore, 'count'>;
  };

export type TestCallRequest = {
  /** The member whose phone rings. */
  member: Member;
  requestId: string;
  from: RequestAddresses;
  /** A repeat with the same key returns the first request's call. */
  idempotencyKey: string;
  assistant_id: string;
  /** Values of the assistant's variables. */
  metadata: Readonly<Record<string, string>>;
};

export type PlacingTestCall =
  | Exclude<OutboundPlacing, { kind: 'assistant_wrong_org' }>
  /** The member's profile has no phone number. */
  | { kind: 'no_phone' }
  | { kind: 'too_many_test_calls'; resetSeconds: number };

/** The test calls of an organization in a clock minute (docs/dashboard.md, "Test calls"). */
const MAX_PER_MINUTE = 60;

/**
 * Places a real call to a member's own phone, by the rules of a call by REST, and adds an audit entry in the same
 * transaction. Requests that are refused count against the limit, too.
 * @throws TransactionContention if too many calls of the organization are placed at once
 */
export async function placeTestCall(
  deps: PlaceTestCallDeps,
  { member, requestId, from, idempotencyKey, assistant_id, metadata }: TestCallRequest,
): Promise<PlacingTestCall> {
  const { org_id, user_id, email } = member;
  const at = deps.now();
  const requests = await deps.rateLimits.count(`test-calls#${org_id}`, at.getTime());
  if (requests > MAX_PER_MINUTE)
    return {
      kind: 'too_many_test_calls',
      resetSeconds: secondsToNextMinute(at.getTime()),
    };
  const { phone: phone_number } = member;
  if (phone_number === undefined) return { kind: 'no_phone' };
  const call_id = testCallIdFor(org_id, user_id, idempotencyKey);
  const [org, assistant, isOnDoNotCallList] = await Promise.all([
    deps.organizations.get(org_id),
    deps.assistants.get(assistant_id),
    deps.doNotCall.has(org_id, phone_number),
  ]);
  if (!org) throw new Error(`the organization ${org_id} does not exist`);
  const placing = await placeOutboundCall(
    deps,
    { org, assistant, isOnDoNotCallList },
    {
      call_id,
      request_id: requestId,
      phone_number,
      request_metadata: metadata,
      tested_by: user_id,
      placed_by: memberRequest(member, from),
    },
    ({ held, assistant_name }) =>
      audited(
        deps,
        {
          org_id,
          actor: { kind: 'member', user_id, email },
          action: 'call.test_placed',
          thing: { id: call_id, name: maskPhone(phone_number) },
          after: { assistant: assistant_name, held: toCredits(held) },
        },
        at,
      ),
  );
  return placing.kind === 'assistant_wrong_org' ? { kind: 'assistant_not_found' } : placing;
}
