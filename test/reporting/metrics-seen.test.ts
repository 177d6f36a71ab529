import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Site } from '../../src/directory/sites/site.entity.ts';
import { billerOf, ticketed } from '../billing/books.ts';
import { jobOfChain, makeChain, makeStaffedTenant, ONE_LOAD } from '../helpers/staffed-tenant.ts';
import { asked, books, by, CHICAGO, groupsOf, measured, scene } from './asked-metrics.ts';

test('money takes the permissions of its side, and a driver counts own work and own pay', async () => {
  const { at, admin, biller } = await scene();
  const dispatcher = by(at.dispatcher, at);
  const denied = await asked(dispatcher, 'measures[]=loads&measures[]=receivable');
  expect(denied.status).toBe(403);
  expect(denied.body.error.errors).toEqual([
    { model: 'Metric', field: 'measures[1]', message: 'receivable takes the permission view_settlements' },
  ]);
  expect(await measured(dispatcher, 'measures[]=loads')).toEqual(['loads 6']);
  const other = await at.person({ roles: ['driver'] });
  expect(await measured(by(other, at), 'measures[]=loads&measures[]=driver_payable')).toEqual(['loads 0']);
  const own = await measured(by(at.driver, at), 'measures[]=loads&measures[]=driver_payable');
  expect(own).toEqual([`loads 6`, ...(await measured(biller, 'measures[]=driver_payable'))]);
  expect((await asked(by(at.driver, at), 'measures[]=receivable')).status).toBe(403);
  expect((await asked(admin, 'measures[]=import_failures')).status).toBe(200);
});

test('somebody who is limited to a site counts the work of that site', async () => {
  const { at, biller } = await scene();
  const limited = await at.person({ roles: ['manager'] });
  const { id } = await at.save(Site, { company: ref(at.company), name: 'Elsewhere', siteType: 'Plant' });
  const scope = { resource_id: id, resource_type: 'Site' };
  expect((await at.admin.http('POST', `/v1/users/${limited.user.id}/resource_scopes`, scope)).status).toBe(201);
  const money = 'measures[]=loads&measures[]=jobs&measures[]=receivable';
  expect(await measured(by(limited, at), money)).toEqual(['loads 0', 'jobs 0']);
  const there = { resource_id: at.pickup.id, resource_type: 'Site' };
  expect((await at.admin.http('POST', `/v1/users/${limited.user.id}/resource_scopes`, there)).status).toBe(201);
  expect(await measured(by(limited, at), money)).toEqual(['loads 6', 'jobs 2', (await measured(biller, 'measures[]=receivable'))[0]]);
});

test('companies do not see each other; what is passed on is counted by both, without the customer of the other', async () => {
  const chain = await makeChain(books.app, CHICAGO);
  const { owner, middle, last } = chain;
  const { id, go } = await jobOfChain(chain);
  for (const event of ONE_LOAD) await go(event);
  await go('complete');
  const [load] = await owner.must('GET', `/v1/jobs/${id}/loads`);
  await ticketed(owner, load, '23.21');
  for (const each of [owner, middle, last]) {
    expect(await measured(by(each.admin, each), 'measures[]=loads&measures[]=ticketed_quantity')).toEqual([
      'loads 1',
      'ticketed_quantity Ton 23.21',
    ]);
    const [customer] = await groupsOf(by(each.admin, each), 'measures[]=loads&group_by[]=customer&group_by[]=company');
    expect(customer![0].endsWith('Customer')).toBe(true);
    expect(customer![0].length > ' Customer'.length).toBe(each === owner);
  }
  const [vendor] = await groupsOf(by(middle.admin, middle), 'measures[]=loads&group_by[]=vendor');
  expect(vendor![0]).toContain('Owner-operator');
  // The amount that is received for work of a vendor is in its margin.
  const hauler = await billerOf(middle);
  await books.app.settled();
  const margins = await groupsOf(hauler, 'measures[]=receivable&measures[]=vendor_payable&measures[]=margin&group_by[]=vendor');
  expect(margins.map(([name, ...values]) => [name.includes('Owner-operator'), ...values.map((value) => value.split(' ')[0])])).toEqual([
    [true, 'receivable', 'vendor_payable', 'margin'],
  ]);
  // Each approves for itself, and counts what itself has not approved, as its lists say it.
  const open = 'measures[]=loads_to_approve&measures[]=jobs_to_approve';
  await owner.must('PUT', `/v1/loads/${load.id}/approve`, {});
  for (const [each, loads] of [
    [owner, 0],
    [middle, 1],
  ] as const) {
    expect(await measured(by(each.admin, each), open)).toEqual([`loads_to_approve ${loads}`, 'jobs_to_approve 1']);
  }
  await middle.must('PUT', `/v1/loads/${load.id}/approve`, {});
  expect(await measured(by(middle.admin, middle), open)).toEqual(['loads_to_approve 0', 'jobs_to_approve 1']);
  const stranger = await makeStaffedTenant(books.app, CHICAGO);
  expect(await measured(by(stranger.admin, stranger), 'measures[]=loads&measures[]=jobs&measures[]=orders')).toEqual([
    'loads 0',
    'jobs 0',
    'orders 0',
  ]);
  expect((await asked({ http: stranger.admin.http, path: owner.path }, 'measures[]=loads')).status).toBe(404);
  const foreign = await asked(by(stranger.admin, stranger), `measures[]=loads&filter[company_ids][]=${owner.company.id}`);
  expect(foreign.status).toBe(404);
});
