import { queryOptions } from '@tanstack/react-query';
import { type ShownCall, showCall } from '../../../shared/messages/dashboard/calls.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { refetchAfter, refetchIntervals } from '../../app/query/refetch-intervals.ts';
import { callApi } from '../../app/session/browser-session.ts';

/** Returns whether a call that is not live still waits for its call window, or for work after its end. */
const isUnfinished = ({ status, timeline, recording, analysis, callbacks }: ShownCall): boolean =>
  status === 'scheduled' ||
  recording?.state === 'pending' ||
  analysis?.state === 'pending' ||
  callbacks.some(({ state }) => state === 'pending') ||
  !timeline.some(({ what }) => what === 'finished');

/** Invalidates the call after an action on it. */
export const refreshCall = (id: string) =>
  Promise.all([['call', id], ['calls'], ['audit']].map((queryKey) => queryClient.invalidateQueries({ queryKey })));

/** A call, refreshed often while it is live, rarely while work on it is left, and then not at all. */
export const callQuery = (id: string) =>
  queryOptions({
    queryKey: ['call', id],
    queryFn: ({ signal }) => callApi(showCall, { params: { id }, signal }),
    refetchInterval: ({ state }) => {
      const { data } = state;
      if (!data) return false;
      const isSending = data.callbacks.some(({ asked_at }) => asked_at !== null);
      if (data.is_live || isSending) return refetchAfter(refetchIntervals.live, state);
      return isUnfinished(data) && refetchAfter(refetchIntervals.normal, state);
    },
  });
