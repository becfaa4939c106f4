import type { Shown } from '../newer-values.ts';
import type { Call } from './call.ts';

/** The sources of calls: a client of the REST API, a lead of a CRM, or a member who tries an assistant. */
export const callSources = ['rest', 'crm-a', 'crm-b', 'dashboard'] as const;

export type CallSource = (typeof callSources)[number];

export const sourceOf = ({ lead, tested_by }: Pick<Shown<Call>, 'lead' | 'tested_by'>): string =>
  lead?.crm ?? (tested_by === undefined ? 'rest' : 'dashboard');
