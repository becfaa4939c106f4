import { useId } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { Hidden } from './hidden.tsx';
import { Tip } from './tip.tsx';

/** A button that stays visible where it may not be used, and says why: on hover, on focus and to screen readers. */
export function GuardedButton({ reason, ...rest }: ButtonProps & { reason: string | undefined }) {
  const id = useId();
  if (reason === undefined) return <Button {...rest} />;
  return (
    <>
      <Tip text={reason}>
        <Button {...rest} aria-disabled aria-describedby={id} />
      </Tip>
      <Hidden id={id}>{reason}</Hidden>
    </>
  );
}
