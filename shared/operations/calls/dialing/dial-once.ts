import { type Call, holdsCredit } from '../../../domain/calls/call.ts';
import { currentEntry, spendEntries } from '../../../domain/calls/call-activity.ts';
import { conversationOf } from '../../../domain/calls/conversation/conversation.ts';
import {
  type DialFacts,
  decideDial,
  dialReadiness,
  isDoubleDial,
  type RefusalStep,
} from '../../../domain/calls/dialing/dial-decision.ts';
import { REFUSED_BY_PLATFORM } from '../../../domain/calls/dialing/lead-end.ts';
import type { Count } from '../../../domain/metric.ts';
import type { KnowledgeEntry } from '../../../domain/organizations/assistants/assistant.ts';
import type { KnowledgeText } from '../../../domain/organizations/assistants/assistant-text.ts';
import { holdFor } from '../../../domain/organizations/credit.ts';
import { transferNumberOf } from '../../../domain/organizations/destination-rule.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import type { DialOutcome, DialRequest, VoicePlatform } from '../../../integrations/voice/voice-platform.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { SlotStore } from '../../../stores/calls/slots/slots.ts';
import type { WaitingOrgStore } from '../../../stores/calls/slots/waiting-orgs.ts';
import type { UsageStore } from '../../../stores/calls/usage.ts';
import type { AssistantStore } from '../../../stores/organizations/assistants.ts';
import type { DoNotCallStore } from '../../../stores/organizations/do-not-call.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';
import { type EndQueuedCallDeps, endIfQueued, sendEndAtDialBy } from '../platform/end-queued-call.ts';
import { hangUpAtPlatform } from '../platform/hang-up-at-platform.ts';
import { noteSecondId } from '../platform/note-second-id.ts';
import type { Caller } from '../platform/number-gate.ts';
import { giveBackDialPass, noteDialOutcome, type PlatformGateDeps, takeDialPass } from '../platform/platform-gate.ts';
import {
  type GiveBackReservationDeps,
  giveBackAfterFailure,
  giveBackReservation,
  waitForCredit,
} from '../slots/give-back-reservation.ts';
import { readOrSetAside, type SetAsideDeps } from '../slots/set-aside.ts';
import { endDialedCall } from '../steps/end-dialed-call.ts';
import { supersedeEntries } from '../steps/supersede-entries.ts';
import { withdrawCall } from '../steps/withdraw-call.ts';
import { cancelAsCalled } from './cancel-as-called.ts';
import { type ClaimDialDeps, type ClaimedCall, claimDial, isReserved, type ReservedCall } from './claim-dial.ts';
import { type GiveBackDialClaimDeps, giveBackDialClaim } from './give-back-dial-claim.ts';
import { type PostponeLateCallDeps, postponeLateCall } from './postpone-late-call.ts';
import { spendStopOf } from './spending.ts';
import { type WaitForSpendDeps, waitForSpend } from './wait-for-spend.ts';

export type DialOnceDeps = ClaimDialDeps &
  PostponeLateCallDeps &
  GiveBackDialClaimDeps &
  GiveBackReservationDeps &
  PlatformGateDeps &
  SetAsideDeps &
  WaitForSpendDeps &
  EndQueuedCallDeps & {
    usage: Pick<UsageStore, 'counting' | 'committing' | 'committed'>;
    calls: Pick<CallStore, 'get' | 'recordAccepted' | 'noteSecond' | 'noteLate'>;
    slots: Pick<SlotStore, 'stage'>;
    waitingOrgs: Pick<WaitingOrgStore, 'parkForCredit' | 'parkUntil' | 'endParking'>;
    assistants: Pick<AssistantStore, 'get'>;
    knowledge: { read(entries: readonly KnowledgeEntry[]): Promise<KnowledgeText[]> };
    doNotCall: Pick<DoNotCallStore, 'has'>;
    organizations: Pick<OrganizationStore, 'get' | 'settling'>;
    voice: Pick<VoicePlatform, 'prepare' | 'dial' | 'read' | 'hangUp'>;
    /** The URL to which the platform reports a call, and the headers that authenticate it. */
    reportsOf: (callId: string) => Promise<DialRequest['reports']>;
    /** Checks a lead's call once more. It returns why the call is not dialed now; undefined if it may be. */
    recheckLead: (call: Call, org: Organization) => Promise<string | undefined>;
    /** Replaces the deleted assistant of a lead's call. It returns why the call is not dialed now, as above. */
    replaceAssistant: (call: Call) => Promise<string | undefined>;
    count: Count;
    /** Returns an unguessable word, which delimits data in the prompt. */
    newToken: () => string;
  };

const CONTENDED_SECONDS = 5;

/** Results after which the organization is no longer on the list of organizations that wait for a slot. */
const parkingResults: ReadonlySet<string> = new Set(['wait_for_credit', 'spend_limit_reached']);

