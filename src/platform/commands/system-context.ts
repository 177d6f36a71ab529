import { FlushMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Context } from '../context.ts';
import { asCompanies } from '../database/scope.ts';
import { setTenant } from '../database/tenant.ts';
import { newId } from '../ids.ts';
import { SYSTEM } from './records.ts';
import { type TxContext, transact } from './transact.ts';

/** Returns a context in which the system itself runs commands for a company, in the background. Call it inside `asCompanies`. */
export function systemContext(root: EntityManager, companyId: string): Context {
  const em = root.fork({ clear: true, flushMode: FlushMode.COMMIT });
  const viewer = { ...SYSTEM, type: 'System', companyId, companyIds: [companyId], receivesWork: true, roles: [], can: () => true } as const;
  setTenant(em, viewer);
  return { requestId: newId(), language: 'en', viewer, em, memo: new Map() } as Partial<Context> as Context;
}

/** The context of background work for people of all companies, as a purpose. */
export const anyCompanyContext = (em: EntityManager): Context =>
  ({ requestId: newId(), language: 'en', em: em.fork({ clear: true }), memo: new Map() }) as Partial<Context> as Context;

/** Runs a command of the system itself in a company. */
export const asSystem = <T>(em: EntityManager, companyId: string, work: (tx: TxContext) => Promise<T>): Promise<T> =>
  asCompanies([companyId], () => transact(systemContext(em, companyId), work));
