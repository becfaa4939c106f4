/** The kinds of facts about a call. A planned one (`due`) may lie in the future. */
export const callFacts = [
  'placed',
  'due',
  'dialed',
  'rang',
  'answered',
  'stop_asked',
  'hung_up',
  'ended',
  'recorded',
  'analyzed',
  'listed',
  'finished',
] as const;

export type CallFact = (typeof callFacts)[number];

/**
 * Follow-ups of the end. A timeline lists them below the end even if the platform's clock, which sets the end's time,
 * is fast.
 */
export const factsAfterEnd: readonly CallFact[] = ['recorded', 'analyzed', 'listed', 'finished'];

/** The writes to the help desk, in their order. */
export const ticketItems = [
  'ticket_contact',
  'ticket',
  'ticket_tags',
  'ticket_recording',
  'ticket_transcript',
  'ticket_refresh',
] as const;

/** The writes to CRM-B and the help desk, in their order. */
export const callSteps = ['call_log', 'note', ...ticketItems] as const;
