import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCountries } from 'libphonenumber-js/min';
import { Webhook } from 'standardwebhooks';
import { ApiError } from '../../../dashboard/app/api/api-error.ts';
import { decideOnRefetch, rebase } from '../../../dashboard/components/form/use-draft.ts';
import { shownToasts, toast, toastFailure } from '../../../dashboard/components/message/toasts.ts';
import { verificationSample } from '../../../dashboard/words/calls/callbacks.ts';
import { auditedSettings } from '../../../dashboard/words/organization/audited-settings.ts';
import { describeChanges } from '../../../dashboard/words/organization/changes.ts';
import { describeThresholdConflict } from '../../../dashboard/words/organization/credit.ts';
import { noticeChanges, noticeWords } from '../../../dashboard/words/organization/notices.ts';
import {
  destinationsLead,
  listDestinations,
  organizationChanges,
  organizationFormSchema,
  organizationFormValues,
} from '../../../dashboard/words/organization/organization.ts';
import { describeRetention } from '../../../dashboard/words/organization/retention.ts';
import { isCreditLow } from '../../../dashboard/words/overview/overview.ts';
import { regionChoices } from '../../../dashboard/words/regions.ts';
import { newCallbackSecret } from '../../../shared/domain/organizations/callback-secret.ts';
import type { Organization } from '../../../shared/domain/organizations/organization.ts';
import { viewOrganization } from '../../../shared/domain/organizations/organization-view.ts';
import { anOrg } from '../support/worlds/items.ts';

const org = viewOrganization(anOrg({ max_live_calls: 5, warn_below: 500 }), new Date(), undefined);

describe('the settings of an organization', () => {
  const typed = organizationFormValues(org);

  it('are sent only if they changed', () => {
    expect(organizationChanges(org, typed)).toEqual({});
    expect(organizationChanges(org, { ...typed, name: ' Acme ', max_live_calls: '3', warn_below: '' })).toEqual({
      name: 'Acme',
      max_live_calls: 3,
      warn_below: null,
    });
    expect(organizationChanges(org, { ...typed, platform_numbers: '080 1, +91 2;; 3' })).toEqual({
      platform_numbers: ['080 1', '+91 2', '3'],
    });
  });

  it('do not include an emptied limit, which only the operator can remove', () => {
    const result = organizationFormSchema(org).safeParse({ ...typed, max_live_calls: ' ', max_wait_minutes: ' ' });
    expect(result.error?.issues).toMatchObject([
      { path: ['max_live_calls'], message: 'Only your operator can remove a limit.' },
    ]);
  });

  it('are validated before they are sent', () => {
    const isValid = (over: object) => organizationFormSchema(org).safeParse({ ...typed, ...over }).success;
    expect(
      [{}, { default_region: ' ae ' }, { warn_below: '12.345' }, { max_wait_minutes: '1440' }].map(isValid),
    ).toEqual(Array(4).fill(true));
    const wrong = [{ name: ' ' }, { default_region: 'India' }, { warn_below: '1.2345' }, { max_live_calls: '0' }];
    expect([...wrong, { max_wait_minutes: '1441' }, { warn_below: '-1' }].map(isValid)).toEqual(Array(6).fill(false));
  });
});

describe('a conflict between two people who change the organization', () => {
  it('shows each setting that the other person changed', () => {
    const mine = viewOrganization(anOrg({ max_live_calls: 5, warn_below: 500_000 }), new Date(), undefined);
    const theirs = viewOrganization(
      anOrg({
        max_live_calls: 4,
        retention_calls: 30,
        platform_numbers: ['+918022223333'],
        notices: { ...org.notices, low_credit: [] },
      }),
      new Date(),
      undefined,
    );
    const changes = describeChanges({ before: auditedSettings(mine), after: auditedSettings(theirs) });
    expect(changes.filter(({ before, after }) => before !== after)).toEqual([
      { what: 'E-mail about low credit', before: 'admin, owner', after: '' },
      { what: 'Live calls at once', before: '5', after: '4' },
      { what: 'Own numbers', before: '+15550100000', after: '+918022223333' },
      { what: 'Calls are kept, in days', before: '', after: '30' },
      { what: 'Warn below', before: '500', after: '' },
    ]);
  });
});

describe('a conflict between two people who change the warning threshold', () => {
  it.each([
    [1_500.5, 'Asha Rao', /^It is now 1,500\.5\. Asha Rao changed the organization last\. Save again/],
    [null, null, /^There is none now\. Another person changed/],
  ])('shows the other threshold (%s)', (warn_below, updated_by, words) => {
    expect(describeThresholdConflict({ warn_below, updated_by })).toMatch(words);
  });
});

describe('a form of stored data', () => {
  it('keeps only the person’s own changes when another person saves', () => {
    const before = { name: 'Acme', numbers: ['1'], warn_below: '', limit: '5' };
    const theirs = { ...before, numbers: ['1', '2'], limit: '4' };
    const mine = { ...before, name: 'Acme Labs', limit: '3' };
    expect(rebase(before, theirs, mine)).toEqual({
      name: 'Acme Labs',
      numbers: ['1', '2'],
      warn_below: '',
      limit: '3',
    });
  });

  const [older, newer] = [{ revision: 1 }, { revision: 2 }];

  it.each([
    ['shows the changes that another person saved meanwhile', older, newer, false, 'reset'],
    ['keeps typed text when it is read again', older, newer, true, 'keep'],
    ['does not return to older data after it was saved', newer, older, false, 'keep'],
    ['keeps its fields if only other facts changed', older, { ...older }, false, 'update'],
    ['updates other facts even while text is typed', older, { ...older }, true, 'update'],
    ['stays unchanged if the data did not change', older, older, false, 'keep'],
  ])('%s', (_, base, stored, isDirty, expected) => {
    expect(decideOnRefetch(base, stored, isDirty)).toBe(expected);
  });
});

