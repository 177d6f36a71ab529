import { ref } from '@mikro-orm/core';
import { User } from '../../directory/people/user.entity.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { allow, find, viewerOf } from '../../platform/authz/authorization.ts';
import { resolveReference } from '../../platform/authz/references.ts';
import { afterCommit, emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Denied, Invalid, Missing } from '../../platform/errors.ts';
import type { Where } from '../../platform/read/reader.ts';

import { mayActAs } from './may-give.ts';
import { ResourceScope } from './resource-scope.entity.ts';
import type { CreateResourceScopeInput } from './resource-scope.inputs.ts';
import { forgetViewers } from './viewer.ts';

export const resourceScopeUserSiteKey = defineUnique('resource_scope_user_site_key', { model: 'ResourceScope', field: 'resourceId' });

/**
 * Limits a person to one more site of their company; it counts at once. @throws Missing, Denied, Invalid for a site of another company, a
 * discarded one or one they have
 */
export function createResourceScope(ctx: Context, of: RecordPath, input: CreateResourceScopeInput): Promise<ResourceScope> {
  return transact(ctx, async (tx) => {
    const user = await find(tx, User, of.id, { companyId: of.companyId, lock: true });
    if (user.discardedAt) throw new Missing();
    mayLimit(tx, 'create_resource_scope');
    await mayActAs(tx, user);
    const site = await resolveReference(tx, Site, input, 'resourceId', { model: 'ResourceScope', companyId: user.company.id });
    // Somebody who is limited to a site that is gone would see nothing.
    if (site?.discardedAt) throw new Invalid([{ model: 'ResourceScope', field: 'resourceId', key: 'must_exist' }]);
    const scope = Object.assign(new ResourceScope(), { company: user.company, user: ref(user), site: ref(site!) });
    tx.em.persist(scope);
    emitEvent(tx, 'resource_scope.created', scope, { user_id: user.id, site_id: site!.id });
    afterCommit(tx, () => forgetViewers(tx.em));
    return scope;
  });
}

/** Removes a site from a person's limits; without the last one they see everything. @throws Missing, Denied */
export function deleteResourceScope(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const scope = await find(tx, ResourceScope, path.id, { companyId: path.companyId, lock: true });
    mayLimit(tx, 'delete_resource_scope');
    await mayActAs(tx, await tx.em.findOneOrFail(User, scope.user.id));
    emitEvent(tx, 'resource_scope.deleted', scope, { user_id: scope.user.id, site_id: scope.site.id });
    tx.em.remove(scope);
    afterCommit(tx, () => forgetViewers(tx.em));
  });
}

/** The company and the condition of a list of one person's limits. @throws Missing */
export async function scopesOf(ctx: Context, of: RecordPath): Promise<{ companyId: string; where: Where[] }> {
  const user = await find(ctx, User, of.id, { companyId: of.companyId });
  return { companyId: user.company.id, where: [{ key: 'ofUser', sql: (t, p) => `${t}.user_id = ${p}`, cast: 'uuid', value: user.id }] };
}

/** A new person gets the limits of the person who adds them, so that nobody gets around their limits by adding somebody. */
export function passLimitsOn(tx: TxContext, user: User): void {
  for (const id of viewerOf(tx).siteIds ?? [])
    tx.em.persist(Object.assign(new ResourceScope(), { company: user.company, user: ref(user), site: ref(Site, id) }));
}

/** A caller who is limited may not remove limits, least of all their own. */
function mayLimit(tx: TxContext, permission: 'create_resource_scope' | 'delete_resource_scope'): void {
  if (allow(tx, permission).siteIds) throw new Denied(permission, 'permission_beyond_sites');
}