/**
 * Dials a call that has a slot, at most once however often it runs (docs/call-lifecycle.md, "Dialing"). Work above the
 * claim may run twice; below it, the platform may already have dialed. A worker that dies in between leaves the call
 * `dialing`, and recover-calls looks it up at the platform.
 * @returns the result, for the log.
 */
export async function dialOnce(deps: DialOnceDeps, callId: string): Promise<string> {
  const call = await readOrSetAside(deps, callId, () => deps.calls.get(callId));
  if (!call) return 'not_waiting';
  const readiness = dialReadiness(call, deps.now());
  if (readiness === 'late') return postponeLateCall(deps, call);
  if (!isReserved(call)) return readiness;
  if (readiness !== 'ready') {
    await giveBackReservation(deps, call);
    return readiness;
  }
  return dialReserved(deps, call);
}

/**
 * Passes the gate, and dials. After an error before the claim, gives back the slots: otherwise the call would keep them
 * until recover-calls takes them, and then get them again, so that one organization's calls could hold all lines.
 * @throws that error
 */
async function dialReserved(deps: DialOnceDeps, call: ReservedCall): Promise<string> {
  let giveBackPass = async (_result?: string) => {};
  try {
    // Passes the gate before it gathers the facts: the wait may take seconds, and the facts must be new at the dial.
    const { voice_number_id: voiceNumberId } = (await deps.organizations.get(call.org_id)) ?? {};
    const caller = { orgId: call.org_id, numberId: voiceNumberId };
    const pass = await takeDialPass(deps, caller);
    if (pass.kind !== 'pass') {
      await giveBackReservation(deps, call);
      return pass.kind === 'closed' ? 'platform_closed' : pass.kind;
    }
    giveBackPass = (result = '') => giveBackDialPass(deps, caller, pass, { isParked: parkingResults.has(result) });
    const { result, outcome } = await dialWithPass(deps, call, caller);
    if (outcome) await noteDialOutcome(deps, caller, pass, outcome);
    else await giveBackPass(result);
    if (result === 'not_waiting') await giveBackUnused(deps, call);
    // Last, so that everything is recorded even if the message cannot be sent.
    if (outcome?.kind === 'accepted') {
      const { platformId, isQueued } = outcome;
      await (isQueued ? endIfQueued(deps, call.call_id, platformId) : sendEndAtDialBy(deps, call, platformId));
    }
    return result;
  } catch (error) {
    // A failure here must not hide the error. recover-calls then gives back the slots.
    if (await giveBackAfterFailure(deps, call).catch(() => false)) await giveBackPass().catch(() => undefined);
    throw error;
  }
}

/** Gathers the facts, decides, and claims and sends the dial. @returns `outcome` only if the dial request was sent */
async function dialWithPass(
  deps: DialOnceDeps,
  call: ReservedCall,
  { numberId }: Caller,
): Promise<{ result: string; outcome?: DialOutcome | undefined }> {
  const { knowledge, reports, ...facts } = await gatherFacts(deps, call);
  const replaced = facts.assistant ? undefined : await deps.replaceAssistant(call);
  if (replaced !== undefined) return { result: replaced };
  const decision = decideDial(facts);
  if (decision.kind === 'wait') {
    await giveBackReservation(deps, call);
    return { result: decision.why };
  }
  if (decision.kind === 'withdraw') {
    const isWithdrawn = await withdrawCall(deps, call, decision.status, decision.reason);
    return { result: isWithdrawn ? decision.reason : 'not_waiting' };
  }

  if (decision.kind === 'cancel_destination')
    return { result: await cancelAs(deps, call, 'destination_not_allowed', decision.message) };

  const { assistant, org } = decision;
  // The pass is for another number.
  if (org.voice_number_id !== numberId) {
    await giveBackReservation(deps, call);
    return { result: 'number_changed' };
  }
  const amount = holdsCredit(call) ? call.held : holdFor(call.rate, call.max_duration_seconds);
  const stop = await spendStopOf(deps, call, { amount, at: deps.now(), limit: org.daily_limit });
  if (stop) return { result: await waitForSpend(deps, call, stop) };
  const stopped = await deps.recheckLead(call, org);
  if (stopped !== undefined) return { result: stopped };
  const transfer_number = transferNumberOf(org, assistant);
  const conversation = conversationOf(call, { ...assistant, transfer_number }, knowledge, deps.newToken);
  const claiming = await claimDial(deps, call, org);
  switch (claiming.kind) {
    case 'contended':
      // Nothing was requested yet, so a few seconds suffice. A redelivery of this message would take minutes.
      await deps.dialQueue.send({ call_id: call.call_id }, CONTENDED_SECONDS * (1 + deps.random()));
      return { result: 'contended' };
    case 'refused':
      return { result: await settleRefusal(deps, call, claiming.step) };
    case 'claimed': {
      const outcome = await deps.voice.dial({ ...conversation, voiceNumberId: org.voice_number_id, reports });
      const result = await settle(deps, claiming.call, outcome);
      if (outcome.kind === 'accepted') await supersedeSpendEntry(deps, claiming.call);
      return { result, outcome };
    }
  }
}

