let pages = 0;

/** Counts a page. @returns its number since the load, from 1 */
export const countPage = (): number => {
  pages += 1;
  return pages;
};
