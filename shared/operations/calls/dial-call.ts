import { type Call, isWaiting } from '../../domain/calls/call.ts';
import { leadContext, leadVariables } from '../../domain/calls/lead-variables.ts';
import { TransactionContention } from '../../domain/contention.ts';
import type { Count } from '../../domain/metric.ts';
import type { Assistant, KnowledgeEntry } from '../../domain/organizations/assistant.ts';
import { composePrompt, type KnowledgeText, render, variablesOf } from '../../domain/organizations/assistant-text.ts';
import { DEFAULT_REGION } from '../../domain/organizations/organization.ts';
import { toE164 } from '../../domain/text/national-number.ts';
import type { DialRequest, VoicePlatform } from '../../integrations/voice/voice-platform.ts';
import type { CallStore, DialClaim } from '../../stores/calls/calls.ts';
import { orgScope, type SlotStore, STAGE_SCOPE } from '../../stores/calls/slots.ts';
import type { AssistantStore } from '../../stores/organizations/assistants.ts';
import type { DoNotCallStore } from '../../stores/organizations/do-not-call.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import { endCall, type GiveUpCallDeps, givenUp, giveUpCall } from './end-call.ts';
import { type ExpireCallDeps, expireCall } from './expire-call.ts';
import { type ClaimWrite, cancelAsCalled, movingClaims, takenOutcome } from './follow-the-day.ts';
import { type GiveBackCallDeps, giveBackCall } from './give-back-call.ts';

export type DialCallDeps = GiveUpCallDeps &
  ExpireCallDeps &
  GiveBackCallDeps & {
    calls: Pick<CallStore, 'get' | 'claim' | 'recordAccepted' | 'ending' | 'givingBack' | 'postponing'>;
    assistants: Pick<AssistantStore, 'get'>;
    knowledge: { read(entries: readonly KnowledgeEntry[]): Promise<KnowledgeText[]> };
    doNotCall: Pick<DoNotCallStore, 'has'>;
    organizations: Pick<OrganizationStore, 'get' | 'settling'>;
    slots: Pick<SlotStore, 'taking' | 'givingBack'>;
    voice: Pick<VoicePlatform, 'prepare' | 'dial'>;
    /** Where the platform reports a call to, and what proves that it is the platform. */
    reportsOf: (callId: string) => Promise<DialRequest['reports']>;
    /** Live calls that the platform account allows at once. */
    stageSlots: number;
    count: Count;
  };

const CONTENDED_SECONDS = 5;

type DialWrite = 'call' | 'stage' | 'org' | ClaimWrite;

/**
 * Rings the phone of a waiting call, at most once however often this runs.
 * The claim comes before the request: a worker that dies in between leaves the call `dialing`, and recover-calls asks
 * the platform what became of it (docs/call-lifecycle.md, "Dialing").
 * @returns a word for the log.
 */
