import type { Call } from '../../../../shared/domain/calls/call.ts';
import { isRecheckDue } from '../../../../shared/domain/leads/recheck.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { aCall, aCalledLead } from '../../support/call.ts';

const { created_at } = aCall();
const isDue = (seconds: number, over: Partial<NonNullable<Call['lead']>> = {}) =>
  isRecheckDue({ created_at, lead: aCalledLead(over) }, new Date(secondsAfter(created_at, seconds)));

it('a lead of CRM-B is read again before its phone rings if ten minutes have passed', () => {
  expect([isDue(599.999), isDue(600)]).toEqual([false, true]);
  const read_at = secondsAfter(created_at, 300);
  expect([isDue(899.999, { read_at }), isDue(900, { read_at })]).toEqual([false, true]);
});

it('a lead of CRM-A and a test lead cannot be read again', () => {
  expect([isDue(9_999, { crm: 'crm-a' }), isDue(9_999, { test: true })]).toEqual([false, false]);
});
