import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { callIdForLead } from '../../../shared/domain/ids.ts';
import { done } from '../../support/admin/cli.ts';
import { type ClaimsOfCall, claimsOf, moveToYesterday, ownersOf } from '../../support/calls/claims.ts';
import { aGrantedConnection, CRM_B_OWNER, disconnectAll } from '../../support/connections/crm-b.ts';
import {
  aConnection,
  activityOf,
  aLeadEvent,
  decided,
  leadBody,
  passTimeUntilIst,
  queueLead,
  type TestConnection,
} from '../../support/leads/leads.ts';
import {
  anOrg,
  booksOf,
  changeOrg,
  expectBalancedBooks,
  type TestOrg,
  untilCall,
} from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf, readCall } from '../../support/rest/rest.ts';
import {
  crmB,
  eventually,
  passTime,
  pauseRecovery,
  queueUrl,
  recoverCalls,
  resumeRecovery,
  sqs,
  voice,
  workersAreIdle,
} from '../../support/stack/stack.ts';

const PATIENCE = 60;
const UNITS = 1_000;
const CREDITS = 1_000;
const AUTO_CALL_OFF = ['--auto-call', 'off'];

/** An organization without slots, whose calls wait. */
const anOrgThatWaits = () => anOrg({ credits: CREDITS, limits: { max_live_calls: 0 } });

/** Gives the organization slots, and hands them over. */
async function letDial({ orgId }: TestOrg): Promise<void> {
  await changeOrg(orgId, { max_live_calls: 5 });
  const MessageBody = JSON.stringify({ org_id: orgId });
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('slots'), MessageBody }));
}

type LeadsCall = { connected: TestConnection; body: ReturnType<typeof leadBody>; phone: string; callId: string };

/** A lead's call, which waits if the organization has no slot. */
async function aLeadsCall(connected: TestConnection, phone = aPhoneNumber()): Promise<LeadsCall> {
  const body = leadBody({ Phone: phone });
  const entry = await decided(connected, body);
  expect(entry.outcome).toBe('call queued');
  return { connected, body, phone, callId: entry.call_id ?? '' };
}

const owned = ({ eventId }: ClaimsOfCall, { lead, phone }: ClaimsOfCall['today']) => ({
  [lead]: eventId,
  [phone]: eventId,
});

// Far from midnight IST, so that no test crosses a day by chance.
beforeAll(() => passTimeUntilIst('10:00'));

describe("dial-call, for a lead's call that waited past midnight", () => {
  it('cancels the call if its number was called for another lead on the new day', async () => {
    const org = await anOrgThatWaits();
    const connected = await aConnection({}, org);
    const former = await aLeadsCall(connected);
    await workersAreIdle();
    const claims = await moveToYesterday(former.callId);
    // The number is free again for this day.
    const latter = await aLeadsCall(connected, former.phone);
    const ofLatter = await claimsOf(latter.callId);
    expect(await ownersOf(claims.yesterday, ofLatter.today)).toEqual({
      ...owned(claims, claims.yesterday),
      ...owned(ofLatter, ofLatter.today),
    });

    await letDial(org);
    expect(await endOf(org, former.callId, PATIENCE)).toMatchObject({
      status: 'canceled',
      ended_reason: 'phone_already_called',
      cost: 0,
      duration: 0,
    });
    const { status, cost } = await endOf(org, latter.callId, PATIENCE);
    expect(status).toBe('completed');
    expect(await voice.requests(former.phone)).toHaveLength(1);
    expect(await voice.rings(former.phone)).toBe(1);

    const entries = await activityOf(connected, 3, PATIENCE);
    const byOutcome = (wanted: string) => entries.filter(({ outcome }) => outcome === wanted);
    expect(byOutcome('call queued').map(({ call_id }) => call_id)).toEqual([latter.callId, former.callId]);
    expect(byOutcome('phone_already_called')).toEqual([
      expect.objectContaining({
        event_id: `${claims.eventId}.dial`,
        source: 'dial',
        event: 'new_lead',
        test: false,
        lead_id: former.body.ProspectID,
        owner_id: former.body.OwnerId,
        phone_masked: expect.stringMatching(/^\+91\*{7}\d{3}$/),
        call_id: former.callId,
        reason: expect.stringContaining('midnight'),
      }),
    ]);

    const books = await eventually(
      () => booksOf(org.orgId),
      ({ held }) => held === 0,
      PATIENCE,
    );
    expect(books.available).toBe((CREDITS - Number(cost)) * UNITS);
    const ofFormer = books.entries.filter(({ call_id }) => call_id === former.callId);
    expect(ofFormer).toEqual([]);
    await expectBalancedBooks(org.orgId);

    // The canceled call's claims are freed, the other lead's claims remain, and the new day has no claim.
    expect(await ownersOf(claims.yesterday, claims.today, ofLatter.today)).toEqual(owned(ofLatter, ofLatter.today));
    expect(await decided(connected, { ...former.body, Phone: aPhoneNumber() })).toMatchObject({
      outcome: 'call queued',
    });
  });
});

