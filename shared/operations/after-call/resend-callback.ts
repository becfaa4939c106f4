import type { Callback } from '../../domain/after-call/callbacks/callback.ts';
import { isMessageLost } from '../../domain/after-call/callbacks/callback-step.ts';
import { mayBeId } from '../../domain/ids.ts';
import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import type { CallbackWork } from '../../messages/callback-work.ts';
import type { CallbackStore } from '../../stores/after-call/callbacks.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { type AuditedChangeDeps, audited } from '../organizations/steps/audited-change.ts';

export type ResendCallbackDeps = AuditedChangeDeps & {
  callbacks: Pick<CallbackStore, 'listOfCall' | 'asking' | 'noteResent'>;
  callbackQueue: Pick<QueueSender<CallbackWork>, 'send'>;
};

/** `under_way`: an attempt is already in progress or requested. */
export type Resending = 'queued' | 'under_way' | 'callback_not_found';

/**
 * Requests one more attempt of a notification in any state: same id, same body (docs/call-lifecycle.md, "Sending
 * again"). notify-callback makes it under its lease once the receiver accepts it. While an attempt is requested or in
 * progress, a repeat changes nothing; if its message seems lost, a repeat sends it again.
 */
export async function resendCallback(
  deps: ResendCallbackDeps,
  actor: Actor,
  { org_id, call_id, webhook_id }: Pick<Callback, 'org_id' | 'call_id' | 'webhook_id'>,
): Promise<Resending> {
  const ofCall = mayBeId(call_id) ? await deps.callbacks.listOfCall(call_id) : [];
  const callback = ofCall.find((one) => one.webhook_id === webhook_id);
  // A notification without a URL belongs to an erased call.
  if (callback?.org_id !== org_id || callback.url === '') return 'callback_not_found';
  const now = deps.now();
  const at = now.toISOString();
  if (callback.asked) {
    const isLost = isMessageLost(callback, now) && (await deps.callbacks.noteResent(callback, at));
    if (!isLost) return 'under_way';
  } else {
    if (callback.lease && callback.lease.until > at) return 'under_way';
    const audit = audited(
      deps,
      {
        org_id,
        actor,
        action: 'callback.resent',
        thing: { id: call_id, name: callback.type },
        before: { state: callback.state },
      },
      now,
    );
    const asked = await deps.transact({
      callback: deps.callbacks.asking(callback, at),
      audit,
    });
    if (!asked.committed) return 'under_way';
  }
  await deps.callbackQueue.send({ call_id, webhook_id });
  return 'queued';
}
