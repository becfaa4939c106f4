import { connectionNames } from '../../../shared/domain/connections/connection-words.ts';
import { NO_DELIVERY } from '../../../shared/domain/connections/deliveries/no-delivery.ts';
import type { Choices, ConnectionView } from '../../../shared/messages/dashboard/connections.ts';
import type { Tone } from '../tones.ts';

export type ConnectionType = ConnectionView['type'];

export { connectionNames };

type About = { vendor: string; gives: string; needs: string };

/** The effect and the requirements of each connection. */
export const aboutConnections: Readonly<Record<ConnectionType, About>> = {
  'crm-a': {
    vendor: 'LeadSquared',
    gives: 'Calls a lead within seconds after it came in or got another owner.',
    needs: 'Five minutes, and an administrator of LeadSquared who registers two webhooks there.',
  },
  'crm-b': {
    vendor: 'Zoho CRM',
    gives: 'Calls leads that are created or edited, in the hours you choose, and writes a call log and a note to each.',
    needs: 'Five minutes, and a person who signs in at Zoho and consents. That person’s rights count.',
  },
  'help-desk': {
    vendor: 'Zoho Desk',
    gives: 'Creates a ticket after a call when somebody complains, needs support or asks to be called back.',
    needs: 'Five minutes, and an agent who signs in at Zoho and consents. Tickets are created in that agent’s name.',
  },
};

/** The rights that the vendor's page requests, in words. */
export const askedRights: Readonly<Record<'crm-b' | 'help-desk', readonly string[]>> = {
  'crm-b': [
    'read and update leads',
    'create call logs and notes, and read them again',
    'be notified when leads change',
    'search leads',
    'read users and the names of the fields',
  ],
  'help-desk': [
    'read organizations, departments and agents',
    'search and read contacts',
    'create tickets with attachments and comments, and read them again',
  ],
};

export const dataCenterNames: Readonly<Record<string, string>> = {
  in: 'India (zoho.in)',
  com: 'United States (zoho.com)',
  eu: 'Europe (zoho.eu)',
  'com.au': 'Australia (zoho.com.au)',
  jp: 'Japan (zoho.jp)',
  ca: 'Canada (zohocloud.ca)',
  sa: 'Saudi Arabia (zoho.sa)',
};

const healthWords: Readonly<Record<ConnectionView['health']['status'], { name: string; tone: Tone }>> = {
  not_connected: { name: 'Not connected', tone: 'plain' },
  healthy: { name: 'Healthy', tone: 'good' },
  unhealthy: { name: 'Needs you', tone: 'warn' },
  silent: { name: 'Silent', tone: 'warn' },
  rejecting: { name: 'Refusing deliveries', tone: 'bad' },
  needs_reconnect: { name: 'Needs a new consent', tone: 'bad' },
};

const BEING_SET_UP = { name: 'Being set up', tone: 'info' } as const;

/** The words for a connection of which only the health is known. */
export const healthInWords = ({ status, reason }: Pick<ConnectionView['health'], 'status' | 'reason'>) =>
  status === 'not_connected' && reason === NO_DELIVERY ? BEING_SET_UP : healthWords[status];

/** The words for a connection: its health, or that its setup is not finished. */
export function stateOf(connection: ConnectionView): { name: string; tone: Tone } {
  const { health, is_connected, next_step } = connection;
  if (!is_connected) return healthWords.not_connected;
  if (health.status === 'not_connected' || (health.status === 'healthy' && next_step !== null)) return BEING_SET_UP;
  return healthWords[health.status];
}

type Step = NonNullable<ConnectionView['next_step']>;

/** The names of the setup steps. */
export const stepNames: Readonly<Record<ConnectionView['set_up'][number]['step'], string>> = {
  token: 'Token created',
  consent: 'Consent given',
  channel: 'Watch channel armed',
  assistant: 'Assistant chosen',
  owner: 'Owner chosen',
  organization: 'Organization chosen',
  department: 'Department chosen',
  delivery: 'First lead came in',
};

