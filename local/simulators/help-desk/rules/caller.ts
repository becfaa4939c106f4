import type { Answer } from '../../kit/answer.ts';
import type { Organization, Part } from '../model.ts';
import type { HelpDeskState } from '../state.ts';

/** An authenticated request. */
export type Caller = {
  /** The user's id at the accounts server. */
  user: string;
  /** As the accounts server knows the user. */
  person: { name: string; email: string };
  organization: Organization;
  query: URLSearchParams;
  /** The parts of the path that the route names. */
  names: Record<string, string>;
  /** Reads the body as a JSON object. @throws Problem if it is not one */
  json: () => Record<string, unknown>;
  /** The parts of a multipart form. */
  parts: Part[] | undefined;
  /** The number of the request in the journal. */
  number: number;
};

export type Handler = (state: HelpDeskState, caller: Caller) => Answer;

/** A right that a route needs: `Desk.{area}.{operation}`. */
export type Need = { area: string; operation: 'READ' | 'CREATE' | 'UPDATE' | 'DELETE' };

/** Returns whether scopes cover a need. The vendor's scopes begin with `Desk`, the service's default ones with `HB`. */
export function covers(granted: string[], { area, operation }: Need): boolean {
  const pattern = new RegExp(`^(Desk|HB)\\.${area}\\.(ALL|${operation})$`, 'i');
  return granted.some((scope) => pattern.test(scope));
}
