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

type Operation = 'ALL' | 'READ' | 'CREATE' | 'UPDATE' | 'WRITE' | 'DELETE';

/** A right that a route needs: `ZohoCRM.{area}[.{part}].{operation}`. */
export type Need = { area: string; part?: string; operation: Operation };

/**
 * Returns whether scopes cover a need. WRITE covers CREATE and UPDATE, ALL covers everything; an area covers all its
 * parts.
 */
export function covers(granted: string[], { area, part, operation }: Need): boolean {
  const enough = operation === 'CREATE' || operation === 'UPDATE' ? `ALL|WRITE|${operation}` : `ALL|${operation}`;
  const pattern = new RegExp(`^ZohoCRM\\.${area}${part ? `(\\.${part})?` : ''}\\.(${enough})$`, 'i');
  return granted.some((scope) => pattern.test(scope));
}
