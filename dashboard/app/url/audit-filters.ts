import { type AuditAction, auditActions } from '../../../shared/domain/organizations/audit/audit-entry.ts';
import { rangeQuery, readDay } from './day-range.ts';
import { readText } from './search-text.ts';

/** The audit log's filters, as stored in the address. Days are days in India. */
export type AuditFilters = {
  action?: AuditAction;
  actor?: string;
  thing?: string;
  from?: string;
  to?: string;
};

/** Reads an address's filters; ignores invalid values. */
export function readAuditFilters(search: Readonly<Record<string, unknown>>): AuditFilters {
  const filters = {
    action: auditActions.find((action) => action === search.action),
    actor: readText(search.actor, 254),
    thing: readText(search.thing, 100),
    from: readDay(search.from),
    to: readDay(search.to),
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}

/** @returns the query of list-audit-entries for the filters */
export function auditQuery({ from, to, ...rest }: AuditFilters) {
  return { ...rest, ...rangeQuery({ from, to }) };
}
