let pages = 0;

/** Whether the page is the first one since the load: its focus belongs to the browser. */
export const isFirstPage = (): boolean => pages++ === 0;
