import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { forgetViewers } from '../../../src/identity/access/viewer.ts';
import { fieldsOf, makeTenant } from '../../helpers/tenant.ts';
import {
  accountOf,
  admin,
  app,
  at,
  boss,
  type Json,
  linkOf,
  mailsTo,
  managed,
  NOTHING,
  nextNumber,
  openScene,
  PASSWORD,
  personIn,
  post,
  roles,
  run,
  signUp,
  statuses,
  tenant,
} from './scene.ts';

openScene();

test('when the owner signs in, the managing company loses access to everything there', async () => {
  const company = await managed();
  const before = await run('select * from app_user where company_id = ? order by id', company.id);
  expect((await signUp(company)).status).toBe(200);
  expect(await statuses(company)).toEqual(NOTHING);
  const kept = ({ id, email, roles: held, discarded_at: gone }: Json) => ({ id, email, held, gone });
  expect((await run('select * from app_user where company_id = ? order by id', company.id)).map(kept)).toEqual(before.map(kept));
  const update =
    'mutation($c: ID!, $m: ID!, $id: ID!) { updateManagedUser(companyId: $c, managedCompanyId: $m, id: $id, input: { email: "mine@example.com" }) { id } }';
  const { errors } = await tenant.gql(update, { c: tenant.company.id, m: company.id, id: company.owner.id }, admin);
  expect(errors[0].extensions.code).toBe('object_not_found');
  // Nor is it taken up again.
  const again = await tenant.http('PUT', at(company.id), {}, admin);
  expect([again.status, fieldsOf(again)]).toEqual([422, ['id']]);
  expect(await tenant.must('GET', tenant.path('/managed_companies'), undefined, admin)).toEqual([]);
});

test('both sides learn it by mail, in their records and in their audit logs', async () => {
  const company = await managed();
  expect(await accountOf(company.id)).toEqual({ managed: true, managedUntil: null });
  const session = (await signUp(company)).body.data.session_jwt;
  const manager = tenant.company.legalName;
  const [ours] = await mailsTo(boss.email!);
  expect(ours).toMatchObject({
    subject: `${manager} no longer manages ${company.name}`,
    text: expect.stringContaining('Ina Vited was the first'),
  });
  const theirs = (await mailsTo(company.owner.email)).at(-1)!;
  expect(theirs.subject).toBe(`${company.name} is in your own hands now`);
  expect(theirs.text).toContain(`Ina Vited <${company.owner.email}>`);
  expect(theirs.text).toContain(manager);
  expect(await accountOf(company.id)).toEqual({ managed: false, managedUntil: expect.any(String) });
  const own = await tenant.gql('query($id: ID!) { company(id: $id) { firstSignInAt } }', { id: company.id }, session);
  expect(own.data.company).toEqual({ firstSignInAt: expect.any(String) });
  const log = async (token: string, type: string) =>
    (await tenant.must('GET', `/v1/audit_entries?filter[subject_type]=${type}&page[limit]=5`, undefined, token)).map(
      (one: Json) => one.object_changes,
    );
  expect(await log(admin, 'Account')).toContainEqual({ managed: [true, false] });
  expect(await log(session, 'Company')).toContainEqual({
    managed_by_company_id: [tenant.company.id, null],
    managed_by_company: [manager, null],
  });
  const events = await run("select name from outbox_event where company_id = ? and name = 'account.unmanaged'", tenant.company.id);
  expect(events).toHaveLength(1);
  // Once: the second sign-in says nothing.
  await post('/v1/auth/login', { email: company.owner.email, password: PASSWORD });
  expect((await mailsTo(boss.email!)).length).toBe(1);
});

test('a driver who signs in counts like the owner, who gets the mail', async () => {
  const company = await managed();
  const driver = await tenant.must('POST', at(company.id, '/users'), personIn(company.id, { iam_role_ids: [roles.Driver] }), admin);
  await post('/v1/auth/magic_link', { email: driver.email });
  expect((await post('/v1/auth/magic_link/login', { magic_links_token: await linkOf(driver.email) })).status).toBe(200);
  expect(await statuses(company)).toEqual(NOTHING);
  expect((await mailsTo(company.owner.email)).at(-1)!.text).toContain('Mal Lory was the first');
});

test('a failed sign-in does not end managing', async () => {
  const company = await managed();
  await post('/v1/auth/login', { email: company.owner.email, password: 'not it at all' });
  await post('/v1/auth/signup', { magic_links_token: 'wrong', password: PASSWORD });
  const weak = { magic_links_token: await linkOf(company.owner.email), password: 'password1' };
  expect((await post('/v1/auth/signup', weak)).status).toBe(400);
  expect((await tenant.http('GET', at(company.id, '/users'), undefined, admin)).status).toBe(200);
  expect(await accountOf(company.id)).toMatchObject({ managed: true });
});

test('the manager leaves nobody behind in the managed company with a role that runs it', async () => {
  const { id, owner } = await managed();
  const body = (role: string) => personIn(id, { iam_role_ids: [roles[role]] });
  for (const role of ['Company Admin', 'IT Admin']) {
    const refused = await tenant.http('POST', at(id, '/users'), body(role), admin);
    expect([role, refused.status, fieldsOf(refused)]).toEqual([role, 422, ['iam_role_ids.0']]);
  }
  const dispatcher = await tenant.must('POST', at(id, '/users'), body('Dispatcher'), admin);
  const patch = (user: string, to: object) => tenant.http('PATCH', at(id, `/users/${user}`), to, admin);
  expect((await patch(dispatcher.id, { iam_role_ids: [roles.Dispatcher, roles['Company Admin']] })).status).toBe(422);
  // An address that was mistyped can be mended, the owner's role stays and so does the owner.
  expect(
    (await patch(owner.id, { email: `right${nextNumber()}.${process.pid}@example.com`, iam_role_ids: [roles['Company Admin']] })).status,
  ).toBe(200);
  expect((await tenant.http('DELETE', at(id, `/users/${owner.id}`), undefined, admin)).status).toBe(422);
});

test('within a family, managing is granted by somebody with all permissions of those who gain access', async () => {
  const [north, south] = await Promise.all(
    [0, 1].map(() => makeTenant(app, { company: { parentCompany: ref(tenant.company), platformCustomer: false } })),
  );
  forgetViewers(app.application);
  await north!.person({ roles: ['company_admin'] });
  const { token: it } = await tenant.person({ roles: ['it_admin'] });
  await north!.must('POST', north!.path('/accounts/connected'), { platform_id: south!.company.platformId, account_types: ['vendor'] });
  const path = north!.path(`/managed_companies/${south!.company.id}`);
  const refused = await tenant.http('PUT', path, {}, it);
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['id']]);
  // Its machine client may act as others, which an administrator may not.
  expect((await tenant.http('PUT', path, {}, admin)).status).toBe(422);
  expect((await tenant.http('PUT', path, {})).status).toBe(200);
});
