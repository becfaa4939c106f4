import type { Connection } from '../../../shared/domain/connections/connection.ts';
import type { Explanation } from '../../../shared/messages/dashboard/leads.ts';
import { explainLead as route } from '../../../shared/messages/dashboard/leads.ts';
import { explainLead } from '../../../shared/operations/leads/explain-lead.ts';
import { viewExplanation } from '../../../shared/operations/leads/steps/view-explanation.ts';
import { callSearch } from '../../../shared/stores/calls/call-search.ts';
import { clientOf } from './worlds/database.ts';
import { ORG } from './worlds/items.ts';
import { aCallingConnection, type LeadWorld } from './worlds/lead-world.ts';

/** A connection of CRM-B that is readable with its stored token. */
export const aReadableConnection = (over: Partial<Connection> = {}): Connection =>
  aCallingConnection({ access: { version: 1, token: 'conn_1:t', expires_at: '2027-01-01T00:00:00.000Z' }, ...over });

/** Requests why a lead was not called, and expects no write and no queued message. */
export async function explained(world: LeadWorld, question: string): Promise<Explanation> {
  const [before, queued, asked] = [world.snapshot(), world.queued.length, world.requests.length];
  const found = await explainLead(
    { ...world.deps, calls: world.stores.callBriefs, callSearch: callSearch(clientOf(world.send), 'calls') },
    ORG,
    question,
  );
  if (!found) throw new Error('no organization');
  expect(world.snapshot()).toEqual(before);
  expect(world.requests.slice(asked).filter((one) => !/^(Get|BatchGet|TransactGet|Query)/.test(one))).toEqual([]);
  expect(world.queued).toHaveLength(queued);
  return route.answer.parse(viewExplanation(found));
}
