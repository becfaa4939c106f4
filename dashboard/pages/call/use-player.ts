import { type RefObject, useEffect, useRef, useState } from 'react';
import { linkRecording, type ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { clampPosition, recordingLength } from './player-keys.ts';

export const speeds = [0.75, 1, 1.25, 1.5, 2] as const;

/** Links are valid for five minutes; half a minute is a margin. */
const LINK_LIFETIME_MILLISECONDS = 4.5 * 60_000;

export type Player = {
  audio: RefObject<HTMLAudioElement | null>;
  /** The recording's link; undefined until a person plays it. */
  url: string | undefined;
  /** In seconds. */
  time: number;
  length: number;
  isPlaying: boolean;
  isOpening: boolean;
  /** Why there is no sound: an error of the API, or `unplayable`. */
  problem: unknown;
  speed: number;
  setSpeed: (speed: number) => void;
  toggle: () => void;
  /** @param plays whether to start playback if it is paused */
  seek: (seconds: number, plays?: boolean) => void;
};

/** Plays a call's recording. Requests its link on the first play, and again after the link has expired. */
export function usePlayer(call: Pick<ShownCall, 'id' | 'duration'>): Player {
  const audio = useRef<HTMLAudioElement>(null);
  const [link, setLink] = useState<{ url: string; at: number }>();
  const [time, setTime] = useState(0);
  const [measured, setMeasured] = useState<number>();
  const length = recordingLength(measured, call.duration);
  const [isPlaying, setPlaying] = useState(false);
  const [isOpening, setOpening] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const [speed, setSpeed] = useState(1);
  /** Where to resume when the recording has loaded, and whether to play it then. */
  const next = useRef({ time: 0, plays: false });
  /** Whether it plays or was started; a ref, so that older handlers see the current value. */
  const isWanted = useRef(false);

  const open = async (at: number, plays: boolean) => {
    next.current = { time: at, plays };
    setOpening(true);
    setProblem(undefined);
    try {
      const { url } = await callApi(linkRecording, { params: { id: call.id } });
      setLink({ url, at: Date.now() });
    } catch (error) {
      setProblem(error);
      setOpening(false);
    }
  };
  const fail = () => {
    const isOld = link !== undefined && Date.now() - link.at > LINK_LIFETIME_MILLISECONDS;
    setPlaying(false);
    setLink(undefined);
    if (isOld) open(audio.current?.currentTime ?? time, isWanted.current);
    else {
      setOpening(false);
      setProblem('unplayable');
    }
  };
  const play = () => {
    isWanted.current = true;
    // AbortError is only a pause before the first sound, and a failure of the element has its own event.
    return audio.current?.play().catch(({ name }: Error) => name === 'AbortError' || audio.current?.error || fail());
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the handlers read the element's current state.
  useEffect(() => {
    const element = audio.current;
    if (!element || !link) return;
    const ready = () => {
      if (Number.isFinite(element.duration)) setMeasured(element.duration);
      element.currentTime = next.current.time;
      element.playbackRate = speed;
      setOpening(false);
      if (next.current.plays) play();
    };
    const move = () => setTime(element.currentTime);
    const state = () => {
      isWanted.current = !element.paused;
      setPlaying(isWanted.current);
    };
    const handlers = { loadedmetadata: ready, timeupdate: move, play: state, pause: state, ended: state, error: fail };
    for (const [event, handler] of Object.entries(handlers)) element.addEventListener(event, handler);
    element.src = link.url;
    return () => {
      for (const [event, handler] of Object.entries(handlers)) element.removeEventListener(event, handler);
    };
  }, [link]);

  const toggle = () => {
    if (!link) open(time >= length ? 0 : time, true);
    else if (isPlaying) audio.current?.pause();
    else play();
  };
  const seek = (seconds: number, plays = false) => {
    const at = clampPosition(seconds, measured);
    setTime(at);
    next.current = { ...next.current, time: at };
    if (link && audio.current) audio.current.currentTime = at;
    if (!plays || isOpening) return;
    if (link) play();
    else open(at, true);
  };
  const change = (wanted: number) => {
    setSpeed(wanted);
    if (audio.current) audio.current.playbackRate = wanted;
  };
  return {
    audio,
    url: link?.url,
    time,
    length,
    isPlaying,
    isOpening,
    problem,
    speed,
    setSpeed: change,
    toggle,
    seek,
  };
}
