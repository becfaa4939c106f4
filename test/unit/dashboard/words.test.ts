import { readFileSync } from 'node:fs';
import { ApiError } from '../../../dashboard/app/api/api-error.ts';
import { createShortcutMatcher, isTyping } from '../../../dashboard/app/keyboard/shortcuts.ts';
import { auditQuery, readAuditFilters } from '../../../dashboard/app/url/audit-filters.ts';
import {
  channelNote,
  describeHealth,
  describeNextStep,
  needsConsent,
} from '../../../dashboard/words/connections/connections.ts';
import { describeConsentResult } from '../../../dashboard/words/connections/consent.ts';
import { missedSweepNote } from '../../../dashboard/words/connections/missed-sweep.ts';
import { describeError, errorWords } from '../../../dashboard/words/errors.ts';
import { fieldErrorsOf } from '../../../dashboard/words/fields.ts';
import { auditActionNames, auditVerbs } from '../../../dashboard/words/organization/audit.ts';
import { describeChanges } from '../../../dashboard/words/organization/changes.ts';
import { greetingAt } from '../../../dashboard/words/overview/greeting.ts';
import { passwordHint } from '../../../dashboard/words/people/passwords.ts';
import { describePlaceholders, firstCurlCommand } from '../../../dashboard/words/people/permissions.ts';
import {
  formatCredits,
  formatDuration,
  formatElapsed,
  formatInOtherZones,
  formatTimeInIndia,
} from '../../../dashboard/words/times.ts';
import { NO_DELIVERY } from '../../../shared/domain/connections/deliveries/no-delivery.ts';
import { MAX_ENTRIES } from '../../../shared/domain/organizations/assistants/knowledge-file.ts';
import { auditActions } from '../../../shared/domain/organizations/audit/audit-entry.ts';
import { MIN_PASSWORD_CHARACTERS } from '../../../shared/domain/organizations/members/password.ts';
import { statusOfDashboardError } from '../../../shared/messages/dashboard/errors.ts';
import { declineAboutAssistant } from '../../../shared/runtime/dashboard/dashboard-assistants.ts';

const CONNECTION = 'conn_0123456789abcdef01234567';

const sourceOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const codesOfTheApi: string[] = Object.keys(statusOfDashboardError);
const codesOfThePage = [
  'internal_error',
  'service_unavailable',
  'not_found',
  'network',
  'timed_out',
  'unexpected_answer',
  'session_given_up',
  'clipboard_refused',
  'challenge_ended',
  'not_invited_again',
];

describe('words', () => {
  it('are tested with the codes of the API', () => {
    expect(codesOfTheApi).toEqual(expect.arrayContaining(['wrong_credentials', 'last_owner']));
  });

  it('name the required length of a password', () => {
    expect(passwordHint).toContain(`at least ${MIN_PASSWORD_CHARACTERS} characters`);
  });

  it('name both reasons why a knowledge base is full, as the API does', () => {
    const both = new RegExp(`\\b${MAX_ENTRIES}\\b.*\\bprompt\\b`);
    expect(errorWords.knowledge_base_full?.fix).toMatch(both);
    expect(declineAboutAssistant('knowledge_base_full').body).toMatchObject({ message: expect.stringMatching(both) });
  });

  it.each([...codesOfTheApi, ...codesOfThePage])('say what happened and what to do for %s', (code) => {
    const { sentence, fix } = describeError(new ApiError({ status: 400, code, message: 'from the API' }));
    expect(sentence).toMatch(/^[A-Z].*\.$/);
    expect(fix).toMatch(/^[A-Z].*\.$/);
    expect(sentence).not.toBe('from the API');
  });

  it('are the API’s own for a code that is newer than the page', () => {
    expect(describeError(new ApiError({ status: 409, code: 'brand_new', message: 'Too early.' })).sentence).toBe(
      'Too early.',
    );
  });

  it('hide the details of a failure of the page itself', () => {
    expect(describeError(new Error('x is undefined')).sentence).not.toContain('undefined');
  });

  it('say what to do about a field, even if the API has a message for it', () => {
    const refused = (code: string, path: string) =>
      new ApiError({ status: 400, code, fields: [{ path, message: 'This is wrong.' }] });
    const errors = fieldErrorsOf(refused('invalid_phone_number', 'phone'));
    expect(errors).toEqual([{ path: 'phone', message: expect.stringMatching(/ Enter it with its country code/) }]);
    expect(fieldErrorsOf(refused('invalid_request', 'phone'))).toEqual([{ path: 'phone', message: 'This is wrong.' }]);
  });

  it('name every audit action', () => {
    for (const action of auditActions) {
      expect(auditVerbs[action]).toMatch(/^[a-z]/);
      expect(auditActionNames[action]).toMatch(/^[A-Z]/);
    }
  });

  it('name both the old and the new value of a change', () => {
    const changes = describeChanges({ before: { role: 'viewer', name: 'A' }, after: { role: 'owner', is_new: true } });
    expect(changes).toEqual([
      { what: 'Is new', before: '', after: 'yes' },
      { what: 'Name', before: 'A', after: '' },
      { what: 'Role', before: 'Viewer', after: 'Owner' },
    ]);
  });

  it('show the numbers of a change as all pages do', () => {
    expect(describeChanges({ before: { warn_below: 1_500.5 }, after: { warn_below: 20_000 } })).toEqual([
      { what: 'Warn below', before: '1,500.5', after: '20,000' },
    ]);
  });

  it('show an instant among the values of a change in India, but no other text', () => {
    const before = { revoked_at: '2026-03-09T08:30:00.000Z', name: '2026-99-99T08:30:00.000Z' };
    expect(describeChanges({ before, after: null }).map((change) => change.before)).toEqual([
      '2026-99-99T08:30:00.000Z',
      '9 Mar 2026, 14:00 IST',
    ]);
  });

  it('define each code once', () => {
    const source = sourceOf('dashboard/words/errors.ts');
    for (const code of Object.keys(errorWords)) expect(source.match(new RegExp(`^  ${code}:`, 'gm'))).toHaveLength(1);
  });
});