describe('the countries of numbers', () => {
  it('are all that the service knows, sorted by name', () => {
    const choices = regionChoices();
    expect(choices.map(([code]) => code).sort()).toEqual(getCountries().sort());
    expect(choices.map(([, name]) => name)).toEqual(choices.map(([, name]) => name).sort((a, b) => a.localeCompare(b)));
    expect(choices).toContainEqual(['IN', 'India']);
  });
});

describe('the credit in the header', () => {
  it('is highlighted while it is low', () => {
    expect(isCreditLow([{ kind: 'low_credit', available: 3, warn_below: null }])).toBe(true);
    expect(isCreditLow([{ kind: 'suspended' }])).toBe(false);
    expect(isCreditLow(undefined)).toBe(false);
  });
});

describe('toasts', () => {
  afterEach(() => jest.useRealTimers());

  it('disappear after some seconds, but a failure stays with its explanation and request id', () => {
    jest.useFakeTimers();
    toast('Saved.');
    const error = new ApiError({ status: 503, code: 'service_unavailable', requestId: 'req-1' });
    toastFailure('Not sent.', error);
    for (const text of ['Copied.', 'Sent.', 'Stored.', 'Read.']) toast(text);
    expect(shownToasts().map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Not sent\. The/),
      'Sent.',
      'Stored.',
      'Read.',
    ]);
    jest.advanceTimersByTime(60_000);
    const failed = 'Not sent. The service is not available right now. Try again in a moment.';
    expect(shownToasts()).toMatchObject([{ text: failed, isFailure: true, requestId: 'req-1' }]);
  });
});

describe('the countries that may be called', () => {
  const viewed = (over: Partial<Organization>) =>
    listDestinations(viewOrganization(anOrg(over), new Date(), undefined));

  it("are listed with the rate of each, the organization's own country first", () => {
    expect(viewed({ countries: ['AE', 'US'], rates: { AE: 2_500 } })).toEqual([
      { name: 'India', rate: 1 },
      { name: 'United Arab Emirates', rate: 2.5 },
      { name: 'United States', rate: 1 },
    ]);
  });

  it('are listed with the daily spend limit if one is set', () => {
    const lead = (over: Partial<Organization>) =>
      destinationsLead(viewOrganization(anOrg(over), new Date(), undefined));
    expect(lead({ daily_limit: 99_500 })).toMatch(
      /never called\. Calls may cost at most 99\.5 credits a day; further calls wait\.$/,
    );
    expect(lead({})).toMatch(/never called\.$/);
  });

  it('are all countries for an organization that has no list', () => {
    expect(viewed({})).toEqual([{ name: 'Every country', rate: 1 }]);
  });
});

describe('the retention of data', () => {
  it("is shown for each kind: in days, for good, or the service's default", () => {
    const over = { retention_calls: 365, retention_recordings: 90, retention_transcripts: 0 };
    expect(describeRetention(viewOrganization(anOrg(over), new Date(), undefined))).toEqual([
      { what: 'Calls, with their analysis', kept: '365 days' },
      { what: 'Recordings', kept: '90 days' },
      { what: 'Transcripts', kept: 'For good' },
      { what: 'Activity of leads', kept: 'As set by the service' },
    ]);
  });
});

describe('the roles that get e-mails', () => {
  it('are sent only for changed kinds, in any order of the roles', () => {
    const { broken_connection } = org.notices;
    expect(noticeChanges(org, { low_credit: ['owner', 'admin'], broken_connection })).toEqual({});
    expect(noticeChanges(org, { low_credit: [], broken_connection })).toEqual({ notices: { low_credit: [] } });
  });

  it('are shown with the threshold if one is set, otherwise with the price of a minute', () => {
    expect(noticeWords('low_credit', org).when).toMatch(/^Less than 0.5 credits are left/);
    expect(noticeWords('low_credit', { ...org, warn_below: null }).when).toMatch(/a minute costs \(1\)/);
  });
});

describe('the sample code that verifies a callback', () => {
  it('accepts only what the service signs', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'sample-')), 'sample.mjs');
    writeFileSync(file, verificationSample);
    const { isOurs } = await import(file);
    const secret = newCallbackSecret();
    const [id, body, timestamp] = ['msg_1', '{"a":1}', String(Math.floor(Date.now() / 1000))];
    const signature = new Webhook(secret).sign(id, new Date(Number(timestamp) * 1000), body);
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,x ${signature}` };
    expect(isOurs(headers, body, secret)).toBe(true);
    expect(isOurs(headers, '{"a":2}', secret)).toBe(false);
    expect(isOurs({ ...headers, 'webhook-timestamp': '1' }, body, secret)).toBe(false);
    expect(isOurs(headers, body, newCallbackSecret())).toBe(false);
    expect(isOurs({}, body, secret)).toBe(false);
  });
});
