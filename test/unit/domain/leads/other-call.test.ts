import { callStatuses } from '../../../../shared/domain/calls/call-status.ts';
import { stateOfOtherCall } from '../../../../shared/domain/leads/other-call.ts';

const PHONE = '+919876543210';

describe("another lead's call to the phone of a refused event", () => {
  it.each(callStatuses)('waits only until its phone rings: %s', (status) => {
    const waits = ['scheduled', 'queued', 'dialing'].includes(status);
    expect(stateOfOtherCall({ status, phone_number: PHONE }, PHONE)).toBe(waits ? 'waits' : 'counts');
  });

  it.each([
    'owner_mismatch',
    'lead_not_found',
    'no_dialable_phone',
    'own_platform_number',
    'destination_not_allowed',
    'auto_call_disabled',
    'assistant_missing',
    'crm_unavailable',
    'already_called',
    'phone_already_called',
  ])('frees the phone if it ended as %s', (ended_reason) => {
    expect(stateOfOtherCall({ status: 'canceled', phone_number: PHONE, ended_reason }, PHONE)).toBe('frees_phone');
    expect(stateOfOtherCall({ status: 'dialing', phone_number: PHONE, ended_reason }, PHONE)).toBe('waits');
  });

  it.each(['do_not_call', 'expired', 'canceled_by_member', 'canceled_by_operator', 'lost', 'customer-busy', ''])(
    'counts against the event if it ended as %j',
    (ended_reason) => {
      expect(stateOfOtherCall({ status: 'canceled', phone_number: PHONE, ended_reason }, PHONE)).toBe('counts');
    },
  );

  it('frees the phone by moving to another one', () => {
    expect(stateOfOtherCall({ status: 'queued', phone_number: '+919812345678' }, PHONE)).toBe('frees_phone');
  });
});
