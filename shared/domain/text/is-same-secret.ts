import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares in constant time, whatever the lengths of the texts are. */
export const isSameSecret = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

// Makes the lengths equal, because timingSafeEqual throws otherwise.
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
