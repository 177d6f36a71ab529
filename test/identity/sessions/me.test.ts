import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Label } from '../../../src/directory/master-data/label.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant } from '../../helpers/tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('a person reads their own record, with labels and preferences', async () => {
  const tenant = await makeTenant(app);
  const label = await tenant.save(Label, { company: ref(tenant.company), name: 'Night shift', color: '#2255AA' });
  const preferences = { notifications: { new_job_request: ['push'] } };
  const { user, token } = await tenant.person({
    firstName: 'Dora',
    lastName: 'Wheel',
    roles: ['driver'],
    labelIds: [label.id],
    preferences,
    lastLoginAt: new Date(),
  });
  expect(await tenant.must('GET', '/v1/users/me', undefined, token)).toMatchObject({
    id: user.id,
    idp_member_id: user.id,
    idp_user_id: user.id,
    idp_member_status: 'active',
    idp_user_status: 'active',
    preferences,
    labels: [{ id: label.id, name: 'Night shift', color: '#2255AA' }],
    intercom_hash: '',
  });
});

test('a person who never signed in has the status of an invitation', async () => {
  const tenant = await makeTenant(app);
  const { token } = await tenant.person({ firstName: 'Ned', lastName: 'New', roles: ['driver'] });
  expect(await tenant.must('GET', '/v1/users/me', undefined, token)).toMatchObject({
    idp_member_id: null,
    idp_member_status: 'needs_invite',
    preferences: {},
    labels: [],
  });
});

test('with a secret the hash is the HMAC of the id that Intercom expects', async () => {
  app.configure({ intercomSecret: 'secret' });
  const tenant = await makeTenant(app);
  const { token } = await tenant.person({ firstName: 'Ned', lastName: 'New', roles: ['driver'] });
  const me = await tenant.must('GET', '/v1/users/me', undefined, token);
  const { data } = await tenant.gql('{ users { nodes { id intercomHash } } }', {}, token);
  app.configure({ intercomSecret: '' });
  expect(me.intercom_hash).toMatch(/^[0-9a-f]{64}$/);
  // The hash of a colleague is hidden: with it, one could act as them there.
  const reported = (data.users.nodes as { id: string; intercomHash: string }[]).filter((one) => one.intercomHash !== '');
  expect(reported).toEqual([{ id: me.id, intercomHash: me.intercom_hash }]);
});
