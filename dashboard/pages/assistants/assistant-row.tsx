import { Link } from '@tanstack/react-router';
import type { AssistantRow as Row } from '../../../shared/messages/dashboard/assistants.ts';
import { CopyButton } from '../../components/button/copy-button.tsx';
import { Time } from '../../components/text/time.tsx';
import { languageName } from '../../words/assistants/assistants.ts';
import { formatDuration } from '../../words/times.ts';
import styles from './assistants.module.css';

export const AssistantRow = ({ assistant }: { assistant: Row }) => (
  <tr>
    <td>
      <Link to="/assistants/$id" params={{ id: assistant.assistant_id }} className={styles.name}>
        {assistant.name}
      </Link>{' '}
      <CopyButton text={assistant.assistant_id} what={`of ${assistant.name}`} label="Copy the id" />
    </td>
    <td data-label="First message">
      <span className={styles.message}>{assistant.first_message}</span>
    </td>
    <td data-label="Language">{assistant.language ? languageName(assistant.language) : 'any'}</td>
    <td data-label="Longest call" className={styles.number}>
      {formatDuration(assistant.max_duration_seconds)}
    </td>
    <td data-label="Knowledge" className={styles.number}>
      {assistant.knowledge}
    </td>
    <td data-label="Changed">
      <Time at={assistant.updated_at ?? assistant.created_at} />
      {assistant.updated_by && <span className={styles.by}>{assistant.updated_by}</span>}
    </td>
  </tr>
);
