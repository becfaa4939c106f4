import { ledgerTimesOf } from '../../../../../shared/domain/calls/usage/ledger-times.ts';
import { aCall, aCalledLead } from '../../../support/call.ts';

const at = (minute: string) => `2026-03-02T06:${minute}:00.000Z`;
const times = { created_at: at('00'), dial_after: at('10'), dial_claimed_at: at('20'), progress_at: at('30') };
const lead = aCalledLead();

it.each([
  ['a call by REST: from its placing to its last progress', {}, { from: at('00'), to: at('30') }],
  [
    'a finished call: to its finish, not to a later analysis',
    { finished_at: at('25') },
    { from: at('00'), to: at('25') },
  ],
  ['a lead’s call: from its dial on', { lead, holds: 1 }, { from: at('10'), to: at('30') }],
  [
    'a lead’s call that is dialed early',
    { lead, holds: 1, dial_claimed_at: at('05') },
    { from: at('05'), to: at('30') },
  ],
  ['a lead’s call that was given back: its whole lifetime', { lead, holds: 2 }, { from: at('00'), to: at('30') }],
  ['a lead’s call that was never dialed: no time', { lead, holds: 0 }, undefined],
])('the ledger has the entries of %s', (_what, over, expected) => {
  expect(ledgerTimesOf(aCall({ ...times, ...over }))).toEqual(expected);
});
