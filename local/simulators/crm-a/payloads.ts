import { createHash } from 'node:crypto';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** A lead as LeadSquared posts it: flat, with strings or null for every value, also for numbers and flags. */
export type LeadFields = Record<string, string | null>;

/** The body of event 4, lead owner changed. Event 3, lead created, posts the fields themselves. */
export type Reassignment = { Before: LeadFields; After: LeadFields };

export type LeadWishes = {
  /** Determines the lead: its id and phone differ for different numbers. */
  number: number;
  /** Id of the owner. */
  owner: string;
  /** When the lead is created. */
  at: Date;
  id?: string | undefined;
  /** In any spelling. A valid number is sent as LeadSquared writes it. */
  phone?: string | undefined;
  firstName?: string | undefined;
  city?: string | undefined;
  doNotCall?: boolean | undefined;
};

/** Numbers below this give different leads and phones. */
export const LEAD_NUMBERS = 100_000_000;

const names = ['Meera', 'Ravi', 'Anita', 'Imran', 'Lakshmi', 'Joseph', 'Kavita', 'Suresh', 'Farah', 'Vikram'] as const;
const surnames = ['Nair', 'Sharma', null, 'Khan', 'Iyer', "D'Souza", null, 'Patil', 'Gupta', 'Reddy'] as const;
const places = [
  ['Pune', 'Maharashtra', '411001'],
  ['Mumbai', 'Maharashtra', '400001'],
  ['Bengaluru', 'Karnataka', '560001'],
  ['Chennai', 'Tamil Nadu', '600001'],
  ['Kochi', 'Kerala', '682001'],
] as const;
const sources = [
  ['Contact Us', 'Direct', null],
  ['Google Ads', 'CPC', 'flats-2-bhk'],
  ['Facebook', 'Social', 'monsoon-offer'],
  ['Property Fair', 'Offline', null],
] as const;
const notes = [null, 'Looks for a flat with 2 bedrooms.{mxnewline}Call in the morning.', 'Has seen the sample flat.'];

/** Event 3: a lead was created. */
export function newLead(wishes: LeadWishes): LeadFields {
  const { number, owner, at, id = guidOf(`lead ${number}`) } = wishes;
  const pick = <T>(list: readonly T[], salt: string): T =>
    list[digestOf(`${salt} ${number}`).readUInt32BE() % list.length] as T;
  const firstName = wishes.firstName ?? pick(names, 'name');
  const lastName = pick(surnames, 'surname');
  const [city, state, zip] = pick(places, 'place');
  const [source, medium, campaign] = pick(sources, 'source');
  const phone = wishes.phone === undefined ? phoneOf(number) : hyphenated(wishes.phone);
  const created = timestamp(at);
  return {
    ProspectID: id,
    ProspectAutoId: String(1000 + number),
    FirstName: firstName,
    LastName: lastName,
    EmailAddress: pick([`lead${number}@example.com`, null], 'email'),
    Company: null,
    Origin: 'API',
    Phone: phone,
    Mobile: pick([null, null, null, phone], 'mobile'),
    PhotoUrl: null,
    Website: null,
    TimeZone: '(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi',
    FacebookId: null,
    LinkedInId: null,
    TwitterId: null,
    SkypeId: null,
    GTalkId: null,
    Source: source,
    SourceMedium: medium,
    SourceCampaign: campaign,
    SourceContent: null,
    SourceReferrer: null,
    SourceReferrerURL: null,
    SourceIPAddress: null,
    ConversionReferrerURL: null,
    JobTitle: null,
    Notes: pick(notes, 'notes'),
    DoNotEmail: '0',
    DoNotCall: wishes.doNotCall ? '1' : '0',
    DoNotTrack: '0',
    MailingPreferences: null,
    ProspectStage: 'Raw',
    StatusCode: '0',
    StatusReason: '0',
    Score: '0',
    EngagementScore: '0',
    QualityScore01: null,
    Grade: null,
    Revenue: '0.00',
    TotalVisits: '0',
    PageViewsPerVisit: '0.00',
    AvgTimePerVisit: '0.00',
    LastVisitDate: null,
    LeadAge: '0',
    LeadConversionDate: created,
    LeadLastModifiedOn: created,
    RelatedProspectId: null,
    ProspectActivityId_Max: null,
    ProspectActivityName_Max: null,
    ProspectActivityDate_Max: null,
    FirstLandingPageSubmissionId: null,
    FirstLandingPageSubmissionDate: null,
    ...ownedBy(owner),
    CreatedBy: guidOf('api user'),
    CreatedByName: 'API User',
    CreatedByEmailAddress: 'api@example.com',
    CreatedOn: created,
    ModifiedBy: guidOf('api user'),
    ModifiedByName: 'API User',
    ModifiedOn: created,
    NotableEvent: 'Created',
    NotableEventdate: created,
    IsStarredLead: 'false',
    IsTaggedLead: 'false',
    CanUpdate: 'true',
    Org_ShortCode: '10001',
    mx_Street1: null,
    mx_City: wishes.city ?? city,
    mx_State: wishes.city === undefined ? state : null,
    mx_Country: 'India',
    mx_Zip: wishes.city === undefined ? zip : null,
  };
}

/** Event 4: the lead's owner was changed to `owner`. */
export function ownerReassignment(wishes: LeadWishes): Reassignment {
  const after = newLead(wishes);
  const moved = { NotableEvent: 'Modified', ProspectStage: 'Open' };
  return {
    Before: { ...after, ...ownedBy(guidOf('former owner')), ...moved },
    After: { ...after, ...moved },
  };
}

const ownedBy = (owner: string) => ({
  OwnerId: owner,
  OwnerIdName: `Rep ${owner.slice(0, 4)}`,
  OwnerIdEmailAddress: `rep-${owner.slice(0, 4)}@example.com`,
});

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Creates a GUID from a text, in the form of a random one. */
function guidOf(text: string): string {
  const hex = digestOf(text).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Coprime to 10, so that every number has a different phone, and neighbours have dissimilar phones. */
const SPREAD = 38_716_593;

/** Creates an Indian mobile number. It may be real, so it must never reach a system that dials. */
const phoneOf = (number: number): string =>
  `+91-98${String((BigInt(number) * BigInt(SPREAD)) % BigInt(LEAD_NUMBERS)).padStart(8, '0')}`;

/** Writes a hyphen after the country code, as LeadSquared does. An invalid number is unchanged, for tests. */
function hyphenated(phone: string): string {
  const parsed = phone.startsWith('+') ? parsePhoneNumberFromString(phone) : undefined;
  return parsed ? `+${parsed.countryCallingCode}-${parsed.nationalNumber}` : phone;
}

/** Writes a UTC time without its zone, as LeadSquared does. */
const timestamp = (at: Date): string => at.toISOString().slice(0, 19).replace('T', ' ');
