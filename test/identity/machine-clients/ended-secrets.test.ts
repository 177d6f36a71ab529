import { expect, test } from '@jest/globals';
import { lastWorked } from '../../helpers/until.ts';
import { admin, audits, exchange, make, openScene, PATH, rows, tenant, tokenOf, worksWith } from './scene.ts';

openScene();

test('during a rotation two secrets work, then the new one only', async () => {
  const made = await make();
  const rotated = await tenant.must('PUT', `${PATH}/${made.id}/rotate`, { overlap_seconds: 60 }, admin);
  expect(rotated).toMatchObject({ id: made.id, client_id: made.client_id, previous_secret_expires_at: expect.any(String) });
  expect(rotated.client_secret).not.toBe(made.client_secret);
  expect([(await exchange(made)).status, (await exchange(rotated)).status]).toEqual([200, 200]);
  const again = await tenant.http('PUT', `${PATH}/${made.id}/rotate`, { overlap_seconds: 60 }, admin);
  expect([again.status, again.body.error.errors[0].message]).toEqual([409, expect.stringContaining('two secrets already')]);
  await rows('update machine_client set previous_secret_expires_at = now() where id = ?', made.id);
  expect([(await exchange(made)).body.error, (await exchange(rotated)).status]).toEqual(['invalid_client', 200]);
  expect(
    (await audits(made.id)).map(({ object_changes }: { object_changes: object }) =>
      Object.keys(object_changes).filter((key) => key.includes('secret')),
    ),
  ).toEqual([['secret_made_at'], ['secret_made_at', 'previous_secret_expires_at']]);
});

test('the old secret ends on request, or at once without an overlap', async () => {
  const made = await make();
  const second = await tenant.must('PUT', `${PATH}/${made.id}/rotate`, undefined, admin);
  const day = new Date(second.previous_secret_expires_at).getTime() - new Date(second.secret_made_at).getTime();
  expect(day).toBe(86_400_000);
  const ended = await tenant.must('PUT', `${PATH}/${made.id}/end_rotation`, undefined, admin);
  expect([ended.previous_secret_expires_at, ended.client_secret]).toEqual([null, null]);
  expect([(await exchange(made)).status, (await exchange(second)).status]).toEqual([401, 200]);
  const third = await tenant.must('PUT', `${PATH}/${made.id}/rotate`, { overlap_seconds: 60 }, admin);
  const fourth = await tenant.must('PUT', `${PATH}/${made.id}/rotate`, { overlap_seconds: 0 }, admin);
  expect([(await exchange(second)).status, (await exchange(third)).status, (await exchange(fourth)).status]).toEqual([401, 401, 200]);
});

test('a revoked client gets no token, and its tokens end at once', async () => {
  const made = await make();
  const token = await tokenOf(made);
  expect(await worksWith(token)).toBe(200);
  expect((await tenant.http('DELETE', `${PATH}/${made.id}`, undefined, admin)).status).toBe(204);
  expect([await worksWith(token), (await exchange(made)).status]).toEqual([401, 401]);
  expect((await tenant.must('GET', `${PATH}/${made.id}`, undefined, admin)).discarded_at).toEqual(expect.any(String));
  for (const [method, path, body] of [
    ['PATCH', '', { name: 'Back' }],
    ['PUT', '/rotate', {}],
    ['PUT', '/end_rotation', undefined],
  ] as const)
    expect((await tenant.http(method, `${PATH}/${made.id}${path}`, body, admin)).status).toBe(409);
  expect((await tenant.http('DELETE', `${PATH}/${made.id}`, undefined, admin)).status).toBe(204);
  expect((await audits(made.id)).map((row: { object_changes: object }) => Object.keys(row.object_changes))).toEqual([
    expect.any(Array),
    ['discarded_at'],
  ]);
});

test('a client that another process revoked or limited loses its tokens within five seconds', async () => {
  const made = await make();
  const token = await tokenOf(made);
  expect(await worksWith(token)).toBe(200);
  await rows('update machine_client set discarded_at = now() where id = ?', made.id);
  expect(await lastWorked(async () => (await worksWith(token)) === 200)).toBeLessThan(5_000);
});
