type Operation = 'ALL' | 'READ' | 'CREATE' | 'UPDATE' | 'WRITE' | 'DELETE';

/** A right that a route asks for: `ZohoCRM.{area}[.{part}].{operation}`. */
export type Need = { area: string; part?: string; operation: Operation };

const modules =
  'leads|accounts|contacts|deals|campaigns|tasks|cases|events|calls|solutions|products|vendors|pricebooks|quotes|salesorders|purchaseorders|invoices|notes|attachments|activities|custom|appointments|services|emails';
const settings =
  'territories|custom_views|related_lists|modules|tab_groups|fields|layouts|macros|custom_links|custom_buttons|roles|profiles|variables|automation|currencies|tags|pipeline|layout_rules|assignment_rules';
const operations = 'ALL|READ|CREATE|UPDATE|WRITE|DELETE';

const known = [
  new RegExp(`^ZohoCRM\\.modules(\\.(${modules}))?\\.(${operations})$`, 'i'),
  new RegExp(`^ZohoCRM\\.settings(\\.(${settings}))?\\.(${operations})$`, 'i'),
  new RegExp(`^ZohoCRM\\.(users|org|notifications|coql|bulk|search)\\.(${operations})$`, 'i'),
  // The help desk's connections are made at the same accounts server, under either name.
  new RegExp(`^(Desk|HB)\\.(basic|contacts|tickets|settings|search|tasks|events|articles)\\.(${operations})$`, 'i'),
  /^AaaServer\.profile\.READ$/i,
];

/** One scope the vendor does not know makes it refuse the whole list. */
export const unknownScopes = (scopes: string[]): string[] =>
  scopes.filter((scope) => !known.some((pattern) => pattern.test(scope)));

/** WRITE covers creating and updating; ALL covers everything; an area without a part covers all its parts. */
export function covers(granted: string[], { area, part, operation }: Need): boolean {
  const enough = operation === 'CREATE' || operation === 'UPDATE' ? `ALL|WRITE|${operation}` : `ALL|${operation}`;
  const pattern = new RegExp(`^ZohoCRM\\.${area}${part ? `(\\.${part})?` : ''}\\.(${enough})$`, 'i');
  return granted.some((scope) => pattern.test(scope));
}
