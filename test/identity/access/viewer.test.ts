import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { grantsOf } from '../../../src/identity/access/matrix.ts';
import { PERMISSIONS, permissionNames, ROLES } from '../../../src/identity/access/permissions.ts';
import { forgetViewers, viewerFromToken } from '../../../src/identity/access/viewer.ts';
import { identitySettings } from '../../../src/identity/settings.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Person, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const makeChild = (parent: Tenant) => makeTenant(app, { company: { parentCompany: ref(parent.company) } });
const makeDispatcher = (of: Tenant) => of.person({ roles: ['dispatcher'] });
const viewerOf = ({ token }: Person) => viewerFromToken(app.orm.em.fork(), token);
const all = { filters: { tenant: false } } as const;

test('a person of a parent company acts in all its descendants, their own company first', async () => {
  const parent = await makeTenant(app);
  const child = await makeChild(parent);
  const grandchild = await makeChild(child);
  await makeTenant(app);
  const viewer = await viewerOf(await makeDispatcher(parent));
  expect(viewer.companyIds[0]).toBe(parent.company.id);
  expect(new Set(viewer.companyIds)).toEqual(new Set([parent, child, grandchild].map(({ company }) => company.id)));
  expect((await viewerOf(await makeDispatcher(child))).companyIds).toEqual([child.company.id, grandchild.company.id]);
  expect([viewer.type, viewer.name, viewer.companyId, viewer.roles, viewer.receivesWork]).toEqual([
    'User',
    'Ada Gravel',
    parent.company.id,
    ['dispatcher'],
    false,
  ]);
});

test('a circle of parents, however it arose, ends', async () => {
  const a = await makeTenant(app);
  const b = await makeChild(a);
  // The database refuses one; a restored dump may still bring one along.
  const run = (sql: string) => app.orm.em.getConnection().execute(sql);
  await run('alter table company disable trigger company_circle_check');
  await app.orm.em.fork().nativeUpdate(Company, { id: a.company.id }, { parentCompany: b.company.id } as never, all);
  await run('alter table company enable trigger company_circle_check');
  expect(new Set((await viewerOf(await makeDispatcher(a))).companyIds)).toEqual(new Set([a.company.id, b.company.id]));
});

test('only a company that others have as a connected vendor receives work', async () => {
  const [customer, vendor] = [await makeTenant(app), await makeTenant(app)];
  const em = app.orm.em.fork();
  em.persist(
    em.create(Account, {
      company: em.getReference(Company, customer.company.id),
      name: 'V',
      accountTypes: ['vendor'],
      connectedCompany: em.getReference(Company, vendor.company.id),
    } as never),
  );
  await em.flush();
  expect((await viewerOf(await makeDispatcher(vendor))).receivesWork).toBe(true);
  expect((await viewerOf(await makeDispatcher(customer))).receivesWork).toBe(false);
});

test('work that is passed on within a family makes only that company a receiver, not the family', async () => {
  const parent = await makeTenant(app);
  const [child, other] = [await makeChild(parent), await makeChild(parent)];
  const em = app.orm.em.fork();
  const [company, connectedCompany] = [em.getReference(Company, parent.company.id), em.getReference(Company, child.company.id)];
  em.persist(em.create(Account, { company, connectedCompany, name: 'V', accountTypes: ['vendor'] } as never));
  await em.flush();
  const reported = async (of: Tenant) => {
    const { receivesWork, receiversInFamily } = await viewerOf(await makeDispatcher(of));
    return [receivesWork, receiversInFamily];
  };
  expect(await reported(parent)).toEqual([false, [child.company.id]]);
  expect(await reported(child)).toEqual([true, []]);
  expect(await reported(other)).toEqual([false, []]);
});

test('a discarded person, or one of a discarded company, is no viewer', async () => {
  const company = await makeTenant(app);
  await expect(viewerOf(await company.person({ roles: ['dispatcher'], discardedAt: new Date() }))).rejects.toMatchObject({
    errorType: 'invalid_token',
  });
  const closed = await makeTenant(app, { company: { discardedAt: new Date() } });
  await expect(viewerOf(await makeDispatcher(closed))).rejects.toMatchObject({ errorType: 'invalid_token' });
});

test('a viewer is cached for a moment, and dropped on request', async () => {
  const driver = (await makeTenant(app)).driver;
  const before = await viewerOf(driver);
  const { viewerCacheMs } = identitySettings.of(app.productOrm.em);
  await app.orm.em.fork().nativeUpdate(User, { id: driver.id }, { roles: ['company_admin'] }, all);
  expect([before.can('edit_order'), (await viewerOf(driver)).can('edit_order')]).toEqual([false, false]);
  forgetViewers(app.productOrm.em);
  expect((await viewerOf(driver)).can('edit_order')).toBe(true);
  app.configure({ viewerCacheMs: 0 });
  await app.orm.em.fork().nativeUpdate(User, { id: driver.id }, { roles: [] }, all);
  forgetViewers(app.productOrm.em);
  expect((await viewerOf(driver)).can('edit_order')).toBe(false);
  app.configure({ viewerCacheMs });
});

test('a platform administrator sees every company', async () => {
  const admin = await viewerOf(await (await makeTenant(app)).person({ roles: ['platform_admin'] }));
  expect(admin.companyIds).toHaveLength(await app.orm.em.fork().count(Company, { discardedAt: null }, all));
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
