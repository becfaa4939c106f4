const all = (selector: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(`main ${selector}`)];

/** Gives the focus to the page's search, where it has one. */
export function focusSearch(): void {
  const [search] = all('input[type="search"]');
  search?.focus();
}

/** The way that a row leads: its first link, else its last button. */
const wayOf = (row: Element): HTMLElement | null | undefined =>
  row.querySelector<HTMLElement>('a[href]') ?? [...row.querySelectorAll<HTMLElement>('button')].at(-1);

/** Moves the focus to the way of the next row of a list, or of the one before; Enter then goes it. */
export function focusRow(step: 1 | -1): void {
  const rows = all('tbody tr').filter((row) => wayOf(row));
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at === -1 ? rows.at(step === 1 ? 0 : -1) : rows[at + step];
  const way = next && wayOf(next);
  way?.focus();
  way?.scrollIntoView({ block: 'nearest' });
}
