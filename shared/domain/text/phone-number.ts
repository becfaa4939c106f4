/** `+` and 7 to 15 digits, the first of which is not 0 (ITU-T E.164). */
export const E164 = /^\+[1-9]\d{6,14}$/;

const LONGEST_MASK = 20;

export const isE164 = (value: unknown): value is string => typeof value === 'string' && E164.test(value);

/** Masks a number for lists: an E.164 number keeps its first two and last three digits, any other text none. */
export const maskPhone = (phone: string): string =>
  E164.test(phone)
    ? phone.slice(0, 3) + '*'.repeat(phone.length - 6) + phone.slice(-3)
    : phone.replace(/[^\s()+.-]/g, '*').slice(0, LONGEST_MASK);
