import { useId } from 'react';
import { Tooltip } from '../text/tooltip.tsx';
import { VisuallyHidden } from '../visually-hidden.tsx';
import { Button, type ButtonProps } from './button.tsx';

/** A button that stays visible when it is not allowed, and says why: on hover, on focus and to screen readers. */
export function GuardedButton({ reason, ...rest }: ButtonProps & { reason: string | undefined }) {
  const id = useId();
  if (reason === undefined) return <Button {...rest} />;
  return (
    <>
      <Tooltip text={reason}>
        <Button {...rest} aria-disabled aria-describedby={id} />
      </Tooltip>
      <VisuallyHidden id={id}>{reason}</VisuallyHidden>
    </>
  );
}
