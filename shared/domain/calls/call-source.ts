import type { Call } from './call.ts';

/** What places calls: a client of the REST API, or a lead of a CRM. */
export const callSources = ['rest', 'crm-a', 'crm-b'] as const;

export type CallSource = (typeof callSources)[number];

export const sourceOf = ({ lead }: Pick<Call, 'lead'>): CallSource => lead?.crm ?? 'rest';
