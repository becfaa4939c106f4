import { givenUpMark } from '../../../../shared/domain/after-call/remote-writes/remote-writing.ts';
import { settledMark } from '../../../../shared/domain/after-call/remote-writes/write-outcome.ts';
import { ticketFields } from '../../../../shared/domain/after-call/tickets/help-desk-ticket.ts';
import { fieldsWithText } from '../../../../shared/integrations/lead-text.ts';
import { readVapiMessage } from '../../../../shared/integrations/voice/vapi/messages.ts';
import { callItem } from '../../../../shared/stores/calls/call-item.ts';
import { aCalledLead, aClaimedCall, aResult } from '../../support/call.ts';
import { CALL } from '../../support/worlds/call-world.ts';
import { START } from '../../support/worlds/world.ts';

/** DynamoDB, "Item size". Names and values count with their UTF-8 bytes, so JSON is an upper bound for texts. */
const MAX_BYTES_OF_AN_ITEM = 400 * 1024;

/** Text whose characters take three bytes each. */
const hindi = (characters: number): string => 'क'.repeat(characters);
const REASON = `customer-ended-call${'x'.repeat(500_000)}`;
const sizeOf = (item: object): number => Buffer.byteLength(JSON.stringify(item));

it('a call with the longest accepted texts fits into an item of DynamoDB', () => {
  const fields = Array.from({ length: 200 }, (_, index) => [hindi(77) + index, hindi(1_000)] as const);
  const ticket = { departmentId: '1', subject: hindi(300), description: hindi(70_000), phone: hindi(200) };
  const result = aResult({
    summary: hindi(2_000),
    issue_summary: hindi(1_000),
    structured_data: { text: hindi(16_384) },
  });
  const call = aClaimedCall({
    lead: aCalledLead({ fields: fieldsWithText(fields) }),
    request_metadata: { text: hindi(5_400) },
    callback_url: `https://client.example/${'a'.repeat(2_000)}`,
    idempotency_key: hindi(255),
    analysis: { state: 'done', result },
    ticket_fields: ticketFields({ ...ticket, priority: hindi(200), classification: hindi(200) }),
  });
  // The rest is for ids, instants and the reasons of failures.
  expect(sizeOf(callItem(call))).toBeLessThan(MAX_BYTES_OF_AN_ITEM - 40_000);
});

it('keeps the first fields of a lead that has too many', () => {
  const fields = fieldsWithText(Array.from({ length: 90 }, (_, index) => [`field ${index}`, hindi(500)] as const));
  expect(Object.keys(fields).slice(0, 2)).toEqual(['field 0', 'field 1']);
  expect(sizeOf(fields)).toBeLessThanOrEqual(64 * 1024);
  expect(Object.keys(fields).length).toBeGreaterThan(40);
});

it.each([
  { type: 'end-of-call-report', endedReason: REASON },
  { type: 'end-of-call-report', call: { endedReason: REASON } },
  { type: 'status-update', status: 'ended', endedReason: REASON },
])('the end of a call is stored, however long the reason that the platform names: $type', (message) => {
  const call = { id: 'p1', customer: { externalId: CALL }, ...message.call };
  const read = readVapiMessage({ message: { ...message, call } }, new Date())?.message;
  expect(read).toMatchObject({ reason: REASON.slice(0, 500) });
});

it('the reason of a write that was given up is stored, however long a code the vendor answers', () => {
  const at = { at: START, isInDoubt: false };
  const marks = [
    givenUpMark(undefined, REASON, new Date(START)),
    givenUpMark({ state: 'asked', at: START }, REASON, new Date(START)),
    settledMark({ kind: 'refused', code: REASON }, at),
    settledMark({ kind: 'impossible', reason: REASON }, at),
  ];
  expect(new Set(marks.map(({ error }) => error))).toEqual(new Set([REASON.slice(0, 500)]));
});
