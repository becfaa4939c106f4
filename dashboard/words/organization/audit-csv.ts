import type { AuditEntryView } from '../../../shared/messages/dashboard/people.ts';
import { formatCsv } from '../../app/files/csv.ts';
import { nameIn } from '../newer.ts';
import { formatTimeInIndia } from '../times.ts';
import { auditActionNames, formatAuditObject } from './audit.ts';
import { describeChanges } from './changes.ts';

const HEADER = ['Time (UTC)', 'Time (India)', 'Who', 'Kind', 'What', 'Object', 'Id', 'Before', 'After'];

/** Writes audit entries as a CSV file, with the words of the page. */
export function auditCsv(entries: readonly AuditEntryView[]): string {
  const rows = entries.map((entry) => {
    const changes = describeChanges(entry);
    const side = (name: 'before' | 'after') =>
      changes
        .filter((change) => change[name] !== '')
        .map((change) => `${change.what}: ${change[name]}`)
        .join('; ');
    return [
      entry.at,
      formatTimeInIndia(entry.at),
      entry.actor.name,
      entry.actor.kind,
      nameIn(auditActionNames, entry.action),
      formatAuditObject(entry.thing.name),
      entry.thing.id,
      side('before'),
      side('after'),
    ];
  });
  return formatCsv(HEADER, rows);
}
