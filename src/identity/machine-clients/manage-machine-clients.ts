import { Company } from '../../directory/companies/company.entity.ts';
import { allow, companyOf, find, viewerOf } from '../../platform/authz/authorization.ts';
import { afterCommit, emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Conflict, Denied, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { isPermission, type Permission } from '../access/permissions.ts';
import { forgetViewers } from '../access/viewer.ts';
import { identitySettings } from '../settings.ts';
import { M2MClient } from './machine-client.entity.ts';
import type { CreateM2MClientInput, UpdateM2MClientInput } from './machine-client.inputs.ts';
import { makeMachineClient } from './machine-clients.ts';

export const machineClientExternalKey = defineUnique('machine_client_external_key', { model: 'M2MClient', field: 'externalClientId' });

/**
 * Makes a machine client of a company, with permissions that the caller has.
 * @returns the client and its secret, which is shown only here
 * @throws Denied, Missing, Invalid with every wrong field
 */
export async function createMachineClient(
  ctx: Context,
  input: CreateM2MClientInput & { companyId?: string | null },
): Promise<{ client: M2MClient; clientSecret?: string }> {
  const companyId = companyOf(ctx, input.companyId);
  // Clients have no limits to sites, so a caller with limits may not make one.
  if (allow(ctx, 'manage_machine_clients').siteIds) throw new Denied('manage_machine_clients', 'permission_beyond_sites');
  let secret: string | undefined;
  const client = await transact(ctx, async (tx) => {
    const items: ErrorItem[] = [];
    const permissions = readScopes(tx, input.scopes, [], items);
    const made = makeMachineClient(tx.em, await find(tx, Company, companyId), { name: input.name, permissions });
    applyFields(tx, made.client, input, items);
    if (items.length > 0) throw new Invalid(items);
    emitEvent(tx, 'm2m_client.created', made.client);
    secret = made.clientSecret;
    return made.client;
  });
  return { client, clientSecret: secret };
}

/** Changes a client; absent fields are kept. Its tokens lose what the client loses. @throws Missing, Denied, Conflict, Invalid */
export function updateMachineClient(ctx: Context, path: RecordPath, input: UpdateM2MClientInput): Promise<M2MClient> {
  return transact(ctx, async (tx) => {
    const client = await lockClient(tx, path);
    const items: ErrorItem[] = [];
    if (input.scopes !== undefined) client.scopes = readScopes(tx, input.scopes, client.scopes, items);
    // A caller who says which client of the provider it is may be that client.
    if (input.externalClientId && input.externalClientId !== client.externalClientId) mustHold(tx, client);
    applyFields(tx, client, input, items);
    if (items.length > 0) throw new Invalid(items);
    emitEvent(tx, 'm2m_client.updated', client);
    afterCommit(tx, () => forgetViewers(tx.em));
    return client;
  });
}

/** Ends a client: it gets no more tokens, and those it has are refused (at once here, within `viewerCacheMs` in other processes). */
export function revokeMachineClient(ctx: Context, path: RecordPath): Promise<M2MClient> {
  return transact(ctx, async (tx) => {
    const client = await lockClient(tx, path, { revoked: true });
    if (client.discardedAt) return client;
    client.discardedAt = tx.tx.now;
    emitEvent(tx, 'm2m_client.revoked', client);
    afterCommit(tx, () => forgetViewers(tx.em));
    return client;
  });
}

/** The locked client of a path, for a caller who may manage clients. @throws Missing, Denied, Conflict for a revoked one */
export async function lockClient(tx: TxContext, { id, companyId }: RecordPath, may: { revoked?: boolean } = {}): Promise<M2MClient> {
  const client = await find(tx, M2MClient, id, { companyId, lock: true });
  if (allow(tx, 'manage_machine_clients').siteIds) throw new Denied('manage_machine_clients', 'permission_beyond_sites');
  if (client.discardedAt && !may.revoked) throw new Conflict([{ model: 'M2MClient', field: '', key: 'client_is_revoked' }]);
  return client;
}

/** Passes when the caller may do all that the client may: who can be it can do that. @throws Denied on the first permission they lack */
export function mustHold(ctx: Context, client: M2MClient): void {
  const lacking = client.scopes.find((scope) => !viewerOf(ctx).can(scope));
  if (lacking) throw new Denied(lacking);
}

/** Permissions by name: known ones that the caller has or the client had before. */
function readScopes(ctx: Context, given: readonly string[] | null, before: readonly Permission[], items: ErrorItem[]): Permission[] {
  const viewer = viewerOf(ctx);
  const problem = (field: string, key: string) => items.push({ model: 'M2MClient', field, key });
  if (!given?.length) problem('scopes', 'at_least_one_scope');
  for (const [i, name] of (given ?? []).entries()) {
    if (!isPermission(name)) problem(`scopes.${i}`, 'unknown_permission');
    else if (!viewer.can(name) && !before.includes(name)) problem(`scopes.${i}`, 'permission_you_lack');
  }
  return [...new Set(given ?? [])].filter(isPermission);
}

function applyFields({ em }: Context, client: M2MClient, input: CreateM2MClientInput | UpdateM2MClientInput, items: ErrorItem[]): void {
  const { audience, serviceAudiences, machineSeconds, externalIssuer } = identitySettings.of(em);
  const problem = (field: string, key: string, params?: ErrorItem['params']) => items.push({ model: 'M2MClient', field, key, params });
  if (input.name !== undefined) {
    if (input.name === null || input.name.trim() === '') problem('name', 'required');
    else client.name = input.name.trim();
  }
  if (input.audiences !== undefined) {
    const known = [audience, ...serviceAudiences];
    for (const [i, name] of (input.audiences ?? []).entries()) if (!known.includes(name)) problem(`audiences.${i}`, 'unknown_audience');
    client.namedAudiences = [...new Set(input.audiences ?? [])];
  }
  if (input.tokenSeconds !== undefined) {
    if ((input.tokenSeconds ?? 0) > machineSeconds) problem('tokenSeconds', 'longer_than_installation', { max: machineSeconds });
    client.ownTokenSeconds = input.tokenSeconds;
  }
  if (input.externalClientId !== undefined) {
    if (input.externalClientId !== null && !externalIssuer) problem('externalClientId', 'no_external_issuer');
    client.externalClientId = input.externalClientId;
  }
}
