import { useEffect, useState } from 'react';
import { successEvals } from '../../../shared/domain/calls/analysis.ts';
import { callSources } from '../../../shared/domain/calls/call-source.ts';
import { callStatuses } from '../../../shared/domain/calls/call-status.ts';
import { type CallFilters, readCallFilters, withoutTab } from '../../app/url/call-filters.ts';
import { PlainField } from '../../components/form/field.tsx';
import { DayFields } from '../../components/list/day-fields.tsx';
import { FilterSelect } from '../../components/list/filter-select.tsx';
import { Filters } from '../../components/list/filters.tsx';
import { sourceNames, statusWords, successWords } from '../../words/calls/calls.ts';
import { AssistantFilter } from './assistant-filter.tsx';

type Props = { filters: CallFilters; onFilter: (filters: CallFilters) => void };

/** Choices apply at once; text applies on Enter or when the field loses focus. */
export function CallsFilterBar({ filters, onFilter }: Props) {
  const [text, setText] = useState(filters.q ?? '');
  useEffect(() => setText(filters.q ?? ''), [filters.q]);
  const change = (name: keyof CallFilters, value: string) => {
    const next = readCallFilters({ ...filters, [name]: value });
    if (next[name] !== filters[name]) onFilter(next);
  };
  const { phase } = filters;
  const count = Object.keys(withoutTab(filters)).length;
  return (
    <Filters
      count={count}
      onClear={() => onFilter(phase ? { phase } : {})}
      onSubmit={() => change('q', text)}
      search={
        <PlainField
          label="Phone, lead, id or key"
          hint={filters.q !== undefined && filters.phase ? 'The search covers all calls.' : undefined}
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={() => change('q', text)}
        />
      }
    >
      <FilterSelect
        label="Status"
        value={filters.status}
        options={callStatuses.map((status) => [status, statusWords[status].name])}
        onChoose={(value) => change('status', value)}
      />
      <AssistantFilter filters={filters} onChoose={(value) => change('assistant', value)} />
      <FilterSelect
        label="Source"
        value={filters.source}
        options={callSources.map((source) => [source, sourceNames[source]])}
        onChoose={(value) => change('source', value)}
      />
      <FilterSelect
        label="Result"
        value={filters.success}
        options={successEvals.map((success) => [success, successWords[success].name])}
        onChoose={(value) => change('success', value)}
      />
      <FilterSelect
        label="Callback"
        value={filters.callback}
        options={[['failed', 'Failed']]}
        onChoose={(value) => change('callback', value)}
      />
      <DayFields range={filters} onDayChange={change} />
    </Filters>
  );
}
