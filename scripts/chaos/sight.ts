import { randomUUID } from 'node:crypto';
import { ref } from '@mikro-orm/core';
import type { MikroORM } from '@mikro-orm/postgresql';
import { Company } from '../../src/directory/companies/company.entity.ts';
import { User } from '../../src/directory/people/user.entity.ts';
import { Site } from '../../src/directory/sites/site.entity.ts';
import { ResourceScope } from '../../src/identity/access/resource-scope.entity.ts';
import { Credential } from '../../src/identity/passwords/credential.entity.ts';
import { hashPassword } from '../../src/identity/passwords/passwords.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Caller, Person } from './copy.ts';
import { TICKETED_DAY } from './payloads.ts';
import type { Tenant } from './world.ts';

/** The records that come into sight of others, and go out of it. */
export interface Seen {
  /** The owner's account of the vendor. */
  vendorId: string;
  accountId: string;
  serviceId: string;
  /** That to which a person is limited, and another one. */
  here: string;
  elsewhere: string;
  /** The person who is limited to the site. */
  limited: Person;
}

const PASSWORD = 'gravel and sand and stones';

/** Makes two companies partners in work, and somebody of the first one who sees the work at one site only. */
export async function makeSeen(orm: MikroORM, caller: Caller, [owner, vendor]: [Tenant, Tenant]): Promise<Seen> {
  const path = `/v1/companies/${owner.companyId}`;
  const make = async (at: string, body: object): Promise<string> => {
    const answer = await caller.call('POST', `${path}${at}`, body, randomUUID());
    if (typeof answer === 'number') throw new Error(`${at} is answered with ${answer}`);
    return JSON.parse(answer).data.id;
  };
  const em = orm.em.fork();
  const [{ platformId } = { platformId: '' }] = await em
    .getConnection()
    .execute<{ platformId: string }[]>('select platform_id as "platformId" from company where id = ?', [vendor.companyId]);
  const [given] = await em
    .getConnection()
    .execute<Pick<Seen, 'accountId' | 'serviceId'>[]>(
      'select a.id as "accountId", s.id as "serviceId" from account a join service s using (company_id) where a.company_id = ?',
      [owner.companyId],
    );
  const siteOf = (name: string, lon: string) => make('/sites', { name, lat: '30.2', lon });
  const seen = {
    vendorId: await make('/accounts/connected', { platform_id: platformId, account_types: ['vendor'] }),
    ...given!,
    here: await siteOf('Here', '-97.7'),
    elsewhere: await siteOf('Elsewhere', '-97.9'),
    limited: { email: `limited-${newId()}@example.com`, password: PASSWORD },
  };
  const company = ref(Company, owner.companyId);
  const user = Object.assign(new User(), { company, firstName: 'Lee', lastName: 'Here', email: seen.limited.email, roles: ['dispatcher'] });
  // Passwords name people by their ids alone.
  await em.persist(user).flush();
  em.persist(Object.assign(new Credential(), { userId: user.id, passwordHash: await hashPassword(PASSWORD) }));
  em.persist(Object.assign(new ResourceScope(), { company, user: ref(user), site: ref(Site, seen.here) }));
  await em.flush();
  return seen;
}

/** Passes work on and takes it back, shares a site and ends the share, and moves work to a site and away from it, until enough is written. */
export async function passAround(
  caller: Caller,
  [owner, vendor]: [Tenant, Tenant],
  { vendorId, accountId, serviceId, here, elsewhere }: Seen,
  total: number,
  progress: { writes: number },
): Promise<void> {
  const path = (rest: string) => `/v1/companies/${owner.companyId}${rest}`;
  const done = async (method: string, at: string, body?: object) => {
    const text = await caller.call(method, at, body, randomUUID());
    progress.writes++;
    // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever it is
    return typeof text === 'string' && text !== '' ? (JSON.parse(text).data as any) : undefined;
  };
  const stops = (site: string) => [0, 1].map((ordinality) => ({ type: ordinality ? 'drop_off' : 'pickup', site_id: site, ordinality }));
  while (progress.writes < total) {
    const order = await done('POST', path('/orders'), {
      ...{ load_at: `${TICKETED_DAY}T12:00:00.000Z`, truck_count: 2, truck_delay: 0, account_id: accountId, service_id: serviceId },
      waypoints: stops(elsewhere),
    });
    if (!order) continue;
    await done('PUT', path(`/orders/${order.id}/accept`));
    const jobs: { id: string }[] = (await done('GET', path(`/orders/${order.id}/jobs`))) ?? [];
    for (const { id } of jobs) await done('PUT', path(`/jobs/${id}/assign_vendor`), { vendor_id: vendorId });
    const share = await done('POST', path('/company_shares'), {
      ...{ receiver_company_id: vendor.companyId, company_shareable_type: 'Site', company_shareable_id: here },
    });
    await done('PATCH', path(`/orders/${order.id}`), { waypoints: stops(here), notes: 'here' });
    // Every other one stays with the vendor.
    for (const { id } of jobs.slice(1)) await done('PUT', path(`/jobs/${id}/unassign`));
    await done('PATCH', path(`/sites/${here}`), { name: `Here ${progress.writes}` });
    if (share) await done('DELETE', path(`/company_shares/${share.id}`));
    await done('PATCH', path(`/orders/${order.id}`), { waypoints: stops(progress.writes % 3 ? elsewhere : here), notes: 'moved' });
  }
}