describe('dial-call, for leads of CRM-B that were read more than ten minutes ago', () => {
  it('reads them again: dials the new phone of one, and cancels the call of another with a do-not-call flag', async () => {
    const org = await anOrgThatWaits();
    const connected = await aGrantedConnection(org);
    /** A call of a lead whose CRM sends no notification. */
    const aWaitingCall = async () => {
      const phone = aPhoneNumber();
      const lead = { fields: { Last_Name: 'Rao', Mobile: phone }, owner: CRM_B_OWNER, quiet: true };
      const [id = ''] = await crmB.putLeads([lead]);
      const event = aLeadEvent(connected, { lead: { lead_id: id, phones: [], do_not_call: false, fields: {} } });
      await queueLead(event);
      const callId = callIdForLead(event.connection_id, event.event_id);
      await untilCall(callId, ({ status }) => status === 'queued');
      return { id, phone, callId };
    };
    const [moved, flagged] = [await aWaitingCall(), await aWaitingCall()];
    await passTime(11 * 60);
    const newPhone = aPhoneNumber();
    await crmB.putLeads([
      { id: moved.id, fields: { Mobile: newPhone }, quiet: true },
      { id: flagged.id, fields: { Do_Not_Call: true }, quiet: true },
    ]);

    await letDial(org);
    expect(await endOf(org, flagged.callId, PATIENCE)).toMatchObject({
      status: 'canceled',
      ended_reason: 'do_not_call',
      cost: 0,
    });
    expect(await endOf(org, moved.callId, PATIENCE)).toMatchObject({ status: 'completed', phone_number: newPhone });
    expect(await voice.rings(newPhone)).toBe(1);
    for (const phone of [moved.phone, flagged.phone]) expect(await voice.rings(phone)).toBe(0);
    await disconnectAll([connected]);
  });
});

describe("leads' calls that the platform has queued", () => {
  it('do not ring after the do-not-call flag, after auto-call was switched off, or after their number was listed', async () => {
    const QUEUE_SECONDS = 1_000_000;
    const queuedAtPlatform = async () => {
      const phone = aPhoneNumber();
      await voice.script(phone, { behaviour: 'answer', queueSeconds: QUEUE_SECONDS });
      const call = await aLeadsCall(await aConnection({}, await anOrg({ credits: CREDITS })), phone);
      await untilCall(call.callId, ({ status, platform_id }) => status === 'dialing' && platform_id !== undefined);
      return call;
    };
    const [flagged, switchedOff, listed] = [
      await queuedAtPlatform(),
      await queuedAtPlatform(),
      await queuedAtPlatform(),
    ];
    expect((await decided(flagged.connected, { ...flagged.body, DoNotCall: '1' })).outcome).toBe('do_not_call');
    await done(
      'connection',
      'update',
      '--connection',
      switchedOff.connected.connection.connection_id,
      ...AUTO_CALL_OFF,
    );
    await done('dnc', 'add', '--org', listed.connected.org.orgId, '--phone', listed.phone);
    await workersAreIdle();
    // The platform queues every new call for a few seconds, so recover-calls reads only calls without progress.
    await passTime(181);
    await recoverCalls();

    for (const [{ connected, callId, phone }, ended_reason] of [
      [flagged, 'do_not_call'],
      [switchedOff, 'auto_call_disabled'],
      [listed, 'do_not_call'],
    ] as const) {
      expect(await endOf(connected.org, callId, PATIENCE)).toMatchObject({ status: 'canceled', ended_reason, cost: 0 });
      expect(await voice.rings(phone)).toBe(0);
      expect((await expectBalancedBooks(connected.org.orgId)).held).toBe(0);
    }
  });
});

describe("a lead's call that waited for a slot for two hours", () => {
  it('expires through recover-calls alone, without a message, and frees lead and number for the next event', async () => {
    await pauseRecovery();
    try {
      const org = await anOrgThatWaits();
      const connected = await aConnection({}, org);
      const { body, phone, callId } = await aLeadsCall(connected);
      const claims = await claimsOf(callId);
      // Its dial message is consumed; it would expire the call, too.
      await workersAreIdle();
      await passTime(2 * 3_600 + 60);
      await workersAreIdle();
      expect(await readCall(org, callId)).toMatchObject({ status: 'queued' });
      expect(await ownersOf(claims.today)).toEqual(owned(claims, claims.today));
      expect((await recoverCalls()).expire).toBeGreaterThanOrEqual(1);
      expect(await readCall(org, callId)).toMatchObject({ status: 'failed', ended_reason: 'expired', cost: 0 });
      expect(await ownersOf(claims.today)).toEqual({});
      expect((await expectBalancedBooks(org.orgId)).available).toBe(CREDITS * UNITS);
      expect(await voice.rings(phone)).toBe(0);
      expect((await decided(connected, body)).outcome).toBe('call queued');
    } finally {
      await resumeRecovery();
    }
  });
});
