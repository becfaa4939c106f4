export const DEFAULT_MAX_DURATION_SECONDS = 600;

/** Bounds of the longest duration of a call, in seconds. */
export const MIN_DURATION = 10;
export const MAX_DURATION = 3_600;

/** Returns the default first message of an assistant. */
export const firstMessageOf = (name: string): string => `Hello, this is ${name}.`;
