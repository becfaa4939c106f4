import * as z from 'zod/mini';
import { type AnalysisResult, extractedFields } from '../../calls/analysis.ts';
import type { Call } from '../../calls/call.ts';
import { viewCall } from '../../calls/call-view.ts';
import { fieldVariables } from '../../calls/conversation/crm-fields.ts';
import { storedHelpDeskSettings } from '../../connections/help-desk-settings.ts';
import { cutText } from '../../text/cut-text.ts';
import { writtenNumber } from '../../text/exact-json.ts';
import { withoutMarkup } from '../../text/plain-text.ts';
import { type TicketFields, ticketFields } from './help-desk-ticket.ts';

export type HelpDeskSettings = z.infer<typeof storedHelpDeskSettings>;

/** A mapping from the values of an extracted field to values of the help desk. */
type Mapping = NonNullable<HelpDeskSettings['priority_mapping']>;

/** The defaults (docs/help-desk.md, "Settings"). */
const defaults = {
  subject: '{lead_intent} — {caller_mobile}',
  description: '{issue_summary}',
  run_condition: { field: 'lead_intent', in: ['complaint', 'support_request', 'callback'] },
  priority_mapping: {
    field: 'lead_intent',
    values: { complaint: 'High', support_request: 'High', callback: 'Low' },
  } as Mapping,
};

/** Returns a connection's settings, or the reason why they cannot be used. */
export function readSettings(settings: unknown): HelpDeskSettings | { error: string } {
  const read = z.safeParse(storedHelpDeskSettings, settings ?? {});
  if (read.success) return read.data;
  const bad = [...new Set(read.error.issues.map(({ path }) => path.join('.') || 'all'))];
  return { error: `settings of the help-desk connection that are missing or invalid: ${bad.join(', ')}` };
}

type Fields = Readonly<Record<string, unknown>>;

const extractedOf = ({ analysis }: Pick<Call, 'analysis'>): Fields =>
  analysis?.result ? extractedFields(analysis.result as AnalysisResult) : {};

/** Returns why a call gets no ticket; undefined if it gets one (docs/help-desk.md, "Calls that get a ticket"). */
export function whyNoTicket(
  call: Pick<Call, 'status' | 'analysis'>,
  { run_condition = defaults.run_condition }: Pick<HelpDeskSettings, 'run_condition'>,
): string | undefined {
  if (call.status !== 'completed' && call.status !== 'transferred') return `the call is ${call.status}`;
  const { field } = run_condition;
  const value = readableText(ownValue(extractedOf(call), field));
  if (run_condition.in.includes(value)) return undefined;
  if (!call.analysis?.result) return `the run condition does not hold: there is no analysis, so ${field} is not known`;
  const wanted = `a ticket needs ${run_condition.in.map(quoted).join(' or ')}`;
  return `the run condition does not hold: ${field} is ${value === '' ? 'not known' : quoted(value)}, and ${wanted}`;
}

const LONGEST_QUOTED = 60;

const quoted = (value: string): string =>
  `“${value.length > LONGEST_QUOTED ? `${cutText(value, LONGEST_QUOTED)}…` : value}”`;

/** Renders and maps the fields of a call's ticket. @param transcript absent if the call has none. */
export function ticketOf(call: Call, settings: HelpDeskSettings, transcript: string | undefined): TicketFields {
  const extracted = extractedOf(call);
  const sources = [callFields(call), extracted, call.request_metadata, call.metadata ?? {}, { transcript }];
  const { subject_template = defaults.subject, description_template = defaults.description } = settings;
  const priority = mapped(settings.priority_mapping ?? defaults.priority_mapping, extracted);
  const classification = mapped(settings.classification_mapping, extracted);
  const assigneeId = mapped(settings.assignee_mapping, extracted);
  return ticketFields({
    departmentId: settings.departmentId,
    subject: renderTemplate(subject_template, sources),
    description: renderTemplate(description_template, sources),
    phone: call.phone_number,
    ...(priority !== undefined && { priority }),
    ...(classification !== undefined && { classification }),
    ...(assigneeId !== undefined && { assigneeId }),
  });
}

/** Returns whether the templates name the transcript. */
export const namesTranscript = ({ subject_template = '', description_template = '' }: HelpDeskSettings): boolean =>
  /\{\s*transcript\s*\}/.test(`${subject_template} ${description_template}`);

/** Returns the members of the Call object, and the number and name of the person who was called. */
const callFields = (call: Call): Fields => ({
  ...viewCall(call),
  caller_mobile: call.phone_number,
  caller_name: callerName(call) || null,
});

/** Returns the name of the called person, from the lead or the client's metadata; '' if neither has one. */
export function callerName({ lead, request_metadata }: Pick<Call, 'lead' | 'request_metadata'>): string {
  const { Full_Name = '', First_Name = '', Last_Name = '' } = fieldVariables(lead?.fields ?? {});
  const { caller_name, name } = request_metadata;
  const candidates = [Full_Name, `${First_Name} ${Last_Name}`, caller_name, name];
  return candidates.map((each) => (typeof each === 'string' ? each.trim() : '')).find((each) => each !== '') ?? '';
}

function mapped(mapping: Mapping | undefined, extracted: Fields): string | undefined {
  if (!mapping) return undefined;
  const value = readableText(ownValue(extracted, mapping.field));
  return (Object.hasOwn(mapping.values, value) ? mapping.values[value] : undefined) ?? mapping.fallback;
}

const ownValue = (fields: Fields, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined);

/** The values that a template may name, in the order of the lookup. */
type TemplateSources = readonly Readonly<Record<string, unknown>>[];

const PLACEHOLDER = /\{([^{}]*)\}/g;

/**
 * Renders `{key}` in one pass, so that a value is never read as a template (docs/help-desk.md, "Templates"). Values
 * lose their markup, because the help desk may show the text as HTML; the template's own markup stays.
 * @param sources the first source that has a value for a key provides it; unknown keys render empty.
 */
export const renderTemplate = (template: string, sources: TemplateSources): string =>
  template.replace(PLACEHOLDER, (_match, key: string) => withoutMarkup(readableText(lookedUp(key.trim(), sources))));

function lookedUp(key: string, sources: TemplateSources): unknown {
  // A customer's template must not reach inherited members such as `constructor`.
  const source = sources.find((each) => Object.hasOwn(each, key) && each[key] !== null && each[key] !== undefined);
  return source?.[key];
}

/** Returns a value as readable text: a list of scalars with commas, every other object as JSON. */
export function readableText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value) && value.every((each) => Object(each) !== each || writtenNumber(each) !== undefined))
    return value
      .map(readableText)
      .filter((text) => text !== '')
      .join(', ');
  return JSON.stringify(value);
}
