/** One place where a text breaks a rule. */
export type Finding = { line: number; message: string };
