import type { PoolRefusal } from '../../../shared/integrations/user-pool/outcome.ts';
import { countAttempt } from '../../../shared/operations/organizations/sessions/attempts.ts';
import { changePassword, resetPassword } from '../../../shared/operations/organizations/sessions/passwords.ts';
import { refreshSession } from '../../../shared/operations/organizations/sessions/refresh-session.ts';
import { signIn } from '../../../shared/operations/organizations/sessions/sign-in.ts';
import { aWorld } from '../support/worlds/world.ts';
import type { Alarm } from './alarm.ts';

type Session = Pick<Parameters<typeof resetPassword>[0], 'sleep' | 'log' | 'endSessions'> & {
  pool: ReturnType<typeof aPool>;
};

/** Authenticates at the user pool, after some attempts in the same minute. */
const proved = async (
  prove: (deps: ReturnType<typeof aWorld>['common'] & Session) => Promise<unknown>,
  answer: PoolRefusal['kind'] | 'tokens' | 'done',
  attempts = 0,
) => {
  const world = aWorld();
  for (let attempt = 0; attempt < attempts; attempt += 1) await countAttempt(world.common, EMAIL);
  const patience = { sleep: async () => undefined, log: () => undefined };
  await prove({ ...world.common, ...patience, pool: aPool(answer), endSessions: async () => ({ kind: 'done' }) });
  return world;
};
const EMAIL = 'asha@example.com';
const PASSWORD = 'correct horse battery';
const aPool = (kind: PoolRefusal['kind'] | 'tokens' | 'done') => {
  const answer = async () => ({ kind, accessToken: 'a', expiresIn: 1 }) as never;
  return {
    signIn: answer,
    setFirstPassword: answer,
    refresh: answer,
    reset: answer,
    change: answer,
    endSessions: answer,
  };
};
const reset = { email: EMAIL, code: '123456', new_password: PASSWORD };

export const alarmsOfSessions: Alarm[] = [
  [
    'NotAuthenticated',
    'a password is wrong at the sign-in',
    'the password is right',
    (rings) => proved((deps) => signIn(deps, { email: EMAIL, password: PASSWORD }), rings ? 'refused' : 'tokens'),
  ],
  [
    'NotAuthenticated',
    'the address of a sign-in is malformed',
    'the user pool is too busy for a sign-in',
    (rings) => proved((deps) => signIn(deps, { email: rings ? 'x' : EMAIL, password: PASSWORD }), 'throttled'),
  ],
  [
    'NotAuthenticated',
    'an eleventh attempt in a minute is refused without a check',
    'the tenth attempt is right',
    (rings) => proved((deps) => signIn(deps, { email: EMAIL, password: PASSWORD }), 'tokens', rings ? 10 : 9),
  ],
  [
    'NotAuthenticated',
    'the user pool refuses the token of a session',
    'the user pool is too busy to renew a session',
    (rings) => proved((deps) => refreshSession(deps, 'x.y.z'), rings ? 'refused' : 'throttled'),
  ],
  [
    'NotAuthenticated',
    'a made-up token renews a session',
    'a browser with an expired session sends no token',
    (rings) => proved((deps) => refreshSession(deps, rings ? 'x.y.z' : undefined), 'refused'),
  ],
  [
    'NotAuthenticated',
    'a mailed code is wrong',
    'the code is right',
    (rings) => proved((deps) => resetPassword(deps, reset), rings ? 'wrong_code' : 'done'),
  ],
  [
    'NotAuthenticated',
    'the present password is wrong',
    'the new password is weak',
    (rings) => {
      const change = { password: 'old password', new_password: PASSWORD };
      const person = { email: EMAIL, accessToken: 'a' };
      return proved((deps) => changePassword(deps, person, change), rings ? 'refused' : 'weak_password');
    },
  ],
];
