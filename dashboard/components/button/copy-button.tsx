import { Check, Copy as CopyIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { VisuallyHidden } from '../visually-hidden.tsx';
import styles from './copy-button.module.css';

type Props = { text: string; what: string; label?: string };

/** Copies a text, and confirms it. */
export function CopyButton({ text, what, label = 'Copy' }: Props) {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 3000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState('done'),
      () => setState('failed'),
    );
  return (
    <>
      <button type="button" className={styles.copy} onClick={copy} aria-label={`${label} ${what}`}>
        {state === 'done' ? <Check aria-hidden="true" /> : <CopyIcon aria-hidden="true" />}
        {{ idle: label, done: 'Copied', failed: 'Select and copy it' }[state]}
      </button>
      <span role="status">
        <VisuallyHidden>{{ idle: '', done: 'Copied', failed: 'The browser did not copy it' }[state]}</VisuallyHidden>
      </span>
    </>
  );
}