export async function dialCall(deps: DialCallDeps, callId: string): Promise<string> {
  const call = await deps.calls.get(callId);
  if (!call || !isWaiting(call)) return 'not_waiting';
  const now = deps.now();
  if (call.dial_by <= now.toISOString()) {
    return expireCall(deps, call);
  }
  if (call.dial_after > now.toISOString()) return 'too_early';

  // All that may be repeated stands above the claim. Below it the platform may have been asked.
  const [assistant, reports] = await Promise.all([
    deps.assistants.get(call.assistant_id),
    deps.reportsOf(callId),
    deps.voice.prepare(),
  ]);
  if (!assistant) {
    return (await giveUpCall(deps, call, 'failed', 'assistant_missing')) ? 'assistant_missing' : 'not_waiting';
  }
  const knowledge = await deps.knowledge.read(assistant.knowledge_base);
  if (knowledge.length < assistant.knowledge_base.length) deps.count('KnowledgeMissing');
  const [org, isOnList] = await Promise.all([deps.organizations.get(call.org_id), isNotToBeCalled(deps, call)]);
  if (!org || org.suspended_at) return 'org_suspended';
  if (isOnList) return (await giveUpCall(deps, call, 'canceled', 'do_not_call')) ? 'do_not_call' : 'not_waiting';

  const claim: DialClaim = { callId, claimedAt: deps.now().toISOString() };
  const slots = [STAGE_SCOPE, orgScope(org.org_id)];
  const today = movingClaims(deps.claims, call, { at: claim.claimedAt });
  const claimed = await deps
    .transact<DialWrite>({
      call: deps.calls.claim(claim, slots, today.day),
      ...today.writes,
      stage: deps.slots.taking(STAGE_SCOPE, deps.stageSlots),
      org: deps.slots.taking(orgScope(org.org_id), org.max_live_calls),
    })
    .catch((error: unknown) => {
      if (error instanceof TransactionContention) return undefined;
      throw error;
    });
  if (!claimed) {
    // All calls write the stage's counter. Nothing was asked yet, so a few seconds do; the queue's own repeat takes minutes.
    await deps.dialQueue.send({ call_id: callId }, CONTENDED_SECONDS * (1 + deps.random()));
    return 'contended';
  }
  if (!claimed.committed) {
    const { refused } = claimed;
    if (refused.call) return 'not_waiting';
    const taken = takenOutcome(refused);
    return taken ? await cancelAsCalled(deps, call, taken) : 'no_slot';
  }

  const outcome = await deps.voice.dial({
    ...conversation(call, assistant, knowledge),
    voiceNumberId: org.voice_number_id,
    reports,
  });

  const attempt = {
    ...call,
    status: 'dialing' as const,
    dial_claimed_at: claim.claimedAt,
    slots,
    attempts: call.attempts + 1,
  };
  // Each write is fenced by the claim: what an earlier attempt learns too late changes nothing.
  switch (outcome.kind) {
    case 'accepted':
      if (!(await deps.calls.recordAccepted(claim, outcome.platformId, deps.now().toISOString())))
        await warnOfDoubleDial(deps, claim, outcome.platformId);
      return 'accepted';
    case 'refused':
      await endCall(deps, attempt, givenUp('failed', outcome.reason, deps.now()));
      return 'refused';
    case 'not_dialed':
      if (outcome.isOperatorFault) deps.count('DialOperatorFault');
      await giveBackCall(deps, attempt);
      return `not dialed: ${outcome.reason}`;
    case 'unknown':
      return `unknown: ${outcome.reason}`;
  }
}

/** A client may have written a number in E.164's shape that is another one's: +91 098… rings +91 98…. */
async function isNotToBeCalled({ doNotCall }: DialCallDeps, { org_id, phone_number }: Call): Promise<boolean> {
  const spellings = new Set([phone_number, toE164(phone_number, DEFAULT_REGION) ?? phone_number]);
  const looks = await Promise.all([...spellings].map((phone) => doNotCall.has(org_id, phone)));
  return looks.includes(true);
}

/** What the assistant is and says in this call. */
function conversation(call: Call, assistant: Assistant, knowledge: KnowledgeText[]) {
  const variables = call.lead ? leadVariables(call.lead.fields) : variablesOf(call.request_metadata);
  return {
    callId: call.call_id,
    phoneNumber: call.phone_number,
    assistantName: assistant.name,
    prompt: composePrompt(assistant.prompt, variables, {
      knowledge,
      ...(call.lead && { lead: leadContext(call.lead.fields) }),
    }),
    firstMessage: render(assistant.first_message, variables),
    voice: assistant.voice,
    language: assistant.language,
    transferNumber: assistant.transfer_number,
    maxDurationSeconds: call.max_duration_seconds,
  };
}

/** A second live id of one attempt means two calls; one given back meanwhile means that nothing rang. */
async function warnOfDoubleDial(deps: DialCallDeps, claim: DialClaim, platformId: string): Promise<void> {
  const call = await deps.calls.get(claim.callId);
  const isOfThisAttempt = call?.dial_claimed_at === claim.claimedAt;
  if (isOfThisAttempt && call?.platform_id !== platformId) deps.count('DoubleDial');
}
