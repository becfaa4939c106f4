import { useFormContext } from 'react-hook-form';
import type { ConnectionView } from '../../../shared/messages/dashboard/connections.ts';
import { Button } from '../../components/button/button.tsx';
import { CheckboxField } from '../../components/form/checkbox-field.tsx';
import fieldStyles from '../../components/form/field.module.css';
import { TextField } from '../../components/form/field.tsx';
import { GrowingTextArea } from '../../components/form/growing-text-area.tsx';
import { ChoiceField, type RemoteChoices } from './choice-field.tsx';
import type { EditValues } from './edit-form.ts';
import { standardPriority } from './mapping.ts';
import { MappingField } from './mapping-field.tsx';
import { usualPlaceholders } from './sample-call.ts';
import styles from './settings.module.css';
import { TicketPreview } from './ticket-preview.tsx';

type Props = { connection: ConnectionView; choices: RemoteChoices | undefined };

/** The tickets' department, which calls get one, and their content. */
export function HelpDeskSettings({ connection, choices }: Props) {
  return (
    <>
      <div className={styles.pair}>
        <ChoiceField
          name="orgId"
          label="Organization"
          hint="The portal that gets the tickets. If there is only one, it is chosen automatically."
          none="Not chosen"
          idLabel="Id of the organization"
          choices={choices?.organizations ?? connection.organizations}
        />
        <ChoiceField
          name="departmentId"
          label="Department"
          hint="Tickets go to it."
          none="Not chosen"
          idLabel="Id of the department"
          choices={choices?.departments}
        />
      </div>
      <RunCondition />
      <h3>Ticket content</h3>
      <TextField
        name="subject_template"
        label="Subject"
        placeholder="{lead_intent} — {caller_mobile}"
        hint="Default: {lead_intent} — {caller_mobile}"
        autoComplete="off"
      />
      <GrowingTextArea
        name="description_template"
        label="Description"
        placeholder="{issue_summary}"
        hint={
          <>
            Default: {'{issue_summary}'}. Placeholders: {usualPlaceholders.map((name) => `{${name}}`).join(' ')}, and
            each field of the metadata and of the assistant’s analysis.
          </>
        }
      />
      <TicketPreview />
      <h3>Ticket properties</h3>
      <MappingField
        name="priority_mapping"
        label="Priority"
        hint="Maps results of the analysis to priorities of the help desk."
        standard="Default: complaint and support_request → High, callback → Low."
        start={standardPriority}
      />
      <MappingField
        name="classification_mapping"
        label="Classification"
        hint="Such as Problem, Question or Feature."
        standard="Tickets get no classification."
        start={{ field: 'lead_intent', rows: [{ from: 'complaint', to: 'Problem' }], fallback: '' }}
      />
      <MappingField
        name="assignee_mapping"
        label="Assignee"
        hint="Which agent gets the ticket."
        standard="Tickets are assigned by the help desk’s own rules."
        start={{ field: 'lead_intent', rows: [{ from: 'complaint', to: '' }], fallback: '' }}
        targets={choices?.agents}
      />
      <GrowingTextArea
        name="tags"
        label="Tags"
        hint="One per line. They are added after the ticket is created."
        rows={2}
      />
      <h3>Recording and transcript</h3>
      <CheckboxField name="attach_call_recording" label="Attach the recording" hint="As a file, when it is ready." />
      <CheckboxField
        name="attach_full_transcript"
        label="Add the transcript"
        hint="As an internal comment, which customers do not see."
      />
      <h3>When a person is erased</h3>
      <CheckboxField
        name="erase_records"
        label="Remove the tickets"
        hint="When the operator erases a person or a call, the tickets are moved to the trash of the help desk."
      />
    </>
  );
}

function RunCondition() {
  const { watch, setValue, formState } = useFormContext<EditValues>();
  const error = formState.errors.run_condition?.message;
  const condition = watch('run_condition');
  const change = (next: EditValues['run_condition']) => setValue('run_condition', next, { shouldDirty: true });
  return (
    <fieldset name="run_condition" tabIndex={-1} className={styles.mapping} data-label="Which calls get a ticket">
      <legend>Which calls get a ticket</legend>
      {condition === undefined ? (
        <>
          <p>
            Default: answered calls whose intent is <strong>complaint</strong>, <strong>support_request</strong> or{' '}
            <strong>callback</strong>.
          </p>
          <div>
            <Button onClick={() => change({ field: 'lead_intent', in: 'complaint, support_request, callback' })}>
              Set another condition
            </Button>
          </div>
        </>
      ) : (
        <>
          <div className={styles.pair}>
            <TextField name="run_condition.field" label="Field of the analysis" autoComplete="off" />
            <TextField
              name="run_condition.in"
              label="Values"
              hint="Separated by commas, exactly as the analysis writes them."
              autoComplete="off"
            />
          </div>
          {typeof error === 'string' && (
            <p className={fieldStyles.error} role="alert">
              {error}
            </p>
          )}
          <div>
            <Button variant="quiet" onClick={() => change(undefined)}>
              Use the default
            </Button>
          </div>
        </>
      )}
    </fieldset>
  );
}
