/** The state of a step of finish-call: it ended earlier, it ended in this run, or a later run tries it again. */
export type StepState = 'ended_before' | 'ended_now' | 'pending';
