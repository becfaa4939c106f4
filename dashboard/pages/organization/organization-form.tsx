import type { OrganizationView } from '../../../shared/messages/dashboard/organization.ts';
import { TextField } from '../../components/form/field.tsx';
import { SelectField } from '../../components/form/select-field.tsx';
import {
  limitHints,
  organizationChanges,
  organizationFormSchema,
  organizationFormValues,
} from '../../words/organization/organization.ts';
import { regionChoices } from '../../words/regions.ts';
import styles from './organization.module.css';
import { SettingsForm } from './settings-form.tsx';
import { useSettings } from './use-settings.ts';

const regions = regionChoices();

/** The settings that admins and owners may change. If two people save at once, the second sees the conflict. */
export function OrganizationForm({ org }: { org: OrganizationView }) {
  const settings = useSettings(org, organizationFormSchema, organizationFormValues, organizationChanges);
  return (
    <SettingsForm settings={settings}>
      <div className={styles.pairs}>
        <TextField name="name" label="Name" autoComplete="organization" />
        <SelectField
          name="default_region"
          label="Country of numbers without a country code"
          hint="The country of numbers of leads, imported numbers and typed numbers."
        >
          {regions.map(([code, name]) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </SelectField>
        <TextField
          name="platform_numbers"
          label="Your own numbers"
          hint="Separated by commas, in any usual form. A lead with one of these numbers is not called."
        />
        <TextField
          name="warn_below"
          label="Warn when credit falls below"
          inputMode="decimal"
          hint="Credits. If empty, people are warned only when the credit does not cover one more minute."
        />
        {limitHints(org.limits).map(({ name, label, hint }) => (
          <TextField key={name} name={name} label={label} inputMode="numeric" hint={hint} />
        ))}
      </div>
    </SettingsForm>
  );
}
