import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { grantsOf } from '../../../src/identity/access/matrix.ts';
import { PERMISSIONS, permissionNames, ROLES } from '../../../src/identity/access/permissions.ts';
import { forgetViewers, viewerFromToken } from '../../../src/identity/access/viewer.ts';
import { identitySettings, identitySettingsWith } from '../../../src/identity/settings.ts';
import { applicationOf } from '../../../src/platform/application.ts';
import { sessionToken } from '../../helpers/session.ts';
import { addCompany, addUser, openTown, type Town } from '../town.ts';

let town: Town;
beforeAll(async () => {
  town = await openTown();
});
afterAll(() => town.close());

const tokens = new Map<string, Promise<string>>();
/** Always with the same token, because viewers are cached by session. */
const viewerOf = async (user: User) => {
  const token = tokens.get(user.id) ?? sessionToken(town.orm, user);
  tokens.set(user.id, token);
  return viewerFromToken(town.orm.em.fork(), await token);
};
const all = { filters: { tenant: false } } as const;

test('a person of a parent company acts in all its descendants, their own company first', async () => {
  const parent = await addCompany(town);
  const child = await addCompany(town, { parent });
  const grandchild = await addCompany(town, { parent: child });
  await addCompany(town);
  const viewer = await viewerOf(await addUser(town, parent));
  expect(viewer.companyIds[0]).toBe(parent.id);
  expect(new Set(viewer.companyIds)).toEqual(new Set([parent.id, child.id, grandchild.id]));
  expect((await viewerOf(await addUser(town, child))).companyIds).toEqual([child.id, grandchild.id]);
  expect([viewer.type, viewer.name, viewer.companyId, viewer.roles, viewer.receivesWork]).toEqual([
    'User',
    'Ada Gravel',
    parent.id,
    ['dispatcher'],
    false,
  ]);
});

test('a circle of parents, however it arose, ends', async () => {
  const a = await addCompany(town);
  const b = await addCompany(town, { parent: a });
  // The database refuses one; a restored dump may still bring one along.
  const run = (sql: string) => town.orm.em.getConnection().execute(sql);
  await run('alter table company disable trigger company_circle_check');
  await town.orm.em.fork().nativeUpdate(Company, { id: a.id }, { parentCompany: b.id } as never, all);
  await run('alter table company enable trigger company_circle_check');
  expect(new Set((await viewerOf(await addUser(town, a))).companyIds)).toEqual(new Set([a.id, b.id]));
});

test('only a company that others have as a connected vendor receives work', async () => {
  const [customer, vendor] = [await addCompany(town), await addCompany(town)];
  const em = town.orm.em.fork();
  em.persist(
    em.create(Account, {
      company: em.getReference(Company, customer.id),
      name: 'V',
      accountTypes: ['vendor'],
      connectedCompany: em.getReference(Company, vendor.id),
    } as never),
  );
  await em.flush();
  expect((await viewerOf(await addUser(town, vendor))).receivesWork).toBe(true);
  expect((await viewerOf(await addUser(town, customer))).receivesWork).toBe(false);
});

test('work that is passed on within a family makes only that company a receiver, not the family', async () => {
  const parent = await addCompany(town);
  const [child, other] = [await addCompany(town, { parent }), await addCompany(town, { parent })];
  const em = town.orm.em.fork();
  const [company, connectedCompany] = [em.getReference(Company, parent.id), em.getReference(Company, child.id)];
  em.persist(em.create(Account, { company, connectedCompany, name: 'V', accountTypes: ['vendor'] } as never));
  await em.flush();
  const reported = async (of: Company) => {
    const { receivesWork, receiversInFamily } = await viewerOf(await addUser(town, of));
    return [receivesWork, receiversInFamily];
  };
  expect(await reported(parent)).toEqual([false, [child.id]]);
  expect(await reported(child)).toEqual([true, []]);
  expect(await reported(other)).toEqual([false, []]);
});

test('a discarded person, or one of a discarded company, is no viewer', async () => {
  const company = await addCompany(town);
  await expect(viewerOf(await addUser(town, company, { discardedAt: new Date() }))).rejects.toMatchObject({ errorType: 'invalid_token' });
  const closed = await addCompany(town, { discardedAt: new Date() });
  await expect(viewerOf(await addUser(town, closed))).rejects.toMatchObject({ errorType: 'invalid_token' });
});

test('a viewer is cached for a moment, and dropped on request', async () => {
  const user = await addUser(town, await addCompany(town), { roles: ['driver'] });
  const before = await viewerOf(user);
  await town.orm.em.fork().nativeUpdate(User, { id: user.id }, { roles: ['company_admin'] }, all);
  expect([before.can('edit_order'), (await viewerOf(user)).can('edit_order')]).toEqual([false, false]);
  forgetViewers(town.own.em);
  expect((await viewerOf(user)).can('edit_order')).toBe(true);
  applicationOf(town.own.em).provide(identitySettings, identitySettingsWith({ issuer: 'haulgate', viewerCacheMs: 0 }));
  await town.orm.em.fork().nativeUpdate(User, { id: user.id }, { roles: [] }, all);
  forgetViewers(town.own.em);
  expect((await viewerOf(user)).can('edit_order')).toBe(false);
  applicationOf(town.own.em).provide(identitySettings, identitySettingsWith({ issuer: 'haulgate' }));
});

test('a platform administrator sees every company', async () => {
  const admin = await viewerOf(await addUser(town, await addCompany(town), { roles: ['platform_admin'] }));
  expect(admin.companyIds).toHaveLength(await town.orm.em.fork().count(Company, { discardedAt: null }, all));
  expect(PERMISSIONS.every((name) => admin.can(name))).toBe(true);
});

test('the roles grant the permissions of the matrix', () => {
  const can = (role: string, ...names: string[]) => names.map((name) => grantsOf([role]).has(name as never));
  expect(can('company_admin', 'edit_order', 'view_customer_rates', 'impersonate')).toEqual([true, true, false]);
  expect(can('dispatcher', 'edit_order', 'cancel_job', 'delete_job', 'view_customer_rates', 'edit_invoice', 'delete_project')).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(can('biller', 'edit_invoice', 'view_driver_rates', 'assign_job', 'delete_ticket')).toEqual([true, true, false, true]);
  expect(can('foreman', 'create_order', 'edit_order', 'edit_order_pre_accept', 'edit_order_pre_accept:own', 'view_vendor_rates')).toEqual([
    true,
    false,
    false,
    true,
    false,
  ]);
  expect(can('driver', 'edit_job', 'view_customer_rates', 'view_driver_rates', 'view_driver_rates:own')).toEqual([
    false,
    false,
    false,
    true,
  ]);
  expect(can('it_admin', 'create_user', 'manage_webhooks', 'edit_order')).toEqual([true, true, false]);
  expect(grantsOf(['nobody']).size).toBe(0);
});

test('every permission is granted to some role, every role grants some, and no name appears twice', () => {
  expect(new Set(PERMISSIONS).size).toBe(PERMISSIONS.length);
  for (const role of ROLES) expect(permissionNames(grantsOf([role])).length).toBeGreaterThan(0);
  expect(permissionNames(grantsOf(['driver', 'company_admin'])).filter((n) => n === 'edit_user')).toEqual(['edit_user']);
});
