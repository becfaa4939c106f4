const modules =
  'leads|accounts|contacts|deals|campaigns|tasks|cases|events|calls|solutions|products|vendors|pricebooks|quotes|salesorders|purchaseorders|invoices|notes|attachments|activities|custom|appointments|services|emails';
const settings =
  'territories|custom_views|related_lists|modules|tab_groups|fields|layouts|macros|custom_links|custom_buttons|roles|profiles|variables|automation|currencies|tags|pipeline|layout_rules|assignment_rules';
const operations = 'ALL|READ|CREATE|UPDATE|WRITE|DELETE';

const known = [
  new RegExp(`^ZohoCRM\\.modules(\\.(${modules}))?\\.(${operations})$`, 'i'),
  new RegExp(`^ZohoCRM\\.settings(\\.(${settings}))?\\.(${operations})$`, 'i'),
  new RegExp(`^ZohoCRM\\.(users|org|notifications|coql|bulk|search)\\.(${operations})$`, 'i'),
  // Zoho Desk's scopes, under the vendor's prefix and the service's default one (docs/help-desk.md, "Scopes").
  new RegExp(`^(Desk|HB)\\.(basic|contacts|tickets|settings|search|tasks|events|articles)\\.(${operations})$`, 'i'),
  /^AaaServer\.profile\.READ$/i,
];

/** Returns the scopes that the vendor does not know. One of them makes it refuse the whole list. */
export const unknownScopes = (scopes: string[]): string[] =>
  scopes.filter((scope) => !known.some((pattern) => pattern.test(scope)));
