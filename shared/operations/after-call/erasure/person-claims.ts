import type { Call } from '../../../domain/calls/call.ts';
import type { Claim } from '../../../domain/calls/dialing/claim.ts';
import { leadClaimKey, phoneClaimKey } from '../../../domain/calls/dialing/day-claims.ts';
import { connectionIdFor } from '../../../domain/ids.ts';
import type { Shown } from '../../../domain/newer-values.ts';
import { istDays } from '../../../domain/time/ist-day.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import { contactClaimKey } from '../tickets/ticket-claims.ts';
import type { Lead, Person } from './find-person.ts';
import { leadClaimKeys } from './lead-claims.ts';

/** The days of a number's claims (claim.ts), and some more, because DynamoDB removes expired items late. */
const DAYS = 12;

/** Reads the claims on a number and on its leads, whichever calls took them. */
export async function claimsOfPerson(
  { claims, now }: { claims: Pick<ClaimStore, 'held'>; now: () => Date },
  { org_id, phone }: Person,
  calls: readonly Pick<Shown<Call>, 'lead' | 'claims_day'>[],
  leads: readonly Lead[],
): Promise<Claim[]> {
  const at = now();
  const keys = [
    contactClaimKey(connectionIdFor(org_id, 'help-desk'), phone),
    ...istDays(new Date(0), at, DAYS).map((day) => phoneClaimKey(org_id, phone, day)),
    ...leads.flatMap((lead) => {
      const { sunday, canceled, days } = leadClaimKeys(lead, at);
      return [sunday, canceled, ...days.keys()];
    }),
    // A scheduled call holds the claims of a later day.
    ...calls.flatMap(({ lead, claims_day: day }) =>
      lead && day ? [phoneClaimKey(org_id, phone, day), leadClaimKey(lead.connection_id, lead.lead_id, day)] : [],
    ),
  ];
  return [...(await claims.held(keys)).values()];
}
