import { useSyncExternalStore } from 'react';
import { session } from './browser-session.ts';
import type { SessionState } from './session.ts';

export const useSession = (): SessionState => useSyncExternalStore(session.subscribe, session.state);
