import { useId } from 'react';
import { Tooltip } from '../text/tooltip.tsx';
import { VisuallyHidden } from '../visually-hidden.tsx';
import { Button, type ButtonProps } from './button.tsx';

/** A button that stays visible when it is not allowed, and says why: on hover, on focus and to screen readers. */
export function GuardedButton({ disabledReason, ...rest }: ButtonProps & { disabledReason: string | undefined }) {
  const id = useId();
  if (disabledReason === undefined) return <Button {...rest} />;
  return (
    <>
      <Tooltip text={disabledReason}>
        <Button {...rest} aria-disabled aria-describedby={id} />
      </Tooltip>
      <VisuallyHidden id={id}>{disabledReason}</VisuallyHidden>
    </>
  );
}
