import { useFormContext } from 'react-hook-form';
import { Badge } from '../../components/text/badge.tsx';
import type { EditValues } from './edit-form.ts';
import { mappingOf } from './mapping.ts';
import { sampleTicket } from './sample-call.ts';
import styles from './settings.module.css';

/** The example call's ticket with the current fields, made by the code that makes tickets. */
export function TicketPreview() {
  const { subject_template, description_template, priority_mapping, run_condition } =
    useFormContext<EditValues>().watch();
  const priority = mappingOf(priority_mapping);
  const ticket = sampleTicket({
    ...(subject_template.trim() !== '' && { subject_template }),
    ...(description_template.trim() !== '' && { description_template }),
    ...(priority && { priority_mapping: priority }),
    ...(run_condition && {
      run_condition: { field: run_condition.field.trim(), in: run_condition.in.split(',').map((one) => one.trim()) },
    }),
  });
  return (
    <section className={styles.preview} aria-label="Preview of a ticket">
      <p className={styles.previewHead}>
        For a sample call in which Meera Rao complains{' '}
        {ticket.isCreated ? (
          ticket.priority && <Badge tone="info">{ticket.priority}</Badge>
        ) : (
          <Badge tone="warn">No ticket for this call</Badge>
        )}
      </p>
      <p className={styles.previewSubject}>{ticket.subject}</p>
      <p className={styles.previewText}>{ticket.description || '(no description)'}</p>
    </section>
  );
}
