import { type Cancelation, cancelCall } from '../../../../shared/operations/calls/cancel-call.ts';
import { type ForcedEnd, forceEndCall } from '../../../../shared/operations/calls/force-end-call.ts';
import { type HangUp, hangUpCall } from '../../../../shared/operations/calls/hang-up-call.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { callNotFound, findCall } from '../../cloud/records.ts';
import { Refusal } from '../../failures.ts';
import { facts } from '../../output.ts';
import type { Answer } from '../../verb.ts';
import { voicePlatform } from '../../voice.ts';
import { viewCallForOperators } from './view.ts';

export type OfCall = { call: string };

const notCanceled: Record<Exclude<Cancelation, 'canceled' | 'call_not_found'>, string> = {
  already_ended: 'The call has already ended.',
  already_dialed: 'The call is being dialed or is live: end it with call hangup.',
};

export async function cancel(cloud: Cloud, { call: callId }: OfCall): Promise<Answer> {
  // No metrics: they are log lines, which would mix with the output.
  const deps = { ...cloud, count: () => undefined };
  const result = await cancelCall(deps, await cloud.operator(), { call_id: callId });
  if (result === 'call_not_found') throw callNotFound(callId);
  if (result !== 'canceled') throw new Refusal(result, notCanceled[result]);
  return answer(cloud, callId, 'The call was canceled, and its held credit was released.');
}

const notHungUp: Record<Exclude<HangUp['kind'], 'asked' | 'call_not_found' | 'unreachable'>, string> = {
  already_ended: 'The call has already ended.',
  not_live: 'The call is not live: end a waiting call with call cancel.',
};

export async function hangUp(cloud: Cloud, { call: callId }: OfCall): Promise<Answer> {
  const voice = await voicePlatform(cloud);
  const deps = { ...cloud, voice };
  const result = await hangUpCall(deps, await cloud.operator(), { call_id: callId });
  if (result.kind === 'unreachable')
    throw new Refusal('unavailable', `The call was not ended; voice platform: ${result.reason}. Try again.`);
  if (result.kind === 'call_not_found') throw callNotFound(callId);
  if (result.kind !== 'asked') throw new Refusal(result.kind, notHungUp[result.kind]);
  return answer(cloud, callId, 'The voice platform is ending the call; its report follows.');
}

const notEnded: Record<Exclude<ForcedEnd['kind'], 'ended' | 'call_not_found'>, string> = {
  already_ended: 'The call has already ended.',
  not_dialed: 'The call was not dialed: end it with call cancel.',
  dial_under_way: 'The call is being dialed at this very moment. Try again in three minutes.',
  changed: 'The platform reported the call at this very moment. Read it with call show, and try again.',
};

export async function forceEnd(cloud: Cloud, { call: callId, force }: OfCall & { force?: boolean }): Promise<Answer> {
  if (!force)
    throw new Refusal(
      'not_confirmed',
      'The call would end without the platform’s report, and without a charge. Try call hangup first, or add --force.',
    );
  const voice = await voicePlatform(cloud);
  const result = await forceEndCall(
    { ...cloud, voice, dialQueue: await cloud.dials(), count: () => undefined },
    await cloud.operator(),
    callId,
  );
  if (result.kind === 'call_not_found') throw callNotFound(callId);
  if (result.kind !== 'ended') throw new Refusal(result.kind, notEnded[result.kind]);
  const platform = result.hungUp
    ? 'The voice platform is hanging up.'
    : 'The voice platform did not confirm a hang-up. If it does not answer, the request is repeated for a quarter of an hour.';
  return answer(cloud, callId, `The call was ended, and its held credit and line were given back. ${platform}`);
}

async function answer(cloud: Cloud, callId: string, sentence: string): Promise<Answer> {
  const json = viewCallForOperators(await findCall(cloud, callId));
  return { json, people: `${sentence}\n\n${facts(json)}` };
}
