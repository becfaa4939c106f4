import { useEffect, useState } from 'react';
import { auditActions } from '../../../shared/domain/organizations/audit/audit-entry.ts';
import { type AuditFilters, readAuditFilters } from '../../app/url/audit-filters.ts';
import { PlainField, PlainSelect } from '../../components/form/field.tsx';
import { DayFields } from '../../components/list/day-fields.tsx';
import { Filters } from '../../components/list/filters.tsx';
import { auditActionNames } from '../../words/organization/audit.ts';

type Props = { filters: AuditFilters; onFilter: (filters: AuditFilters) => void };

/** Choices apply at once; text applies on Enter or when the field loses focus. */
export function AuditFilterBar({ filters, onFilter }: Props) {
  const [actor, setActor] = useState(filters.actor ?? '');
  useEffect(() => setActor(filters.actor ?? ''), [filters.actor]);
  const change = (name: keyof AuditFilters, value: string) => {
    const next = readAuditFilters({ ...filters, [name]: value });
    if (next[name] !== filters[name]) onFilter(next);
  };
  const count = Object.keys(filters).length;
  return (
    <Filters
      count={count}
      onClear={() => onFilter({})}
      onSubmit={() => change('actor', actor)}
      note={
        filters.thing && (
          <span>
            Only changes to <code>{filters.thing}</code>
          </span>
        )
      }
    >
      <PlainSelect label="What" value={filters.action ?? ''} onChange={(event) => change('action', event.target.value)}>
        <option value="">Everything</option>
        {auditActions.map((action) => (
          <option key={action} value={action}>
            {auditActionNames[action]}
          </option>
        ))}
      </PlainSelect>
      <PlainField
        label="Who"
        type="search"
        placeholder="E-mail address or operator"
        value={actor}
        onChange={(event) => setActor(event.target.value)}
        onBlur={() => change('actor', actor)}
      />
      <DayFields range={filters} onDayChange={change} />
    </Filters>
  );
}
