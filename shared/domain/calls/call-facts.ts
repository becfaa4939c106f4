/** What happens to a call. A time of the plan (`due`) may still be ahead. */
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

/** What follows from the end of a call. The end has the clock of the platform: these are below it all the same. */
export const factsAfterEnd: readonly CallFact[] = ['recorded', 'analyzed', 'listed', 'finished'];

/** The writes to CRM-B and the help desk, in their order. */
export const callSteps = [
  'call_log',
  'note',
  'ticket_contact',
  'ticket',
  'ticket_tags',
  'ticket_recording',
  'ticket_transcript',
  'ticket_refresh',
] as const;
