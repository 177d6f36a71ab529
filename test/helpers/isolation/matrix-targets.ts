import { randomUUID } from 'node:crypto';
import type { Tenant } from '../tenant.ts';
import type { Ids } from '../walk.ts';
import type { Target } from './matrix.ts';

/** Returns ids that name nothing. @param tenant the company of the caller, if the request is sent */
export function absentTarget(tenant?: Tenant): Target {
  const made = new Map<string | symbol, string>();
  const ids = new Proxy({} as Ids, {
    get: (_, name) =>
      (name === 'platform' || name === 'partner' ? 'FFFFFF' : undefined) ?? made.get(name) ?? made.set(name, randomUUID()).get(name),
    ownKeys: () => [],
  });
  const one = () => ({ id: randomUUID() });
  const bare = {
    company: { ...one(), platformId: 'FFFFFF' },
    account: one(),
    vendor: one(),
    service: one(),
    pickup: one(),
    dropoff: one(),
    driver: one(),
    material: one(),
  };
  return { ids, tenant: { ...tenant, ...bare } as Tenant };
}
