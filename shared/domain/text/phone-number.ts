/** E.164: `+`, then 7 to 15 digits of which the first is not 0 (ITU-T E.164). */
const E164 = /^\+[1-9]\d{6,14}$/;

const LONGEST_MASK = 20;

export const isE164 = (value: unknown): value is string => typeof value === 'string' && E164.test(value);

/** For logs and lists: of a whole number the first two and the last three digits, stars for the others; of less, stars alone. */
export const maskPhone = (phone: string): string =>
  E164.test(phone)
    ? phone.slice(0, 3) + '*'.repeat(phone.length - 6) + phone.slice(-3)
    : phone.replace(/[^\s()+.-]/g, '*').slice(0, LONGEST_MASK);
