import { ref } from '@mikro-orm/core';
import { Site } from '../../directory/sites/site.entity.ts';
import { allow, find, findKept } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { type ErrorCollector, Invalid, Missing } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { mayEditOrder } from '../access/order.policy.ts';
import { collectUnusable } from '../fields/field-table.ts';
import { DefaultSite } from '../model/default-site.entity.ts';
import { Order } from '../model/order.entity.ts';
import { Project } from '../model/project.entity.ts';
import type { WaypointType } from '../model/states.ts';

/** The owner of default sites: an order or a project. */
export interface DefaultSitesOf {
  owner: 'order' | 'project';
  id: string;
  /** Of a company-scoped path. */
  companyId?: string | null;
  waypointType: WaypointType;
}

/** Makes a site a default for a kind of stop, if it is not one already. @throws Missing, Denied, Invalid for an unusable site */
export function addDefaultSite(ctx: Context, of: DefaultSitesOf, siteId: string): Promise<Site> {
  return transact(ctx, async (tx) => {
    const owner = await changeable(tx, of);
    const site = await find(tx, Site, siteId, { companyId: owner.company.id, shared: true });
    const to: ErrorCollector = { model: 'Site', items: [] };
    collectUnusable(site, 'siteId', to);
    if (to.items.length > 0) throw new Invalid(to.items);
    if (!(await known(tx, of, owner.id, site.id))) {
      const { waypointType } = of;
      const made = Object.assign(new DefaultSite(), {
        companyId: owner.company.id,
        waypointType,
        site: ref(site),
        [`${of.owner}Id`]: owner.id,
      });
      tx.em.persist(made);
      emitEvent(tx, `${of.owner}.updated`, owner);
    }
    return site;
  });
}

/** Removes a site from the defaults. @throws Missing, also if it is no default, Denied */
export function removeDefaultSite(ctx: Context, of: DefaultSitesOf, siteId: string): Promise<void> {
  return transact(ctx, async (tx) => {
    const owner = await changeable(tx, of);
    // An id that is no uuid names no site.
    const found = isUuid(siteId) ? await known(tx, of, owner.id, siteId) : null;
    if (!found) throw new Missing();
    tx.em.remove(found);
    emitEvent(tx, `${of.owner}.updated`, owner);
  });
}

/** Returns the order or project, if the caller may see it. @throws Missing */
export async function ownerOf(ctx: Context, { owner, id, companyId }: DefaultSitesOf, lock = false): Promise<Order | Project> {
  if (owner === 'order') return find(ctx, Order, id, { companyId, lock });
  const project = await findKept(ctx, Project, id, { companyId, lock });
  return project;
}

/** Returns it locked, so that two requests which add the same site wait for each other. */
async function changeable(tx: TxContext, of: DefaultSitesOf): Promise<Order | Project> {
  const owner = await ownerOf(tx, of, true);
  if (owner instanceof Order) mayEditOrder(tx, owner);
  else allow(tx, 'edit_project');
  return owner;
}

const known = (tx: TxContext, { owner, waypointType }: DefaultSitesOf, ownerId: string, siteId: string): Promise<DefaultSite | null> =>
  tx.em.findOne(DefaultSite, { [`${owner}Id`]: ownerId, waypointType, site: siteId }, { filters: { tenant: false } });