const nextStepWords: Readonly<Record<Step, { title: string; text: string }>> = {
  token: {
    title: 'Connect it',
    text: 'Create a token, then paste it into LeadSquared. Until then its deliveries are refused.',
  },
  consent: { title: 'Give the consent', text: 'Somebody signs in at Zoho and allows the service to work there.' },
  channel: {
    title: 'Wait for the watch channel',
    text: 'The service tries again every 15 minutes.',
  },
  assistant: { title: 'Choose an assistant', text: 'No lead is called until the connection has one.' },
  owner: {
    title: 'Choose whose leads are called',
    text: 'Only leads of this owner are called. No lead is called until one is chosen.',
  },
  organization: {
    title: 'Choose the organization',
    text: 'The person who consented belongs to several organizations of the help desk, or it has not named them yet.',
  },
  department: { title: 'Choose the department', text: 'Tickets go to it. No ticket is created until one is chosen.' },
  delivery: {
    title: 'Wait for the first lead',
    text: 'Create or edit a lead in the CRM. It shows here as soon as it comes in, which may take some minutes.',
  },
  reconnect: {
    title: 'Give a new consent',
    text: 'The vendor has ended the access. Leads that change until then are caught up on after the consent.',
  },
  check_token: {
    title: 'Check the token at LeadSquared',
    text: 'A delivery was refused: its token was wrong. Paste the current one into both webhooks, or create a new one.',
  },
  check_channel: {
    title: 'Wait for another watch channel',
    text: 'Leads change at the CRM, and the channel does not deliver them. The service sets up another channel by itself and catches up. If this persists, replace the channel.',
  },
  wait_for_channel: {
    title: 'Wait for another watch channel',
    text: 'The current one does not work. The service checks it every 15 minutes, sets up another one and catches up on the leads.',
  },
};

const SILENT_CRM_A = {
  title: 'Look at the webhooks in LeadSquared',
  text: 'No lead has come in for a long time. LeadSquared turns a webhook off after 10 failures: switch both on.',
};

const PENDING = {
  title: 'Decide about the consent that waits',
  text: 'Somebody consented. Nothing is connected before the consent is confirmed; once it is refused, another one can be given.',
};

type Stepping = Pick<ConnectionView, 'next_step' | 'type' | 'pending_consent'>;

/** Returns whether the next step is a consent at the vendor. A pending consent that awaits its confirmation is not. */
export const needsConsent = ({
  next_step,
  pending_consent,
}: Pick<Stepping, 'next_step' | 'pending_consent'>): boolean =>
  (next_step === 'consent' || next_step === 'reconnect') && pending_consent === null;

/** The next step, and why; undefined if there is none. */
export function nextStepInWords(connection: Stepping) {
  const { next_step, type, pending_consent } = connection;
  if (next_step === null) return undefined;
  if (pending_consent && (next_step === 'consent' || next_step === 'reconnect')) return PENDING;
  // Only CRM-B has a channel.
  return type === 'crm-a' && next_step === 'check_channel' ? SILENT_CRM_A : nextStepWords[next_step];
}

/** Returns whether the watch channel is renewed at its end, which requires a consent. */
export const channelNote = ({ granted_at, health }: Pick<ConnectionView, 'granted_at' | 'health'>): string =>
  granted_at === null || health.status === 'needs_reconnect' ? 'not renewed without a consent' : 'renewed by itself';

/** The outcome for the channel and the grant at the vendor after a disconnect. */
export const endedWords = {
  grant: {
    revoked: 'The access is revoked at Zoho.',
    not_revoked: 'Zoho did not revoke the access. Remove it in your Zoho account, under connected apps.',
    none: '',
  },
  channel: {
    stopped: 'Its watch channel is stopped.',
    not_stopped: 'Its watch channel could not be stopped. It ends within 6 days, and its deliveries are refused.',
    none: '',
  },
} as const;

/** Why lists of choices are missing. */
export const missingChoices: Readonly<Record<NonNullable<Choices['failure']>, string>> = {
  not_connected: 'Owners and fields are chosen from lists once the consent is given and confirmed.',
  reconnect_needed: 'The vendor’s lists are back after the new consent. Until then, values are entered by their ids.',
  refused: 'The person who consented may not read some lists. Their values are entered by their ids.',
  unavailable: 'The vendor did not answer in time. Values are entered by their ids, or load the page again.',
};
