import { queryOptions } from '@tanstack/react-query';
import { type ShownCall, showCall } from '../../../shared/messages/dashboard/calls.ts';
import { call } from '../../app/browser-session.ts';
import { refreshEvery } from '../../app/live.ts';
import { queryClient } from '../../app/query.ts';

/** Whether something of a call that has ended is still under way. */
const isUnfinished = ({ status, timeline, recording, analysis, callbacks }: ShownCall): boolean =>
  status === 'scheduled' ||
  recording?.state === 'pending' ||
  analysis?.state === 'pending' ||
  callbacks.some(({ state }) => state === 'pending') ||
  !timeline.some(({ what }) => what === 'finished');

/** After somebody has done something with the call. */
export const refreshCall = (id: string) =>
  Promise.all([['call', id], ['calls'], ['audit']].map((queryKey) => queryClient.invalidateQueries({ queryKey })));

/** A call, read again while it lives, and seldom once everything is done. */
export const callQuery = (id: string) =>
  queryOptions({
    queryKey: ['call', id],
    queryFn: ({ signal }) => call(showCall, { params: { id }, signal }),
    refetchInterval: ({ state: { data } }) => {
      if (!data) return false;
      const isSending = data.callbacks.some(({ asked_at }) => asked_at !== null);
      if (data.is_live || isSending) return refreshEvery.live;
      return isUnfinished(data) ? refreshEvery.calm : false;
    },
  });
