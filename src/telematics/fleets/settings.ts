import type { EntityManager } from '@mikro-orm/postgresql';
import { perApplication, provided } from '../../platform/application.ts';
import { guardedFetch } from '../../platform/http/calls/guarded-fetch.ts';
import type { RemoteSettings } from '../../platform/http/remote.ts';
import type { FleetCall } from './providers/provider.ts';

export const telematicsSettings = provided<Readonly<RemoteSettings>>('settings of telematics');

/** Milliseconds that a provider may take for an answer. */
export const PROVIDER_TIMEOUT = 20_000;
/** Bytes of an answer: 5,000 positions of the wordiest provider are less than half of it. */
const MOST = 4 << 20;
/** Sessions at providers, by fleet and revision; a process that starts again logs in again. */
const sessions = perApplication('sessions at telematics providers', () => new Map<string, FleetCall['session']>());

/**
 * Returns the settings with which requests to the provider of a fleet are made.
 * @param session the same for requests that share a log-in
 * @param signal ends them when the process stops
 */
export function callFor(em: EntityManager, session: FleetCall['session'], signal?: AbortSignal): FleetCall {
  const { privateHosts, timeout } = telematicsSettings.of(em);
  const guarded = guardedFetch({ allowPrivate: privateHosts, timeout, most: MOST });
  return { fetch: (input, init) => guarded(input, { ...init, signal }), session, now: new Date() };
}

/** The session of a fleet. A changed fleet begins another one. */
export function sessionOf(em: EntityManager, { id, revision }: { id: string; revision: number }): FleetCall['session'] {
  const known = sessions.of(em);
  const name = `${id} ${revision}`;
  const session = known.get(name) ?? {};
  known.set(name, session);
  return session;
}

/** Forgets the sessions of a fleet. */
export function forgetSessions(em: EntityManager, fleetId: string): void {
  const known = sessions.of(em);
  for (const name of known.keys()) if (name.startsWith(`${fleetId} `)) known.delete(name);
}
