/** The sweep calls a lead at most once in this interval (docs/crm-b.md, "The Sunday sweep"). */
export const SUNDAY_INTERVAL_SECONDS = 20 * 60 * 60;
