import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { connect, makeOwner, mustShare, type Owner, sees, share, truckOf } from '../../helpers/shares.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { countWaiting, until, untilWaiting } from '../../helpers/until.ts';
import { exchange } from '../../identity/tokens/client-tokens.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let made = 0;
beforeAll(async () => {
  app = await startTestApp({ deliveries: true });
});
afterAll(() => app.close());

const rows = (text: string, ...values: unknown[]) => app.orm.em.getConnection().execute<Json[]>(text, values);
const PASSWORD = 'seven quarries in the rain';
const login = (email: string) => app.http('POST', '/v1/auth/login', { body: { email, password: PASSWORD } });
const methods = { authMethods: ['password', 'magic_link', 'sso'] };

/** A company and a child that is to be closed. */
async function family(): Promise<[Tenant, Owner]> {
  const top = await makeTenant(app);
  return [top, await makeOwner(app, { parentCompany: ref(top.company), ...methods })];
}
async function close(top: Tenant, child: Tenant, by: 'REST' | 'GraphQL'): Promise<void> {
  const { id } = child.company;
  if (by === 'REST') expect((await top.http('DELETE', `/v1/companies/${id}`)).status).toBe(204);
  else expect((await top.gql('mutation($id: ID!) { discardCompany(id: $id) }', { id })).data).toEqual({ discardCompany: id });
}
/** The secret of the last link that was sent to an address. */
async function linkTo(email: string): Promise<string> {
  const mails = (await app.emails()).mails.filter(({ to }) => to === email);
  return /#magic_links_token=([\w-]+)/.exec(mails.at(-1)!.text)![1]!;
}
const invited = (tenant: Tenant, email: string, token = tenant.token) =>
  tenant.must(
    'POST',
    tenant.path('/users'),
    { first_name: 'Ivy', last_name: 'Invited', email, iam_role_ids: [DRIVER], send_invite: { email: true } },
    token,
  );
const DRIVER = '8f868405-03ba-5d72-b418-caae734b38d4';

