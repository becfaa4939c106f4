type Filters = { outcome: string; crm?: string; from: string };

/** @returns the address of the lead events that the overview counts, without test events */
export const countedLeads = (filters: Filters): string =>
  `/leads?${new URLSearchParams({ ...filters, tests: 'none' })}`;
