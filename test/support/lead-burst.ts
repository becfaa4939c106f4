import { leadBody } from './leads.ts';
import { aPhoneNumber } from './rest.ts';

/** Deliveries as a CRM makes them in its worst hour, and what they may become. */
export type LeadBurst = {
  bodies: ReturnType<typeof leadBody>[];
  leads: number;
  /** In E.164, each once. */
  phones: string[];
};

/**
 * @param count deliveries. A fifth of them repeats an earlier lead; a tenth of the leads has the phone of another one.
 */
export function aLeadBurst(count: number): LeadBurst {
  const leads = Math.round(count * 0.8);
  const shared = Math.round(leads * 0.1);
  const phones = Array.from({ length: leads - shared }, aPhoneNumber);
  const distinct = Array.from({ length: leads }, (_, index) => {
    const phone = phones[index % phones.length] as string;
    return leadBody({ Phone: `${phone.slice(0, 3)}-${phone.slice(3)}` });
  });
  const repeated = Array.from({ length: count - leads }, (_, index) => distinct[(index * 7) % leads] as never);
  // Repeats come among the first deliveries as well as long after them.
  const bodies = [...distinct, ...repeated].map((body, index) => ({ body, order: (index * 7_919) % count }));
  return { bodies: bodies.sort((one, other) => one.order - other.order).map(({ body }) => body), leads, phones };
}