test('when a company is closed, its people, links, sessions and clients are out at once, and their addresses are free', async () => {
  for (const by of ['REST', 'GraphQL'] as const) {
    const [top, child] = await family();
    const [ivy, eve] = [`ivy-closed${++made}@example.com`, `eve-closed${made}@example.com`];
    const first = await invited(child, ivy);
    const open = await app.http('POST', '/v1/auth/signup', { body: { magic_links_token: await linkTo(ivy), password: PASSWORD } });
    const { session_jwt: session, refresh_token: refresh } = open.body.data;
    expect((await login(ivy)).status).toBe(200);
    await invited(child, eve);
    const unused = await linkTo(eve);
    const client = await child.must('POST', child.path('/m2m_clients'), { name: 'Sender', scopes: ['create_order'] });
    const sent = (await exchange(app, client)).body.access_token;
    expect((await app.http('GET', '/v1/orders', { token: sent })).status).toBe(200);

    await close(top, child, by);
    for (const token of [session, sent, child.token, child.driver.token])
      expect((await app.http('GET', '/v1/users/me', { token })).status).toBe(401);
    const denied = [
      await login(ivy),
      await app.http('POST', '/v1/auth/refresh', { body: { refresh_token: refresh } }),
      await app.http('POST', '/v1/auth/signup', { body: { magic_links_token: unused, password: PASSWORD } }),
      await exchange(app, client),
    ];
    expect(denied.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    const [living] = await rows(
      `select (select count(*) from user_session where company_id = c.id and revoked_at is null) as sessions,
         (select count(*) from machine_client where company_id = c.id and discarded_at is null) as clients,
         (select count(*) from app_user where company_id = c.id and discarded_at is null) as people,
         (select count(*) from one_time_secret s join app_user u on u.id = s.user_id where u.company_id = c.id and s.used_at is null) as secrets
       from company c where c.id = ?`,
      child.company.id,
    );
    expect(living).toEqual({ sessions: '0', clients: '0', people: '0', secrets: '0' });
    const [reported] = await rows(
      "select count(*) from audit_entry where subject_id = ? and object_changes -> 'discarded_at' is not null",
      first.id,
    );
    expect(Number(reported.count)).toBe(1);
    // Ivy goes on in the parent, under the address that she has.
    expect((await invited(top, ivy)).company.id).toBe(top.company.id);
  }
});

test('when a company is closed, its connections and shares end, and its past work remains readable to the others', async () => {
  for (const by of ['REST', 'GraphQL'] as const) {
    const [top, child] = await family();
    const partner = await makeOwner(app);
    await connect(partner, child);
    await mustShare(child, truckOf(child, partner));
    await mustShare(partner, truckOf(partner, child));
    const [account] = await partner.must('GET', partner.path('/accounts/connected'));
    const job = async (): Promise<Json> => {
      const order = await makeOrder(partner, { vendor_id: account.id, truck_count: 1, loads_per_truck: 1 });
      return (await partner.must('GET', partner.path(`/orders/${order.id}/jobs`)))[0];
    };
    const { id } = await job();
    await close(top, child, by);
    expect(await sees(partner, child.truck)).toBe(false);
    expect(await partner.must('GET', partner.path('/company_shares'))).toEqual([]);
    expect((await share(partner, truckOf(partner, child))).status).toBe(422);
    expect(await partner.must('GET', partner.path('/connected_companies'))).toEqual([]);
    const kept = await partner.must('GET', `/v1/accounts/${account.id}`);
    expect(kept).toMatchObject({
      name: child.company.legalName,
      discarded_at: null,
      connected_account: { discarded_at: expect.any(String) },
    });
    const old = await partner.must('GET', partner.path(`/jobs/${id}/job_assignments`));
    expect(old[0].vendor_account).toMatchObject({ id: account.id });
    const later = await job();
    const links = await rows('select vendor_company_id as to from job_assignment where job_id in (?, ?) order by created_at', id, later.id);
    expect(links).toEqual([{ to: child.company.id }, { to: null }]);
    const again = await partner.http('POST', partner.path('/accounts/connected'), {
      platform_id: child.company.platformId,
      account_types: ['vendor'],
    });
    expect(again.status).toBe(422);
  }
});

test('the identity providers of a closed company sign nobody in, and their domains are free', async () => {
  const [top, child] = await family();
  const domain = `closed${++made}.example`;
  const provider = {
    kind: 'oidc',
    display_name: 'Okta',
    domains: [domain],
    issuer: 'https://closed.okta.example',
    client_id: 'haulgate',
    client_secret: 'hush',
  };
  const { start_url: start } = await child.must('POST', child.path('/sso_connections'), provider, await child.administrator());
  await close(top, child, 'REST');
  expect((await app.http('POST', '/v1/sso_connections', { body: { email: `a@${domain}` } })).body).toEqual({ data: [] });
  expect((await fetch(start, { redirect: 'manual' })).status).toBe(404);
  expect(await rows('select domain from sso_domain where domain = ?', domain)).toEqual([]);
  expect((await top.must('POST', top.path('/sso_connections'), provider, await top.administrator())).proven_domains).toEqual([domain]);
});

/** Closes the company, and acts once its connections and people were looked up but nothing is committed. @returns both answers */
async function whileClosing<T>(top: Tenant, child: Owner, act: () => Promise<T>) {
  const holder = await (await poolOf(app.orm.em.fork())).connect();
  try {
    await holder.query('begin');
    await holder.query('select from app_user where id = $1 for update', [child.driver.id]);
    const closing = top.http('DELETE', `/v1/companies/${child.company.id}`);
    await untilWaiting(app);
    let answered = false;
    const acting = act().finally(() => {
      answered = true;
    });
    await until(async () => answered || (await countWaiting(app)) >= 2);
    await holder.query('commit');
    return [await closing, await acting] as const;
  } finally {
    holder.release();
  }
}

test('connecting with a company while it is closed succeeds before and ends with it, or is refused', async () => {
  const [top, child] = await family();
  const stranger = await makeTenant(app);
  const body = { platform_id: child.company.platformId, account_types: ['vendor'] };
  const [closed, connected] = await whileClosing(top, child, () => stranger.http('POST', stranger.path('/accounts/connected'), body));
  expect([closed.status, connected.status]).toEqual([204, 422]);
  expect(await rows('select id from account where connected_company_id = ? and discarded_at is null', child.company.id)).toEqual([]);
});

test('nobody is added to a company while it is closed, so no address remains taken there', async () => {
  const [top, child] = await family();
  const ivy = { first_name: 'Ivy', last_name: 'Late', email: `ivy-late${++made}@example.com`, iam_role_ids: [DRIVER] };
  const [closed, added] = await whileClosing(top, child, () => top.http('POST', child.path('/users'), ivy));
  expect([closed.status, added.status]).toEqual([204, 404]);
  expect((await top.http('POST', top.path('/users'), ivy)).status).toBe(201);
});

test('no company is moved below one while that is closed, because nobody would see it any more', async () => {
  const [top, child] = await family();
  const moved = await makeOwner(app, { parentCompany: ref(top.company), ...methods });
  const move = 'mutation($id: ID!, $to: ID!) { moveCompany(id: $id, parentCompanyId: $to) { id } }';
  const [closed, answer] = await whileClosing(top, child, () => top.gql(move, { id: moved.company.id, to: child.company.id }));
  expect(closed.status).toBe(204);
  expect(answer.errors[0].extensions).toMatchObject({ code: 'unprocessable_content', errors: [{ field: 'parentCompanyId' }] });
  expect((await top.http('GET', `/v1/companies/${moved.company.id}`)).status).toBe(200);
});