describe('after a consent page', () => {
  it.each([
    [{}, undefined],
    [{ connected: 'conn_<script>' }, undefined],
    [{ connected: CONNECTION }, 'Connected'],
    [{ connected: CONNECTION, channel: 'failed' }, 'Connected, but without a watch channel yet'],
    [{ connected: CONNECTION, organization: 'not_chosen' }, 'Connected, one step left'],
    [{ error: 'access_denied' }, 'The consent was not completed'],
    [{ error: 'Call +1 900 to go on', connected: CONNECTION }, 'The consent was not completed'],
  ])('the title for %j is %s', (query, title) => expect(describeConsentResult(query)?.title).toBe(title));

  it('shows no text from the address', () => {
    expect(JSON.stringify(describeConsentResult({ error: 'Call +1 900' }))).not.toContain('900');
  });
});

describe('the summary of a connection', () => {
  const none = { pending_consent: null };
  const [organizations, user, instead_of] = [null, null, null];
  const at = '2026-03-02T06:00:00.000Z';
  const waiting = {
    id: 'p1',
    data_center: 'in',
    organizations,
    user,
    instead_of,
    begun_by: 'Asha',
    at,
    expires_at: at,
  };
  const health = { reason: null, last_delivery_at: null, channel_expiry: at, rejection: null };

  it('says "being set up" instead of "not connected" until the first delivery', () => {
    const nameOf = (reason: string | null) => describeHealth({ status: 'not_connected', reason }).name;
    expect([NO_DELIVERY, 'disconnected', null].map(nameOf)).toEqual(['Being set up', 'Not connected', 'Not connected']);
    expect(describeHealth({ status: 'silent', reason: NO_DELIVERY }).name).toBe('Silent');
  });

  it("directs people to the connection's own CRM if it is silent", () => {
    const titleFor = (type: 'crm-a' | 'crm-b') =>
      describeNextStep({ ...none, type, next_step: 'check_channel' })?.title;
    expect(titleFor('crm-a')).toBe('Check the webhooks in LeadSquared');
    expect(titleFor('crm-b')).toBe('Wait for a new watch channel');
    expect(describeNextStep({ ...none, type: 'crm-a', next_step: null })).toBeUndefined();
  });

  it('offers no other consent while one waits', () => {
    const step = (next_step: 'consent' | 'reconnect' | 'owner', pending: typeof waiting | null) => {
      const connection = { type: 'crm-b', next_step, pending_consent: pending } as const;
      return [describeNextStep(connection)?.title, needsConsent(connection)];
    };
    expect([step('consent', null), step('reconnect', null)]).toEqual([
      ['Give consent', true],
      ['Give a new consent', true],
    ]);
    const decide = ['Confirm or refuse the consent', false];
    expect([step('consent', waiting), step('reconnect', waiting)]).toEqual([decide, decide]);
    expect(step('owner', waiting)).toEqual(['Choose whose leads are called', false]);
  });

  it('says whether the leads of a Sunday retry that the CRM did not answer still wait', () => {
    expect(missedSweepNote({ given_up_at: null })).toMatch(/remaining leads follow when the CRM answers/);
    expect(missedSweepNote({ given_up_at: at })).toMatch(/wait for the next Sunday retry/);
  });

  it('promises to renew the watch channel only if a consent exists', () => {
    const note = (granted_at: string | null, status: 'healthy' | 'needs_reconnect') =>
      channelNote({ granted_at, health: { ...health, status } });
    const at = '2026-03-02T06:00:00.000Z';
    expect(note(at, 'healthy')).toBe('renewed automatically');
    expect([note(at, 'needs_reconnect'), note(null, 'healthy')]).toEqual(
      Array(2).fill('not renewed without a consent'),
    );
  });
});

