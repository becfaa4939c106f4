/**
 * @param measured length of the recording, in seconds; undefined before it is read
 * @param duration of the call, in seconds; null before its end
 * @returns the length of the recording in seconds; 0 if it is unknown
 */
export const recordingLength = (measured: number | undefined, duration: number | null): number =>
  measured ?? duration ?? 0;

/** @returns the position to seek to, in seconds. A recording that is not loaded yet has no end. */
export const clampPosition = (seconds: number, measured: number | undefined): number =>
  Math.min(Math.max(0, seconds), measured ?? Number.POSITIVE_INFINITY);

type PressedKey = { key: string; altKey: boolean; ctrlKey: boolean; metaKey: boolean };
type PlayerControls = { toggle: () => void; seek: (seconds: number) => void; time: number };

const STEP_SECONDS = 5;

/**
 * Space plays and pauses; the arrows seek.
 * @param hasOwnSpace whether Space already has an effect on the focused element
 * @returns whether the key belongs to the player, not to the browser
 */
export function handleKey({ toggle, seek, time }: PlayerControls, pressed: PressedKey, hasOwnSpace: boolean): boolean {
  const { key, altKey, ctrlKey, metaKey } = pressed;
  if (altKey || ctrlKey || metaKey) return false;
  if (key === ' ' && !hasOwnSpace) toggle();
  else if (key === 'ArrowLeft') seek(time - STEP_SECONDS);
  else if (key === 'ArrowRight') seek(time + STEP_SECONDS);
  else return false;
  return true;
}
