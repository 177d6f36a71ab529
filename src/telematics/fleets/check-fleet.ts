import type { EntityManager } from '@mikro-orm/postgresql';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { type Credentials, isAddress, reasonOf } from '../../platform/http/remote.ts';
import type { UpdateTelematicsFleetInput } from './fleet.inputs.ts';
import type { FleetConnection, Mapping } from './providers/provider.ts';
import { PROVIDERS } from './providers/providers.ts';
import { callFor, telematicsSettings } from './settings.ts';
import type { TelematicsFleet } from './telematics-fleet.entity.ts';

const model = 'TelematicsFleet';

/** Where and as whom the provider of a fleet is read. */
export const connectionTo = (
  fleet: Pick<TelematicsFleet, 'provider' | 'server' | 'account' | 'mapping'>,
  credentials: Credentials,
): FleetConnection => ({
  server: (fleet.server ?? PROVIDERS[fleet.provider].server ?? '').replace(/\/+$/, ''),
  account: fleet.account ?? null,
  mapping: (fleet.mapping as Mapping | null | undefined) ?? null,
  credentials,
});

/** Whether we read the provider of a fleet, instead of only getting what it sends. */
export const isPolled = (fleet: Pick<TelematicsFleet, 'provider'>, credentials: Credentials): boolean =>
  !PROVIDERS[fleet.provider].pushes || Object.values(credentials).some(Boolean);

/**
 * Writes the fields of an input into a fleet; absent fields stay.
 * @param credentials those that the fleet will have
 * @throws Invalid with every problem
 */
export function applyFleet(em: EntityManager, fleet: TelematicsFleet, input: UpdateTelematicsFleetInput, credentials: Credentials): void {
  const items: ErrorItem[] = [];
  const report = (field: string, key: string, params?: ErrorItem['params']) => items.push({ model, field, key, params });
  const { seconds, requires, either, server: usual } = PROVIDERS[fleet.provider];
  if (input.name === null) report('name', 'required');
  else if (input.name !== undefined) fleet.name = input.name.trim();
  if (fleet.name === '') report('name', 'required');
  if (input.providerSource !== undefined) fleet.providerSource = input.providerSource ?? defaultSource(fleet);
  if (input.externalRemoteFleetId !== undefined) fleet.externalRemoteFleetId = input.externalRemoteFleetId;
  if (input.server !== undefined) fleet.server = input.server?.trim() || null;
  if (input.account !== undefined) fleet.account = input.account?.trim() || null;
  if (input.mapping !== undefined) fleet.mapping = input.mapping && { ...input.mapping };
  if (input.pollSeconds !== undefined) fleet.pollSeconds = input.pollSeconds ?? seconds.usual;
  if (fleet.pollSeconds < seconds.least) report('pollSeconds', 'polls_too_often', { least: seconds.least });
  if (fleet.mapping && !requires.includes('mapping')) report('mapping', 'only_of_provider', { provider: 'http_json' });
  if (!fleet.server && !usual) report('server', 'required');
  if (fleet.server && !isAddress(fleet.server, telematicsSettings.of(em).privateHosts)) report('server', 'not_an_address');
  if (isPolled(fleet, credentials))
    for (const field of requires) {
      const value = field === 'account' || field === 'mapping' ? fleet[field] : credentials[field];
      if (!value) report(field === 'account' || field === 'mapping' ? field : `credentials.${field}`, 'required');
    }
  if (either && !either.some((names) => names.every((name) => credentials[name]))) report(`credentials.${either[0]![0]}`, 'required');
  if (items.length > 0) throw new Invalid(items);
}

/** ISO 15143-3 is the interface of machines, among them those of moving sites (PROOF A7). */
export const defaultSource = ({ provider }: Pick<TelematicsFleet, 'provider'>): TelematicsFleet['providerSource'] =>
  provider === 'iso_15143' ? 'paver_tracker' : 'axle';

/** Milliseconds that the proof of a connection may take, with all its requests. */
const MOST_PROOF = 60_000;

/**
 * Reads the provider once, so that nothing is kept that does not work. No transaction may be open.
 * @throws Invalid with what the provider answers
 */
export async function proveConnection(em: EntityManager, fleet: TelematicsFleet, credentials: Credentials): Promise<void> {
  if (!isPolled(fleet, credentials)) return;
  try {
    await PROVIDERS[fleet.provider].read(connectionTo(fleet, credentials), null, callFor(em, {}, AbortSignal.timeout(MOST_PROOF)));
  } catch (error) {
    throw new Invalid([{ model, field: 'credentials', key: 'provider_refuses', params: { reason: reasonOf(error) } }]);
  }
}
