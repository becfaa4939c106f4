import type { Trigger } from '../../lib/uses.ts';

/**
 * Completes an event to the shape that Lambda gives a function of this trigger: the body of a message becomes a batch
 * of one, and a request gets the members that every request has. Complete events stay unchanged.
 */
export function lambdaEvent(trigger: Trigger, given: Record<string, unknown>): Record<string, unknown> {
  switch (trigger.kind) {
    case 'queue':
      return 'Records' in given ? given : { Records: [{ messageId: 'invoke', body: JSON.stringify(given) }] };
    case 'http':
      return { requestContext: { requestId: 'invoke' }, routeKey: trigger.routes[0], headers: {}, ...given };
    default:
      return given;
  }
}
