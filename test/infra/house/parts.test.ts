import { arrow, imports } from '../support/checkout.ts';

/** The files and folders of bin/admin, with the others that each may import. */
const partsOfAdmin: Record<string, string[]> = {
  failures: [],
  output: [],
  values: ['failures'],
  input: ['values', 'failures'],
  cloud: ['failures'],
  verb: ['cloud', 'input', 'failures'],
  'data-center': ['values', 'verb'],
  explain: ['failures'],
  voice: ['cloud', 'failures'],
  'vendor-access': ['cloud'],
  'records-shown': ['failures', 'output'],
  erasure: ['cloud', 'voice', 'vendor-access'],
  'person-key': ['cloud'],
  commands: [
    ...['cloud', 'values', 'output', 'verb', 'data-center', 'voice', 'erasure', 'person-key', 'failures'],
    ...['vendor-access', 'records-shown', 'input'],
  ],
  program: ['commands', 'verb', 'failures'],
  run: ['program', 'cloud', 'explain', 'output', 'input', 'verb', 'failures'],
};

describe('bin/admin', () => {
  const inside = imports.flatMap((one) => {
    const [own, other] = [one.from, one.to].map((path) => /^bin\/admin\/([^/.]+)[/.]([^/.]+)/.exec(path));
    return own && other ? [{ one, own, other }] : [];
  });

  it('has parts that import each other in one direction', () => {
    const strange = inside.filter(
      ({ own: [, own = ''], other: [, other = ''] }) => own !== other && !partsOfAdmin[own]?.includes(other),
    );
    expect(strange.map(({ one }) => arrow(one))).toEqual([]);
  });

  it('has commands that import no other noun', () => {
    const strange = inside.filter(
      ({ own, other }) => own[1] === 'commands' && other[1] === 'commands' && own[2] !== other[2],
    );
    expect(strange.map(({ one }) => arrow(one))).toEqual([]);
  });
});

/** The folders of local/simulators, with the others that each may import. */
const simulators: Record<string, string[]> = {
  kit: [],
  'crm-a': [],
  model: ['kit'],
  voice: ['kit'],
  'zoho-accounts': ['kit'],
  'crm-b': ['kit', 'zoho-accounts'],
  'help-desk': ['kit', 'zoho-accounts'],
};

const shapes = ['model', 'faults', 'settings', 'create-call', 'scripts'];
const belowRules = [...shapes, 'fields', 'times', 'state'];
/** The parts of a simulator of a vendor, with the others that each may import. */
const partsOfSimulator: Record<string, string[]> = {
  faults: [],
  settings: [],
  languages: [],
  'create-call': ['languages'],
  scripts: [],
  options: [],
  page: [],
  times: [],
  model: ['create-call', 'scripts'],
  fields: ['model'],
  state: [...shapes, 'fields', 'times'],
  rules: [...belowRules, 'page'],
  pages: [...belowRules, 'rules'],
  routes: [...belowRules, 'rules', 'pages'],
  // The client of the control routes.
  control: [...belowRules, 'rules', 'routes'],
  server: [...belowRules, 'rules', 'routes', 'control'],
  main: ['server', 'options'],
};
/** CRM-A's simulator only sends, so it has parts of its own. */
const partsOfSender: Record<string, string[]> = {
  payloads: [],
  sender: ['payloads'],
  target: ['sender'],
  'burst-plan': ['payloads'],
  main: ['burst-plan', 'payloads', 'sender', 'target'],
};

describe('local/simulators', () => {
  const inside = imports.flatMap((one) => {
    const [own, other] = [one.from, one.to].map((path) => /^local\/simulators\/([^/]+)\/([^/.]+)/.exec(path)?.slice(1));
    return own && other ? [{ one, own, other }] : [];
  });

  it('import only the kit and the accounts server of their vendor', () => {
    const strange = inside.filter(
      ({ own: [own = ''], other: [other = ''] }) => own !== other && !simulators[own]?.includes(other),
    );
    expect(strange.map(({ one }) => arrow(one))).toEqual([]);
  });

  it('have parts that import each other in one direction, even types', () => {
    const strange = inside.filter(({ own: [vendor = '', own = ''], other: [otherVendor, other = ''] }) => {
      const parts = vendor === 'crm-a' ? partsOfSender : partsOfSimulator;
      return vendor !== 'kit' && otherVendor !== 'kit' && own !== other && !parts[own]?.includes(other);
    });
    expect(strange.map(({ one }) => arrow(one))).toEqual([]);
  });
});
