import { allow, companyOf, find } from '../../platform/authz/authorization.ts';
import type { AuditRecord } from '../../platform/commands/records.ts';
import { afterCommit, emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { worldTime } from '../../platform/database/time/sandbox-time.ts';
import { Invalid } from '../../platform/errors.ts';
import type { Credentials } from '../../platform/http/remote.ts';
import { applyFleet, defaultSource, isPolled, proveConnection } from './check-fleet.ts';
import type { ConnectTelematicsFleetInput, UpdateTelematicsFleetInput } from './fleet.inputs.ts';
import { credentialsOf, keepCredentials, renewPushPassword } from './fleet-secrets.ts';
import { PROVIDERS } from './providers/providers.ts';
import { forgetSessions } from './settings.ts';
import { MANAGES_FLEETS, TelematicsFleet } from './telematics-fleet.entity.ts';

/** A fleet, and the password that its provider sends positions with, when it was just made. */
export interface Connected {
  id: string;
  pushPassword?: string;
}

/**
 * Connects a company's account at a provider. The provider is read once before anything is kept.
 * @throws Missing, Denied, Invalid with every problem, or with what the provider answers
 */
export async function connectFleet(ctx: Context, input: ConnectTelematicsFleetInput, companyId?: string | null): Promise<Connected> {
  const owner = companyOf(ctx, companyId);
  allow(ctx, MANAGES_FLEETS);
  const credentials = given(input.credentials);
  const make = () => {
    const fleet = new TelematicsFleet();
    const { seconds } = PROVIDERS[input.provider];
    Object.assign(fleet, { companyId: owner, provider: input.provider, providerSource: defaultSource(input), pollSeconds: seconds.usual });
    applyFleet(ctx.em, fleet, input, credentials);
    return fleet;
  };
  await proveConnection(ctx.em, make(), credentials);
  return transact(ctx, async (tx) => {
    const fleet = make();
    if (isPolled(fleet, credentials)) {
      fleet.lastAskedAt = worldTime(tx.tx);
      fleet.nextPollAt = nextTurn(tx, fleet);
    }
    tx.em.persist(fleet);
    await tx.em.flush();
    await keepCredentials(tx, fleet.id, credentials);
    emitEvent(tx, 'telematics_fleet.connected', fleet);
    return { id: fleet.id, ...(PROVIDERS[fleet.provider].pushes ? { pushPassword: await renewPushPassword(tx, fleet.id) } : {}) };
  });
}

/**
 * Changes a fleet; absent fields stay. A change of where or as whom the provider is read is proven before it is kept, and begins anew.
 * @throws Missing, Denied, Invalid
 */
export async function updateFleet(ctx: Context, path: RecordPath, input: UpdateTelematicsFleetInput): Promise<void> {
  const before = await find(ctx, TelematicsFleet, path.id, { companyId: path.companyId });
  allow(ctx, MANAGES_FLEETS);
  const stored = await credentialsOf(ctx, before.id);
  const credentials = input.credentials ? given(input.credentials) : input.credentials === null ? {} : stored;
  const wanted = Object.assign(new TelematicsFleet(), settingsOf(before));
  applyFleet(ctx.em, wanted, input, credentials);
  const elsewhere = wanted.server !== before.server || wanted.account !== before.account;
  const anew = elsewhere || input.credentials !== undefined || input.mapping !== undefined;
  // Stored credentials must not be sent to a server that whoever changes it has chosen.
  if (elsewhere && input.credentials === undefined && Object.values(stored).some(Boolean))
    throw new Invalid([{ model: 'TelematicsFleet', field: 'credentials', key: 'required_with_server' }]);
  if (anew) await proveConnection(ctx.em, wanted, credentials);
  await transact(ctx, async (tx) => {
    const fleet = await lockFleet(tx, path);
    // Somebody else changed it while the provider was read: what was proven is not what would be kept.
    if (fleet.revision !== before.revision) throw new Invalid([{ model: 'TelematicsFleet', field: 'credentials', key: 'stale_version' }]);
    applyFleet(tx.em, fleet, input, credentials);
    if (anew) {
      fleet.revision += 1;
      Object.assign(fleet, { cursor: null, vehiclesListedAt: null });
      if (isPolled(fleet, credentials)) fleet.lastAskedAt = worldTime(tx.tx);
      if (fleet.state !== 'paused') beginPolls(tx, fleet, credentials);
      await keepCredentials(tx, fleet.id, credentials);
      afterCommit(tx, () => forgetSessions(ctx.em, fleet.id));
    }
    emitEvent(tx, 'telematics_fleet.updated', fleet);
  });
}

/** Stops reading a provider, and refuses what it sends, until somebody resumes the fleet. @throws Missing, Denied */
export function pauseFleet(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const fleet = await lockFleet(tx, path);
    if (fleet.state === 'paused') return;
    Object.assign(fleet, { state: 'paused', nextPollAt: null, failingSince: null, notifiedAt: null });
    emitEvent(tx, 'telematics_fleet.paused', fleet);
  });
}

