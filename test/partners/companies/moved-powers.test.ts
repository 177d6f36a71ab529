import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { IamRole } from '../../../src/directory/people/iam-role.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { grantsOf } from '../../../src/identity/access/matrix.ts';
import { ROLES, type RoleName } from '../../../src/identity/access/permissions.ts';
import { ResourceScope } from '../../../src/identity/access/resource-scope.entity.ts';
import { forgetViewers } from '../../../src/identity/access/viewer.ts';
import { M2MClient } from '../../../src/identity/machine-clients/machine-client.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
/** A company with two below it; the one that moves is below the first. */
let top: Tenant;
let from: Tenant;
let to: Tenant;
let moved: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  top = await makeTenant(app);
  [from, to] = [await childOf(top), await childOf(top)];
  moved = await childOf(from);
  forgetViewers(app.application);
});
afterAll(() => app.close());

const all = { filters: { tenant: false } } as const;
/** A company below another, whose machine client may do nothing. */
async function childOf(parent: Tenant): Promise<Tenant> {
  const child = await makeTenant(app, { company: { parentCompany: ref(parent.company) } });
  await app.orm.em.fork().nativeUpdate(M2MClient, { company: child.company.id }, { scopes: [] }, all);
  await app.orm.em.fork().nativeUpdate(User, { id: child.driver.id }, { roles: [] }, all);
  return child;
}
const MOVE = 'mutation($id: ID!, $to: ID) { moveCompany(id: $id, parentCompanyId: $to) { parentCompany { id } } }';
const move = async (token: string, parent = to) => {
  const { data, errors } = await top.gql(MOVE, { id: moved.company.id, to: parent.company.id }, token);
  return errors ? errors[0].extensions : data.moveCompany.parentCompany.id;
};
const back = () => app.orm.em.execute('update company set parent_company_id = ? where id = ?', [from.company.id, moved.company.id]);
const refusal = (permissions = '') => ({
  code: 'unprocessable_content',
  requestId: expect.any(String),
  errors: [
    {
      model: 'Company',
      field: 'parentCompanyId',
      message: expect.stringMatching(`^would change which people have a role in the company, .*${permissions}`),
    },
  ],
});
/** Does something while somebody with these roles is of a company. */
async function whileThere(of: Tenant, fields: object, work: () => Promise<void>): Promise<void> {
  const { user } = await of.person(fields);
  await work();
  await app.orm.em.fork().nativeUpdate(User, { id: user.id }, { discardedAt: new Date() }, all);
}

/** As in assigning roles: anybody may assign drivers and foremen; for all others, the permissions of DOMAIN section 2 decide. */
const mayGive = (giver: RoleName, given: RoleName): boolean =>
  // The operator of the platform is above every company already.
  ['driver', 'foreman', 'platform_admin'].includes(given) ||
  [...grantsOf([given])].every((grant) => grant.endsWith(':own') || grantsOf([giver]).has(grant));

test.each(['it_admin', 'company_admin', 'platform_admin'] as const)(
  'a company is moved below people of any role only by %s who could assign the role, and away from them likewise',
  async (giver) => {
    const { token } = await top.person({ roles: [giver] });
    for (const given of ROLES)
      for (const side of [to, from])
        await whileThere(side, { roles: [given] }, async () => {
          const answer = await move(token);
          expect([giver, given, answer]).toEqual([giver, given, mayGive(giver, given) ? to.company.id : refusal()]);
          await back();
        });
  },
);

test('roles of companies, machine clients and people further up count; people who leave or are above anyway do not', async () => {
  const { token } = await top.person({ roles: ['it_admin'] });
  const payer = await to.save(IamRole, { company: ref(to.company), name: 'Payer', grants: ['pay_settlement'] });
  await whileThere(to, { customRoleIds: [payer.id] }, async () => expect(await move(token)).toEqual(refusal('pay_settlement')));
  const between = await childOf(to);
  forgetViewers(app.application);
  await whileThere(to, { roles: ['manager'] }, async () => expect(await move(token, between)).toEqual(refusal()));
  await whileThere(top, { roles: ['company_admin'] }, async () => {
    expect(await move(token)).toBe(to.company.id);
    await back();
  });
  await app.orm.em.fork().nativeUpdate(M2MClient, { company: to.company.id }, { scopes: ['edit_invoice'] }, all);
  expect(await move(token)).toEqual(refusal('edit_invoice'));
  await app.orm.em.fork().nativeUpdate(M2MClient, { company: to.company.id }, { scopes: [] }, all);
});

test('a person who is limited to sites moves no company', async () => {
  const { user, token } = await top.person({ roles: ['company_admin'] });
  await top.save(ResourceScope, { company: ref(top.company), user: ref(user), site: ref(top.pickup) });
  expect(await move(token)).toMatchObject({ code: 'forbidden' });
});
