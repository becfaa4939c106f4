import { outcomes } from '../../../shared/domain/connections/activity.ts';
import { groupOf } from '../../../shared/domain/leads/outcome-groups.ts';
import { type LeadFilters, readLeadSearch } from '../../app/url/lead-filters.ts';
import { DayFields } from '../../components/list/day-fields.tsx';
import { FilterSelect } from '../../components/list/filter-select.tsx';
import { Filters } from '../../components/list/filters.tsx';
import { crmNames } from '../../words/leads/leads.ts';
import { outcomeWords } from '../../words/leads/outcomes.ts';

type Props = { filters: LeadFilters; onFilter: (filters: LeadFilters) => void };

/** The choices apply at once. */
export function LeadsFilterBar({ filters, onFilter }: Props) {
  const change = (name: keyof LeadFilters, value: string) => {
    const { ask: _, ...next } = readLeadSearch({ ...filters, [name]: value });
    if (next[name] !== filters[name]) onFilter(next);
  };
  const count = Object.keys(filters).length;
  const { group } = filters;
  const offered = outcomes.filter((outcome) => group === undefined || groupOf[outcome] === group);
  return (
    <Filters count={count} onClear={() => onFilter({})}>
      <FilterSelect
        label="CRM"
        value={filters.crm}
        options={Object.entries(crmNames)}
        onChoose={(value) => change('crm', value)}
      />
      <FilterSelect
        label="Outcome"
        value={filters.outcome}
        options={offered.map((outcome) => [outcome, nameOf(outcome)])}
        onChoose={(value) => change('outcome', value)}
      />
      <FilterSelect
        label="Test events"
        value={filters.tests}
        options={[
          ['only', 'Only test events'],
          ['none', 'No test events'],
        ]}
        onChoose={(value) => change('tests', value)}
      />
      <DayFields range={filters} onDayChange={change} />
    </Filters>
  );
}

/** Two outcomes share a name; a suffix distinguishes them. */
const nameOf = (outcome: (typeof outcomes)[number]): string =>
  outcome === 'already_called_race' ? `${outcomeWords[outcome].name} (at the same moment)` : outcomeWords[outcome].name;
