/** Returns the first `most` UTF-16 units of the text, one less if they would end within a character. */
export const cutText = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');

/** Longer than any reason that a remote system should give. A call stores several in an item of limited size. */
const LONGEST_REASON = 500;

/** Cuts the reason or code that a remote system gives. */
export const cutReason = (reason: string): string => cutText(reason, LONGEST_REASON);