/** Marks a lead's entry `spend_limit_reached` as superseded by the current entry of the lead's call. */
async function supersedeSpendEntry(deps: DialOnceDeps, call: Call): Promise<void> {
  const superseded = spendEntries(call);
  if (call.lead && superseded.length > 0)
    await supersedeEntries(deps, { ...call.lead, event_id: currentEntry(call) }, superseded);
}

/** @param reason for Activity. */
async function cancelAs(
  deps: DialOnceDeps,
  call: Call,
  outcome: 'insufficient_credits' | 'destination_not_allowed',
  reason: string,
): Promise<string> {
  return (await withdrawCall(deps, call, 'canceled', outcome, { outcome, reason })) ? outcome : 'not_waiting';
}

/** Takes the step that follows from a refused claim. */
async function settleRefusal(deps: DialOnceDeps, call: Call, step: RefusalStep): Promise<string> {
  switch (step.kind) {
    case 'nothing':
      return 'not_waiting';
    case 'cancel_as_called':
      return cancelAsCalled(deps, call, step.taken);
    case 'cancel_destination':
      return cancelAs(deps, call, 'destination_not_allowed', step.message);
    case 'wait_for_spend':
      return waitForSpend(deps, call, step.stop);
    case 'wait_for_credit':
      await waitForCredit(deps, call);
      return step.kind;
    case 'cancel_without_credit':
      return cancelAs(deps, call, 'insufficient_credits', step.message);
  }
}

/** Gives back the slots of a call that was not dialed because it changed, or because its time passed at the gate. */
async function giveBackUnused(deps: DialOnceDeps, { call_id, reserved_at }: Call): Promise<void> {
  const latest = await deps.calls.get(call_id);
  if (latest && latest.reserved_at === reserved_at) await giveBackReservation(deps, latest);
}

/** Reads pause, suspension and do-not-call list last, so that the decision is based on their newest state. */
async function gatherFacts(deps: DialOnceDeps, call: Call): Promise<DialFacts & DialMaterial> {
  const [assistant, reports] = await Promise.all([
    deps.assistants.get(call.assistant_id),
    deps.reportsOf(call.call_id),
    deps.voice.prepare(),
  ]);
  const entries = assistant?.knowledge_base ?? [];
  const knowledge = await deps.knowledge.read(entries);
  if (knowledge.length < entries.length) deps.count('KnowledgeMissing');
  const [org, isOnDoNotCallList, stage] = await Promise.all([
    deps.organizations.get(call.org_id),
    deps.doNotCall.has(call.org_id, call.phone_number),
    deps.slots.stage(),
  ]);
  const { phone_number: phone } = call;
  return { phone, assistant, reports, knowledge, org, isOnDoNotCallList, isPaused: stage.paused };
}

type DialMaterial = { knowledge: KnowledgeText[]; reports: DialRequest['reports'] };

/** Records the outcome of the dial request. Every write requires the claim of this attempt. */
async function settle(deps: DialOnceDeps, call: ClaimedCall, outcome: DialOutcome): Promise<string> {
  switch (outcome.kind) {
    case 'accepted':
      await recordAccepted(deps, call, outcome);
      return outcome.isQueued ? 'queued_at_platform' : 'accepted';
    case 'refused':
      await endDialedCall(deps, call, outcome.reason, REFUSED_BY_PLATFORM);
      return 'refused';
    case 'not_dialed':
      if (outcome.isOperatorFault) deps.count('DialOperatorFault');
      await giveBackDialClaim(deps, call, { ungated: outcome.limit === 'destination' ? outcome.limit : undefined });
      return `not dialed: ${outcome.reason}`;
    case 'unknown':
      return `unknown: ${outcome.reason}`;
  }
}

async function recordAccepted(
  deps: DialOnceDeps,
  call: ClaimedCall,
  { platformId, isQueued = false }: Extract<DialOutcome, { kind: 'accepted' }>,
): Promise<void> {
  const { call_id: callId, dial_claimed_at: claimedAt } = call;
  const now = deps.now().toISOString();
  if (await deps.calls.recordAccepted({ callId, claimedAt }, { platformId, isQueued }, now)) return;
  const stored = await deps.calls.get(callId);
  if (!stored) {
    // The service has ended the call while its dial had no answer, and an operator has erased it since.
    await hangUpAtPlatform(deps, callId, platformId);
    await deps.calls.noteLate(callId, platformId);
    return;
  }
  if (isDoubleDial(stored, { claimedAt, platformId })) {
    // If no other id is stored, the service ended the call while its dial had no answer, which is not a double dial.
    if (stored.platform_id) deps.count('DoubleDial');
    await hangUpAtPlatform(deps, callId, platformId);
  }
  await noteSecondId(deps, stored, platformId);
}
