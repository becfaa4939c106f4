/** A promise of the service that a run broke. `about`: ids that its steps mention. */
export type Violation = { oracle: Oracle; text: string; about: string[] };
type Oracle =
  | 'double ring'
  | 'called twice a day'
  | 'rang when it must not'
  | 'credit'
  | 'usage'
  | 'lines'
  | 'spend'
  | 'call state'
  | 'lost lead'
  | 'lost request'
  | 'claims'
  | 'drained'
  | 'written twice'
  | 'after the call'
  | 'retry'
  | 'dial messages'
  | 'fairness'
  | 'gate';

export type Fail = (oracle: Oracle, text: string, about: string[]) => void;
