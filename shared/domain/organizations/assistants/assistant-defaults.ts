export const DEFAULT_MAX_DURATION_SECONDS = 600;

/** The default first message. */
export const firstMessageOf = (name: string): string => `Hello, this is ${name}.`;