describe('the example of a first request', () => {
  const request = { origin: 'https://calls.example', key: 'KEY', permissions: ['calls:write'] };

  it('places a call to the person’s own phone by an assistant that exists', () => {
    const line = firstCurlCommand({ ...request, phone: '+919820000001', assistantId: 'asst_1' });
    expect(line).toContain(`-d '{"phone_number":"+919820000001","assistant_id":"asst_1"}'`);
    expect(line).toContain('-H "Authorization: Bearer KEY"');
  });

  it('names the values to fill in, and never uses a number that may be real', () => {
    expect(firstCurlCommand(request)).toContain(
      `-d '{"phone_number":"YOUR_PHONE_NUMBER","assistant_id":"ASSISTANT_ID"}'`,
    );
    expect(describePlaceholders(firstCurlCommand(request), true)).toEqual([
      expect.stringMatching(/^Replace YOUR_PHONE_NUMBER .* country code /),
      expect.stringMatching(/^Replace ASSISTANT_ID /),
    ]);
    const reading = firstCurlCommand({ ...request, permissions: ['calls:read'] });
    expect(describePlaceholders(reading, true)).toEqual([expect.stringMatching(/^Replace CALL_ID /)]);
    expect(
      describePlaceholders(firstCurlCommand({ ...request, phone: '+919820000001', assistantId: 'asst_1' }), true),
    ).toEqual([]);
    // The assistants could not be read.
    expect(describePlaceholders(firstCurlCommand(request), false)[1]).toBe(
      'Replace ASSISTANT_ID with the id of an assistant.',
    );
  });

  it('says where callbacks are sent', () => {
    expect(firstCurlCommand({ ...request, callbackUrl: 'https://your-server.example/calls' })).toContain(
      `"callback_url":"https://your-server.example/calls"`,
    );
  });

  it('reads a call if the key has no right to place one', () => {
    expect(firstCurlCommand({ ...request, permissions: ['calls:read'] })).toBe(
      'curl -s https://calls.example/v1/calls/CALL_ID -H "Authorization: Bearer KEY"',
    );
  });
});

describe('times', () => {
  it("are in Indian time, with UTC and the person's local time available", () => {
    const at = '2026-11-22T20:05:09.000Z';
    expect(formatTimeInIndia(at)).toBe('23 Nov 2026, 01:35 IST');
    expect(formatInOtherZones(at, 'Europe/Berlin')).toEqual([
      '22 Nov 2026, 20:05:09 UTC',
      '22 Nov 2026, 21:05:09 (Europe/Berlin)',
    ]);
    expect(formatInOtherZones(at, 'Asia/Kolkata')).toHaveLength(1);
  });

  it.each([
    ['2026-11-22T02:00:00Z', 'Good morning'],
    ['2026-11-22T07:00:00Z', 'Good afternoon'],
    ['2026-11-22T12:00:00Z', 'Good evening'],
    ['2026-11-22T20:00:00Z', 'Good evening'],
  ])('greet at %s with %s', (now, greeting) => expect(greetingAt(new Date(now))).toBe(greeting));

  it('and credits are short', () => {
    const since = '2026-11-22T08:32:11.000Z';
    expect([41_900, -3_000].map((ms) => formatElapsed(since, Date.parse(since) + ms))).toEqual(['0:41', '0:00']);
    expect([formatDuration(9), formatDuration(125), formatCredits(1204.5), formatCredits(0.125)]).toEqual([
      '0:09',
      '2:05',
      '1,204.5',
      '0.125',
    ]);
  });
});

describe('the filters in the address', () => {
  it('are read, without invalid values', () => {
    expect(
      readAuditFilters({
        action: 'member.invited',
        actor: ' a@example.com ',
        thing: '',
        from: '2026-02-30x',
        to: '2026-11-05',
        x: '1',
      }),
    ).toEqual({ action: 'member.invited', actor: 'a@example.com', to: '2026-11-05' });
    expect(readAuditFilters({ action: 'org.deleted', actor: 7 })).toEqual({});
  });

  it('mean whole days in India', () => {
    expect(auditQuery({ from: '2026-11-01', to: '2026-11-01' })).toEqual({
      from: '2026-10-31T18:30:00.000Z',
      to: '2026-11-01T18:29:59.999Z',
    });
  });
});

describe('shortcuts', () => {
  it('are two letters, pressed within a second', () => {
    const read = createShortcutMatcher();
    expect(read('g', 0)).toBeUndefined();
    expect(read('m', 900)?.to).toBe('/settings/members');
    expect(read('g', 2_000)).toBeUndefined();
    expect(read('m', 3_100)).toBeUndefined();
    expect(read('?', 3_200)?.description).toBe('Show the shortcuts');
  });

  it('do not work in a field', () => {
    expect([{ tagName: 'INPUT' }, { isContentEditable: true }, { tagName: 'DIV' }].map(isTyping)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
