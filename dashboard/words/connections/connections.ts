import { NO_DELIVERY } from '../../../shared/domain/connections/deliveries/no-delivery.ts';
import type { Choices, ConnectionView } from '../../../shared/messages/dashboard/connections.ts';
import type { Tone } from '../tones.ts';

export type ConnectionType = ConnectionView['type'];

type ConnectionDescription = { vendor: string; gives: string; needs: string };

/** The effect and the requirements of each connection. */
export const connectionDescriptions: Readonly<Record<ConnectionType, ConnectionDescription>> = {
  'crm-a': {
    vendor: 'LeadSquared',
    gives: 'Calls each lead within seconds after it arrives or changes owner.',
    needs: 'Takes five minutes and needs a LeadSquared administrator, who registers two webhooks there.',
  },
  'crm-b': {
    vendor: 'Zoho CRM',
    gives: 'Calls new and edited leads in the hours you choose, and adds a call log and a note to each.',
    needs:
      'Takes five minutes and needs a person who signs in at Zoho and consents. The service uses that person’s rights.',
  },
  'help-desk': {
    vendor: 'Zoho Desk',
    gives: 'Creates a ticket after a call if the person complains, needs support or asks to be called back.',
    needs:
      'Takes five minutes and needs an agent who signs in at Zoho and consents. Tickets are created in that agent’s name.',
  },
};

/** The rights that the vendor's page requests, in words. */
export const requestedRights: Readonly<Record<'crm-b' | 'help-desk', readonly string[]>> = {
  'crm-b': [
    'read and update leads',
    'create and read call logs and notes',
    'be notified when leads change',
    'search leads',
    'read the organization, users and field names',
  ],
  'help-desk': [
    'read organizations, departments and agents',
    'search and read contacts',
    'create and read tickets, with attachments and comments',
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
export const describeHealth = ({ status, reason }: Pick<ConnectionView['health'], 'status' | 'reason'>) =>
  status === 'not_connected' && reason === NO_DELIVERY ? BEING_SET_UP : healthWords[status];

/** The words for a connection: its health, or that its setup is not finished. */
export function describeConnectionState(connection: ConnectionView): { name: string; tone: Tone } {
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
  channel: 'Watch channel set up',
  assistant: 'Assistant chosen',
  owner: 'Owner chosen',
  organization: 'Organization chosen',
  department: 'Department chosen',
  delivery: 'First lead received',
};

const nextStepWords: Readonly<Record<Step, { title: string; text: string }>> = {
  token: {
    title: 'Connect LeadSquared',
    text: 'Create a token, then paste it into LeadSquared. Until then, its deliveries are refused.',
  },
  consent: { title: 'Give consent', text: 'Sign in at Zoho and allow the service to work there.' },
  channel: {
    title: 'Wait for the watch channel',
    text: 'Zoho reports changed leads through this channel. The service tries to set it up every 15 minutes.',
  },
  assistant: { title: 'Choose an assistant', text: 'No lead is called until the connection has one.' },
  owner: {
    title: 'Choose whose leads are called',
    text: 'Only this owner’s leads are called. No lead is called until you choose an owner.',
  },
  organization: {
    title: 'Choose the organization',
    text: 'The person who consented belongs to several organizations of the help desk, or the help desk has not listed them yet.',
  },
  department: {
    title: 'Choose the department',
    text: 'It gets the tickets. No ticket is created until you choose a department.',
  },
  delivery: {
    title: 'Wait for the first lead',
    text: 'Create or edit a lead in the CRM. It appears here when it arrives, which may take a few minutes.',
  },
  reconnect: {
    title: 'Give a new consent',
    text: 'The vendor has ended the access. After the consent, the service catches up on the leads that changed in the meantime.',
  },
  check_token: {
    title: 'Check the token at LeadSquared',
    text: 'A delivery was refused because its token was wrong. Paste the current token into both webhooks, or create a new one.',
  },
  check_channel: {
    title: 'Wait for a new watch channel',
    text: 'Leads change in the CRM, but the channel does not report them. The service sets up a new channel automatically and catches up on the leads. If this persists, replace the channel.',
  },
  wait_for_channel: {
    title: 'Wait for a new watch channel',
    text: 'The current channel does not work. The service checks it every 15 minutes, sets up a new one and catches up on the leads.',
  },
};

const SILENT_CRM_A = {
  title: 'Check the webhooks in LeadSquared',
  text: 'No lead has arrived for a long time. LeadSquared turns off a webhook after 10 failures. Switch both on again.',
};

const PENDING_CONSENT = {
  title: 'Confirm or refuse the consent',
  text: 'A consent was given, but no system is connected until it is confirmed. If it is refused, you can give a new one.',
};

type SetupProgress = Pick<ConnectionView, 'next_step' | 'type' | 'pending_consent'>;

/** Returns whether the next step is to consent at the vendor, and no consent awaits its confirmation. */
export const needsConsent = ({
  next_step,
  pending_consent,
}: Pick<SetupProgress, 'next_step' | 'pending_consent'>): boolean =>
  (next_step === 'consent' || next_step === 'reconnect') && pending_consent === null;

/** The next step, and why; undefined if there is none. */
export function describeNextStep(connection: SetupProgress) {
  const { next_step, type, pending_consent } = connection;
  if (next_step === null) return undefined;
  if (pending_consent && (next_step === 'consent' || next_step === 'reconnect')) return PENDING_CONSENT;
  // Only CRM-B has a channel.
  return type === 'crm-a' && next_step === 'check_channel' ? SILENT_CRM_A : nextStepWords[next_step];
}

/** Says whether the watch channel is renewed before it expires, which requires a consent. */
export const channelNote = ({ granted_at, health }: Pick<ConnectionView, 'granted_at' | 'health'>): string =>
  granted_at === null || health.status === 'needs_reconnect'
    ? 'not renewed without a consent'
    : 'renewed automatically';

/** The outcome for the channel and the grant at the vendor after a disconnect. */
export const disconnectWords = {
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
export const missingChoicesWords: Readonly<Record<NonNullable<Choices['failure']>, string>> = {
  not_connected: 'You can choose from lists after the consent is given and confirmed.',
  reconnect_needed: 'The vendor’s lists return after the new consent. Until then, enter ids.',
  refused: 'The person who consented may not read some lists. Enter ids instead.',
  unavailable: 'The vendor did not answer in time. Enter ids, or reload the page.',
};
