const all = (selector: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(`main ${selector}`)];

/** Focuses the page's search field, if it has one. */
export function focusSearch(): void {
  const [search] = all('input[type="search"]');
  search?.focus();
}

/** A row's main action: its first link, otherwise its last button. */
const rowAction = (row: Element): HTMLElement | null | undefined =>
  row.querySelector<HTMLElement>('a[href]') ?? [...row.querySelectorAll<HTMLElement>('button')].at(-1);

/** Moves the focus to the main action of the next or the previous row; Enter then runs it. */
export function focusRow(step: 1 | -1): void {
  const rows = all('tbody tr').filter((row) => rowAction(row));
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at === -1 ? rows.at(step === 1 ? 0 : -1) : rows[at + step];
  const target = next && rowAction(next);
  target?.focus();
  target?.scrollIntoView({ block: 'nearest' });
}
