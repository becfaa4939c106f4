import { useFormContext } from 'react-hook-form';
import { withoutEffect } from '../../../shared/domain/connections/crm-b-settings.ts';
import type { Choices, ConnectionView } from '../../../shared/messages/dashboard/connections.ts';
import { CheckboxField } from '../../components/form/checkbox-field.tsx';
import { TextField } from '../../components/form/field.tsx';
import { SelectField } from '../../components/form/select-field.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { ChoiceField, type RemoteChoices } from './choice-field.tsx';
import { changesOf, type EditValues } from './edit-form.ts';
import styles from './settings.module.css';

type Props = { connection: ConnectionView; choices: RemoteChoices | undefined };

/** Which leads are called, by which assistant and when. */
export function LeadSettings({ connection, choices, assistants }: Props & Pick<Choices, 'assistants'>) {
  return (
    <>
      <CheckboxField
        name="auto_call"
        label="Call leads automatically"
        hint="Off: leads are recorded with their outcome but not called. Waiting calls are canceled."
      />
      <div className={styles.pair}>
        <ChoiceField
          name="assistant_id"
          label="Assistant"
          hint="It conducts the calls."
          none="No assistant: no lead is called"
          choices={assistants}
        />
        <ChoiceField
          name="trigger_owner_user_id"
          label="Lead owner"
          hint={
            connection.type === 'crm-a'
              ? 'The user’s OwnerId in LeadSquared. The first lead that arrives shows its owner here.'
              : 'Only leads of this user are called.'
          }
          none="No owner: no lead is called"
          idLabel={connection.type === 'crm-a' ? 'Id of the owner whose leads are called' : 'Id of the user'}
          choices={connection.type === 'crm-a' ? null : choices?.owners}
        />
      </div>
      {connection.type === 'crm-b' && <CallHours connection={connection} choices={choices} />}
    </>
  );
}

function CallHours({ connection, choices }: Props) {
  const values = useFormContext<EditValues>().watch();
  const { settings = {}, trigger_owner_user_id } = changesOf(connection, values);
  const merged = Object.entries({ ...connection.settings, ...settings }).filter(([, value]) => value !== null);
  const owner = trigger_owner_user_id === undefined ? connection.trigger_owner_user_id : trigger_owner_user_id;
  const warnings = withoutEffect({
    type: 'crm-b',
    settings: Object.fromEntries(merged),
    ...(owner !== null && { trigger_owner_user_id: owner }),
  });
  const field = choices?.lead_fields?.find(({ name }) => name === values.disposition_crm_field);
  return (
    <>
      <h3>Calling hours</h3>
      <div className={styles.pair}>
        <TextField
          name="call_window_start"
          label="From"
          type="time"
          hint="In India time. If empty, leads are called at any hour."
        />
        <TextField
          name="call_window_end"
          label="Until"
          type="time"
          hint="Leads that arrive outside these hours are called when the hours begin again."
        />
      </div>
      <CheckboxField
        name="exclude_sunday"
        label="Not on Sundays"
        hint="Leads that arrive on a Sunday are called on Monday."
      />
      <h3>Sunday retry</h3>
      <CheckboxField
        name="sunday_rnr_retry"
        label="Call again on Sundays"
        hint="Every Sunday at 09:00, the owner’s leads with the value below are called once more, even if Sundays are excluded above."
      />
      <div className={styles.pair}>
        {choices?.lead_fields ? (
          <SelectField name="disposition_crm_field" label="Field of the lead" hint="Such as the lead’s status.">
            <option value="">None</option>
            {values.disposition_crm_field !== '' && !field && (
              <option value={values.disposition_crm_field}>{values.disposition_crm_field}</option>
            )}
            {choices.lead_fields.map(({ name, label }) => (
              <option key={name} value={name}>
                {label === name ? name : `${label} (${name})`}
              </option>
            ))}
          </SelectField>
        ) : (
          <TextField
            name="disposition_crm_field"
            label="Field of the lead"
            hint="Its API name in Zoho CRM, such as Lead_Status."
            autoComplete="off"
          />
        )}
        {field?.values && field.values.length > 0 ? (
          <SelectField name="disposition_value" label="Value" hint="Exactly as in Zoho CRM.">
            <option value="">None</option>
            {values.disposition_value !== '' && !field.values.includes(values.disposition_value) && (
              <option value={values.disposition_value}>{values.disposition_value}</option>
            )}
            {field.values.map((value) => (
              <option key={value} value={value}>
                {value}
              </option>
            ))}
          </SelectField>
        ) : (
          <TextField name="disposition_value" label="Value" hint="Exactly as in Zoho CRM." autoComplete="off" />
        )}
      </div>
      <h3>When a person is erased</h3>
      <CheckboxField
        name="erase_records"
        label="Remove notes and call logs"
        hint="When the operator erases a person or a call, the notes and call logs that the service wrote in Zoho CRM are deleted. This requires a consent given after this setting was switched on."
      />
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
    </>
  );
}
