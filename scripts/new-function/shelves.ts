/** Folders of the layers domain, stores and operations, with the other shelves that each may import. */
export const shelves: Readonly<Record<string, readonly string[]>> = {
  time: [],
  text: [],
  dynamodb: [],
  organizations: ['time', 'text', 'dynamodb'],
  connections: ['organizations', 'time', 'text', 'dynamodb'],
  calls: ['connections', 'organizations', 'time', 'text', 'dynamodb'],
  'after-call': ['calls', 'connections', 'organizations', 'time', 'text', 'dynamodb'],
  leads: ['calls', 'connections', 'organizations', 'time', 'text', 'dynamodb'],
  overview: ['leads', 'calls', 'connections', 'organizations', 'time', 'text', 'dynamodb'],
  notices: ['overview', 'connections', 'organizations', 'time', 'text', 'dynamodb'],
};

/** The shelves that are parts of the product. Only they have stores and operations of their own. */
export const productShelves = Object.keys(shelves).filter((name) => shelves[name]?.includes('dynamodb'));
