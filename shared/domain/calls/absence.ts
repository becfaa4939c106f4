/** An absence needs two complete lookups this far apart, because remote systems list new records some seconds late. */
export const LOOKUPS_APART_SECONDS = 60;
