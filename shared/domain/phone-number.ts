/** E.164: `+`, then 7 to 15 digits of which the first is not 0 (ITU-T E.164). */
const E164 = /^\+[1-9]\d{6,14}$/;

export const isE164 = (value: unknown): value is string => typeof value === 'string' && E164.test(value);

/** For logs and lists: the first two and the last three digits, stars between. */
export const maskPhone = (phone: string): string =>
  phone.slice(0, 3) + phone.slice(3, -3).replace(/\d/g, '*') + phone.slice(-3);
