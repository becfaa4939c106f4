import type { RelatedModule } from './model.ts';

/** A field of a module, as `GET /crm/v8/settings/fields` describes it. Unused members are omitted. */
export type Field = {
  id: string;
  api_name: string;
  field_label: string;
  data_type: string;
  custom_field: boolean;
  read_only: boolean;
  system_mandatory: boolean;
  /** Only for picklists. */
  pick_list_values?: { display_value: string; actual_value: string }[];
};

const standard: [name: string, type: string][] = [
  ['Owner', 'ownerlookup'],
  ['Company', 'text'],
  ['First_Name', 'text'],
  ['Last_Name', 'text'],
  ['Full_Name', 'text'],
  ['Designation', 'text'],
  ['Email', 'email'],
  ['Phone', 'phone'],
  ['Mobile', 'phone'],
  ['Lead_Source', 'picklist'],
  ['Lead_Status', 'picklist'],
  ['City', 'text'],
  ['State', 'text'],
  ['Country', 'text'],
  ['Street', 'text'],
  ['Zip_Code', 'text'],
  ['Website', 'website'],
  ['Rating', 'picklist'],
  ['Annual_Revenue', 'currency'],
  ['No_of_Employees', 'integer'],
  ['Email_Opt_Out', 'boolean'],
  ['Description', 'textarea'],
  ['Created_By', 'ownerlookup'],
  ['Modified_By', 'ownerlookup'],
  ['Created_Time', 'datetime'],
  ['Modified_Time', 'datetime'],
  ['Last_Activity_Time', 'datetime'],
  ['Converted__s', 'boolean'],
];

const custom: [name: string, type: string][] = [
  ['Secondary_Phone', 'phone'],
  ['Home_Phone', 'phone'],
  ['Call_Disposition', 'picklist'],
];

/** Fields that only the vendor writes. */
export const readOnly = new Set([
  'id',
  'Full_Name',
  'Created_By',
  'Modified_By',
  'Created_Time',
  'Modified_Time',
  'Last_Activity_Time',
]);

const commonFields: [name: string, type: string][] = [
  ['Owner', 'ownerlookup'],
  ['Created_By', 'ownerlookup'],
  ['Modified_By', 'ownerlookup'],
  ['Created_Time', 'datetime'],
  ['Modified_Time', 'datetime'],
];

const related: Record<RelatedModule, [name: string, type: string][]> = {
  Calls: [
    ['Subject', 'text'],
    ['Call_Type', 'picklist'],
    ['Call_Start_Time', 'datetime'],
    ['Call_Duration', 'text'],
    ['Call_Duration_in_seconds', 'integer'],
    ['Call_Purpose', 'picklist'],
    ['Call_Result', 'text'],
    ['Outgoing_Call_Status', 'picklist'],
    ['What_Id', 'lookup'],
    ['Who_Id', 'lookup'],
    ['Voice_Recording__s', 'website'],
    ['Description', 'textarea'],
    ...commonFields,
  ],
  Notes: [['Note_Title', 'text'], ['Note_Content', 'textarea'], ['Parent_Id', 'lookup'], ...commonFields],
};

/** The fields of a module that is related to leads. */
export const relatedFields = (module: RelatedModule): Field[] =>
  related[module].map(([name, type], index) => field(name, type, false, 100 + index));

const field = (name: string, type: string, isCustom: boolean, number: number): Field => ({
  id: String(554000000002000 + number),
  api_name: name,
  field_label: name.replaceAll('_', ' '),
  data_type: type,
  custom_field: isCustom,
  read_only: readOnly.has(name),
  system_mandatory: name === 'Last_Name',
  ...(type === 'picklist' && { pick_list_values: valuesOf(name) }),
});

const pickLists: Record<string, string[]> = {
  Lead_Status: ['Not Contacted', 'Contacted', 'RNR', 'Junk Lead'],
  Lead_Source: ['Advertisement', 'Web Form', 'Referral'],
  Rating: ['Active', 'Market Failed', 'Shut Down'],
  Call_Disposition: ['RNR', 'Interested', 'Not Interested'],
};

const valuesOf = (name: string) =>
  (pickLists[name] ?? []).map((value) => ({ display_value: value, actual_value: value }));

/** The fields of Leads. Writing a lead with an unknown field adds the field. */
export class LeadFields {
  private readonly byName = new Map<string, Field>();

  constructor() {
    for (const [name, type] of standard) this.add(name, type, false);
    for (const [name, type] of custom) this.add(name, type, true);
  }

  add(name: string, type = 'text', isCustom = true): void {
    if (!this.byName.has(name)) this.byName.set(name, field(name, type, isCustom, this.byName.size));
  }

  typeOf(name: string): string | undefined {
    return name === 'id' ? 'bigint' : this.byName.get(name)?.data_type;
  }

  all(): Field[] {
    return [...this.byName.values()];
  }
}
