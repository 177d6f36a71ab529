import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { entities } from '../../../src/app/rooms.ts';
import { type IdentitySettings, identitySettings, identitySettingsWith } from '../../../src/identity/settings.ts';
import { seal, unseal } from '../../../src/identity/tokens/sealing.ts';
import { applicationOf } from '../../../src/platform/application.ts';
import { createOrm } from '../../../src/platform/database/orm.ts';
import { migratedDatabase } from '../../helpers/database.ts';

let orms: MikroORM[];
beforeAll(async () => {
  const url = await migratedDatabase();
  // Two processes of one database.
  orms = [await createOrm({ url, entities }), await createOrm({ url, entities })];
  configure({});
});
afterAll(() => Promise.all(orms.map((orm) => orm.close(true))));
afterEach(() => configure({ secretsKeys: [] }));

/** Both processes are configured alike. */
const configure = (settings: Partial<IdentitySettings>) => {
  for (const { em } of orms) applicationOf(em).provide(identitySettings, identitySettingsWith(settings));
};

const em = (process = 0) => orms[process]!.em.fork();
const key = () => randomBytes(32).toString('base64');

test('processes that start together agree on one generated key', async () => {
  const [a, b] = await Promise.all([seal(em(0), 'granite', 'r1'), seal(em(1), 'granite', 'r1')]);
  expect(a).not.toBe(b);
  expect([await unseal(em(1), a, 'r1'), await unseal(em(0), b, 'r1')]).toEqual(['granite', 'granite']);
  expect(await orms[0]!.em.getConnection().execute('select count(*)::int as n from sealing_key')).toEqual([{ n: 1 }]);
});

test('a sealed secret opens only for its own record and unchanged', async () => {
  const sealed = await seal(em(), 'granite', 'r1');
  expect(sealed).not.toContain('granite');
  await expect(unseal(em(), sealed, 'r2')).rejects.toThrow();
  const [version, kid, iv, text, tag] = sealed.split('.');
  const flipped = Buffer.from(text!, 'base64url');
  flipped[0]! ^= 1;
  await expect(unseal(em(), [version, kid, iv, flipped.toString('base64url'), tag].join('.'), 'r1')).rejects.toThrow();
  await expect(unseal(em(), [version, kid, iv, text, tag!.slice(0, 8)].join('.'), 'r1')).rejects.toThrow(/cannot be opened/);
  await expect(unseal(em(), '', 'r1')).rejects.toThrow(/cannot be opened/);
});

test('a configured key seals; older ones and the generated one still open', async () => {
  const generated = await seal(em(), 'one', 'r');
  const [first, second] = [key(), key()];
  configure({ secretsKeys: [first] });
  const configured = await seal(em(), 'two', 'r');
  configure({ secretsKeys: [second, first] });
  expect([await unseal(em(), generated, 'r'), await unseal(em(), configured, 'r')]).toEqual(['one', 'two']);
  configure({ secretsKeys: [second] });
  await expect(unseal(em(), configured, 'r')).rejects.toThrow(/HAULGATE_SECRETS_KEY/);
});