/** Goes on with a paused fleet where it stopped, or tries a failing one as soon as its provider lets us. @throws Missing, Denied */
export function resumeFleet(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const fleet = await lockFleet(tx, path);
    const paused = fleet.state === 'paused';
    beginPolls(tx, fleet, await credentialsOf(tx, fleet.id), paused ? 'connected' : fleet.state);
    if (paused) emitEvent(tx, 'telematics_fleet.resumed', fleet);
  });
}

/** Makes another password for what the provider sends; the old one ends. @throws Missing, Denied, Invalid for providers that send nothing */
export function renewFleetPushPassword(ctx: Context, path: RecordPath): Promise<Connected> {
  return transact(ctx, async (tx) => {
    const fleet = await lockFleet(tx, path);
    if (!PROVIDERS[fleet.provider].pushes)
      throw new Invalid([{ model: 'TelematicsFleet', field: 'provider', key: 'only_of_provider', params: { provider: 'verizon_reveal' } }]);
    emitEvent(tx, 'telematics_fleet.updated', fleet);
    // The password is kept apart from the fleet, so that the audit log would not contain that somebody made another one.
    const changes: AuditRecord['changes'] = { push_password: [null, 'renewed'] };
    tx.tx.audits.push({ event: 'update', type: 'TelematicsFleet', id: fleet.id, companyId: fleet.companyId, changes });
    return { id: fleet.id, pushPassword: await renewPushPassword(tx, fleet.id) };
  });
}

/** Removes a fleet with its vehicles and credentials. Positions stay. @throws Missing, Denied */
export function disconnectFleet(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const fleet = await lockFleet(tx, path);
    emitEvent(tx, 'telematics_fleet.disconnected', fleet);
    tx.em.remove(fleet);
    afterCommit(tx, () => forgetSessions(ctx.em, fleet.id));
  });
}

async function lockFleet(tx: TxContext, { id, companyId }: RecordPath): Promise<TelematicsFleet> {
  const fleet = await find(tx, TelematicsFleet, id, { companyId, lock: true });
  allow(tx, MANAGES_FLEETS);
  return fleet;
}

function beginPolls(tx: TxContext, fleet: TelematicsFleet, credentials: Credentials, state: TelematicsFleet['state'] = 'connected'): void {
  fleet.state = state;
  if (state === 'connected') Object.assign(fleet, { lastError: null, failingSince: null, notifiedAt: null, attempts: 0 });
  fleet.nextPollAt = isPolled(fleet, credentials) ? nextTurn(tx, fleet) : null;
}

/** When a provider may be asked again: at once, unless it was asked less than its shortest time ago. */
function nextTurn(tx: TxContext, { provider, lastAskedAt }: TelematicsFleet): Date {
  const [now, asked] = [worldTime(tx.tx), lastAskedAt?.getTime()];
  return new Date(asked === undefined ? now : Math.max(now.getTime(), asked + PROVIDERS[provider].seconds.least * 1_000));
}

const settingsOf = (fleet: TelematicsFleet) => {
  const { companyId, name, provider, providerSource, externalRemoteFleetId, server, account, mapping, pollSeconds } = fleet;
  return { companyId, name, provider, providerSource, externalRemoteFleetId, server, account, mapping, pollSeconds };
};

/** Without what is empty: a field that a form left out is no credential. */
const given = (credentials: Credentials | null | undefined): Credentials =>
  Object.fromEntries(Object.entries(credentials ?? {}).filter(([, value]) => value));
