import type { Call } from '../../domain/calls/call.ts';
import { conversationOf } from '../../domain/calls/conversation.ts';
import { type DialFacts, decideDial, dialReadiness, isDoubleDial } from '../../domain/calls/dial-decision.ts';
import { endedByService } from '../../domain/calls/ending.ts';
import type { Count } from '../../domain/metric.ts';
import type { KnowledgeEntry } from '../../domain/organizations/assistant.ts';
import type { KnowledgeText } from '../../domain/organizations/assistant-text.ts';
import type { DialOutcome, DialRequest, VoicePlatform } from '../../integrations/voice/voice-platform.ts';
import type { CallWork } from '../../messages/call-work.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { SlotStore } from '../../stores/calls/slots.ts';
import type { AssistantStore } from '../../stores/organizations/assistants.ts';
import type { DoNotCallStore } from '../../stores/organizations/do-not-call.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { cancelAsCalled } from './steps/cancel-as-called.ts';
import { type ClaimDialDeps, type ClaimedCall, claimDial, isReserved } from './steps/claim-dial.ts';
import { endCall } from './steps/end-call.ts';
import { type GiveBackDialClaimDeps, giveBackDialClaim } from './steps/give-back-dial-claim.ts';
import { type GiveBackReservationDeps, giveBackReservation } from './steps/give-back-reservation.ts';
import { type PostponeLateCallDeps, postponeLateCall } from './steps/postpone-late-call.ts';
import { withdrawCall } from './steps/withdraw-call.ts';

export type DialCallDeps = ClaimDialDeps &
  PostponeLateCallDeps &
  GiveBackDialClaimDeps &
  GiveBackReservationDeps & {
    calls: Pick<CallStore, 'get' | 'recordAccepted'>;
    slots: Pick<SlotStore, 'stage'>;
    dialQueue: QueueSender<CallWork>;
    assistants: Pick<AssistantStore, 'get'>;
    knowledge: { read(entries: readonly KnowledgeEntry[]): Promise<KnowledgeText[]> };
    doNotCall: Pick<DoNotCallStore, 'has'>;
    organizations: Pick<OrganizationStore, 'get' | 'settling'>;
    voice: Pick<VoicePlatform, 'prepare' | 'dial' | 'hangUp'>;
    /** Where the platform reports a call, and the headers that authenticate it. */
    reportsOf: (callId: string) => Promise<DialRequest['reports']>;
    count: Count;
  };

const CONTENDED_SECONDS = 5;

/**
 * Dials a call that has a slot, at most once however often it runs (docs/call-lifecycle.md, "Dialing"). Work above the
 * claim may run twice; below it, the platform may already have dialed. A worker that dies in between leaves the call
 * `dialing`, and recover-calls looks it up at the platform.
 * @returns the result, for the log.
 */
export async function dialCall(deps: DialCallDeps, callId: string): Promise<string> {
  const call = await deps.calls.get(callId);
  if (!call) return 'not_waiting';
  const readiness = dialReadiness(call, deps.now());
  if (readiness === 'late') return postponeLateCall(deps, call);
  if (readiness !== 'ready' || !isReserved(call)) return readiness;

  const { knowledge, reports, ...facts } = await gatherFacts(deps, call);
  const decision = decideDial(facts);
  if (decision.kind === 'wait') {
    await giveBackReservation(deps, call);
    return decision.why;
  }
  if (decision.kind === 'withdraw')
    return (await withdrawCall(deps, call, decision.status, decision.reason)) ? decision.reason : 'not_waiting';

  const { assistant, org } = decision;
  const conversation = conversationOf(call, assistant, knowledge);
  const claiming = await claimDial(deps, call);
  switch (claiming.kind) {
    case 'contended':
      // Nothing was requested yet, so a few seconds suffice. A redelivery of this message would take minutes.
      await deps.dialQueue.send({ call_id: callId }, CONTENDED_SECONDS * (1 + deps.random()));
      return 'contended';
    case 'refused':
      return claiming.step.kind === 'nothing' ? 'not_waiting' : cancelAsCalled(deps, call, claiming.step.outcome);
    case 'claimed': {
      const outcome = await deps.voice.dial({ ...conversation, voiceNumberId: org.voice_number_id, reports });
      return settle(deps, claiming.call, outcome);
    }
  }
}

/** Reads pause, suspension and do-not-call list last, so that the decision is based on their newest state. */
async function gatherFacts(deps: DialCallDeps, call: Call): Promise<DialFacts & DialMaterial> {
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
  return { assistant, reports, knowledge, org, isOnDoNotCallList, isPaused: stage.paused };
}

type DialMaterial = { knowledge: KnowledgeText[]; reports: DialRequest['reports'] };

/** Records the outcome of the dial request. Every write requires the claim of this attempt. */
async function settle(deps: DialCallDeps, call: ClaimedCall, outcome: DialOutcome): Promise<string> {
  switch (outcome.kind) {
    case 'accepted':
      await recordAccepted(deps, call, outcome.platformId);
      return 'accepted';
    case 'refused':
      await endCall(deps, call, endedByService('failed', outcome.reason, deps.now()));
      return 'refused';
    case 'not_dialed':
      if (outcome.isOperatorFault) deps.count('DialOperatorFault');
      await giveBackDialClaim(deps, call);
      return `not dialed: ${outcome.reason}`;
    case 'unknown':
      return `unknown: ${outcome.reason}`;
  }
}

async function recordAccepted(deps: DialCallDeps, call: ClaimedCall, platformId: string): Promise<void> {
  const { call_id: callId, dial_claimed_at: claimedAt } = call;
  if (await deps.calls.recordAccepted({ callId, claimedAt }, platformId, deps.now().toISOString())) return;
  if (!isDoubleDial(await deps.calls.get(callId), { claimedAt, platformId })) return;
  deps.count('DoubleDial');
  // The person may be on the line with the other call. A failed hang-up is not repeated: the alarm rings anyway.
  await deps.voice.hangUp(platformId).catch(() => false);
}
