import { queryOptions } from '@tanstack/react-query';
import { type ShownCall, showCall } from '../../../shared/messages/dashboard/calls.ts';
import { call } from '../../app/browser-session.ts';
import { refreshEvery } from '../../app/live.ts';

/** Whether something of a call that has ended is still under way. */
const isUnfinished = ({ status, timeline, recording, analysis, callbacks }: ShownCall): boolean =>
  status === 'scheduled' ||
  recording?.state === 'pending' ||
  analysis?.state === 'pending' ||
  callbacks.some(({ state }) => state === 'pending') ||
  !timeline.some(({ what }) => what === 'finished');

/** A call, read again while it lives, and seldom once everything is done. */
export const callQuery = (id: string) =>
  queryOptions({
    queryKey: ['call', id],
    queryFn: ({ signal }) => call(showCall, { params: { id }, signal }),
    refetchInterval: ({ state: { data } }) => {
      if (!data) return false;
      if (data.is_live) return refreshEvery.live;
      return isUnfinished(data) ? refreshEvery.calm : false;
    },
  });
