import { expect, test } from '@jest/globals';
import { queryIn } from '../../../src/platform/database/sql.ts';
import { fieldsOf } from '../../helpers/tenant.ts';
import { untilWaiting } from '../../helpers/until.ts';
import {
  admin,
  app,
  at,
  linkOf,
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

/** Does `first` while a statement holds it up, then `second`, and lets both go on. */
async function heldUp<A, B>(lock: string, id: string, first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  const em = app.orm.em.fork();
  await em.begin();
  try {
    await queryIn(em, lock, [id]);
    const one = first();
    await untilWaiting(app, 1);
    const two = second();
    await untilWaiting(app, 2);
    await em.rollback();
    return [await one, await two];
  } finally {
    if (em.isInTransaction()) await em.rollback();
  }
}
const LOCK = 'select 1 from app_user where id = $1 for update';

test('a command of the manager at the moment of the first sign-in comes before it, or fails', async () => {
  const company = await managed();
  const { owner } = company;
  const token = await linkOf(owner.email);
  const take = () =>
    tenant.http('PATCH', at(company.id, `/users/${owner.id}`), { email: `taken${nextNumber()}.${process.pid}@example.com` }, admin);
  const signIn = () => post('/v1/auth/signup', { magic_links_token: token, password: PASSWORD });
  const [session, refused] = await heldUp(LOCK, owner.id, signIn, take);
  expect([session.status, refused.status]).toEqual([200, 404]);
  expect((await run('select email from app_user where id = ?', owner.id))[0]).toEqual({ email: owner.email });

  const other = await managed();
  const late = await linkOf(other.owner.email);
  const mend = () => tenant.http('PATCH', at(other.id, `/users/${other.owner.id}`), { external_id: 'before' }, admin);
  const [before, after] = await heldUp(LOCK, other.owner.id, mend, () =>
    post('/v1/auth/signup', { magic_links_token: late, password: PASSWORD }),
  );
  expect([before.status, after.status]).toEqual([200, 200]);
  expect(await statuses(other)).toEqual(NOTHING);
});

test('a first sign-in and a concurrent start of managing see each other', async () => {
  const company = await managed();
  expect((await tenant.http('DELETE', at(company.id), undefined, admin)).status).toBe(204);
  const token = await linkOf(company.owner.email);
  const signIn = () => post('/v1/auth/signup', { magic_links_token: token, password: PASSWORD });
  const [session, begun] = await heldUp(LOCK, company.owner.id, signIn, () => tenant.http('PUT', at(company.id), {}, admin));
  expect([session.status, begun.status, fieldsOf(begun)]).toEqual([200, 422, ['id']]);
  for (let round = 0; round < 4; round++) {
    const another = await managed();
    await tenant.must('DELETE', at(another.id), undefined, admin);
    await Promise.all([signUp(another), tenant.http('PUT', at(another.id), {}, admin)]);
    expect(await statuses(another)).toEqual(NOTHING);
  }
});

test('concurrent commands and sign-ins leave nobody managed, and fail for no other reason', async () => {
  for (let round = 0; round < 3; round++) {
    const company = await managed();
    const act = (n: number) =>
      n % 2 === 0
        ? tenant.http('PATCH', at(company.id, `/users/${company.owner.id}`), { external_id: `E${n}` }, admin)
        : tenant.http('POST', at(company.id, '/users'), personIn(company.id, { iam_role_ids: [roles.Driver] }), admin);
    const answers = await Promise.all([signUp(company), ...Array.from({ length: 6 }, (_, n) => act(n))]);
    expect(answers[0]!.status).toBe(200);
    expect(answers.slice(1).filter(({ status }) => ![200, 201, 404].includes(status))).toEqual([]);
    expect(await statuses(company)).toEqual(NOTHING);
  }
});
