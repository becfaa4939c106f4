import type { Answer } from '../../kit/answer.ts';
import type { AccessToken, Grant, User } from '../../zoho-accounts/model.ts';
import type { CrmBState } from '../state.ts';

/** An authenticated request. */
export type Caller = {
  user: User;
  grant: Grant;
  access: AccessToken;
  query: URLSearchParams;
  /** The parts of the path that the route names. */
  names: Record<string, string>;
  text: string;
  /** The number of the request in the journal. */
  number: number;
};

export type Handler = (state: CrmBState, caller: Caller) => Answer;
