/** Returns whether a stored item is an erased call, or one whose erasure has begun. */
export const isErased = (item: object): boolean => 'erased_at' in item;
