import { type AuditAction, auditActions } from '../../shared/domain/organizations/audit-entry.ts';
import { boundsOfDay } from '../words/times.ts';

/** The audit log's filters, as the address holds them. Days are days in India. */
export type AuditFilters = {
  action?: AuditAction;
  actor?: string;
  thing?: string;
  from?: string;
  to?: string;
};

const text = (value: unknown, most: number) =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, most) : undefined;
const day = (value: unknown) => (typeof value === 'string' && boundsOfDay(value) ? value : undefined);

/** Reads the filters of an address; what cannot be used is left out. */
export function readAuditFilters(search: Readonly<Record<string, unknown>>): AuditFilters {
  const filters = {
    action: auditActions.find((action) => action === search.action),
    actor: text(search.actor, 254),
    thing: text(search.thing, 100),
    from: day(search.from),
    to: day(search.to),
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}

/** @returns the query of list-audit-entries for the filters */
export function auditQuery({ from, to, ...rest }: AuditFilters) {
  const [first, last] = [from && boundsOfDay(from)?.from, to && boundsOfDay(to)?.to];
  return { ...rest, ...(first && { from: first }), ...(last && { to: last }) };
}
