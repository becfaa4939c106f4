/** The sweep calls a lead at most once in this interval (interface, "Webhook processing rules", 9). */
export const SUNDAY_INTERVAL_SECONDS = 20 * 60 * 60;
