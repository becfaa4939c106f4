import type { Connection } from '../../../domain/connections/connection.ts';
import { type ListOrganizationsDeps, listOrganizations } from '../list-organizations.ts';
import { type ChosenOrganization, type StoreOrganizationsDeps, storeOrganizations } from './store-organizations.ts';

export type FetchOrganizationsDeps = ListOrganizationsDeps & StoreOrganizationsDeps;

/**
 * Requests the organizations of a grant and stores them. After `refused`, a person must act; after `unavailable`, a
 * repeat may succeed.
 */
export async function fetchOrganizations(
  deps: FetchOrganizationsDeps,
  connection: Connection,
): Promise<ChosenOrganization | { kind: 'refused'; reason: string }> {
  const answer = await listOrganizations(deps, connection);
  if (answer.kind === 'listed') return storeOrganizations(deps, connection, answer.organizations);
  return { kind: answer.kind, reason: answer.reason };
}
