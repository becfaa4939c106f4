let pages = 0;

/** Returns whether this is the first page since the load; the browser decides its focus. */
export const isFirstPage = (): boolean => pages++ === 0;
