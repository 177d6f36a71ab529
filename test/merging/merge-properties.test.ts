import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { Equipment } from '../../src/directory/equipment/equipment.entity.ts';
import { User } from '../../src/directory/people/user.entity.ts';
import { Site } from '../../src/directory/sites/site.entity.ts';
import { REFERENCES, TABLES } from '../../src/merging/references.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { sweepRuns } from '../helpers/properties.ts';
import { makeStaffedTenant, plannedOrder, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { accountOf, type Json, materialOf, merge, rowsOf, siteOf, truckOf, undo } from './merging.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

const PATHS = ['accounts', 'sites', 'materials', 'users', 'equipment'] as const;
type Path = (typeof PATHS)[number];
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      path: fc.constantFrom(...PATHS),
      kept: fc.nat({ max: 3 }),
      others: fc.uniqueArray(fc.nat({ max: 3 }), { minLength: 1, maxLength: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ undo: fc.nat({ max: 5 }) }) },
);
const RECORDS = 4;

/** Four records of each kind, and work that names them in turn. */
async function scene(of: StaffedTenant): Promise<Record<Path, string[]>> {
  const make = (one: (i: number) => Promise<{ id: string }>) =>
    Promise.all(Array.from({ length: RECORDS }, (_, i) => one(i))).then((all) => all.map(({ id }) => id));
  const accountTypes = (i: number) => (i % 2 ? ['customer', 'vendor'] : ['customer']);
  const accounts = await make((i) => accountOf(of, { name: `Account ${i % 2}`, accountTypes: accountTypes(i) }));
  const sites = await make((i) => siteOf(of, { name: `Site ${i % 2}` }));
  const materials = await make((i) => materialOf(of, { name: `Material ${i % 2}` }));
  // What is merged refers to what is merged.
  const equipment = await make((i) => truckOf(of, { name: `Truck ${i}`, homeBase: ref(Site, sites[i]!) }));
  const users = await make((i) => {
    const trucks = { equipment: ref(Equipment, equipment[i]!), additionalEquipmentIds: [equipment[(i + 1) % RECORDS]] };
    return of.save(User, { company: ref(of.company), firstName: 'Dan', lastName: `Driver ${i % 2}`, roles: ['driver'], ...trucks });
  });
  const ids = { accounts, sites, materials, users, equipment };
  for (let i = 0; i < RECORDS; i++) {
    const { jobs } = await plannedOrder(of, {
      account_id: ids.accounts[i],
      material_id: ids.materials[i],
      waypoints: [
        { type: 'pickup', site_id: ids.sites[i], ordinality: 0 },
        { type: 'drop_off', site_id: ids.sites[(i + 1) % RECORDS], ordinality: 1 },
      ],
    });
    await of.dispatcher.must('PATCH', `/v1/jobs/${jobs[0].id}`, { driver_id: ids.users[i], equipment_id: ids.equipment[i] });
    // Prices collide once materials or sites are merged.
    const price = { unit_of_measure: 'Ton', sell_price: `${i + 1}` };
    await of.admin.must('POST', of.path('/material_rates'), { material_id: ids.materials[i], site_id: ids.sites[i], ...price });
    await of.admin.must('POST', of.path('/material_rates'), {
      material_id: ids.materials[i],
      customer_account_id: ids.accounts[i],
      ...price,
    });
  }
  for (let i = 0; i < RECORDS; i++) {
    const named = { material_id: ids.materials[i], account_id: ids.accounts[i], site_id: ids.sites[i], equipment_id: ids.equipment[i] };
    const ticket = { ticket_number: `T-${i}`, quantity: '20', unit_of_measure: 'Ton', service_date: '2026-11-23T12:00:00.000Z', ...named };
    await of.admin.must('POST', '/v1/tickets', ticket);
  }
  const em = app.orm.em.fork();
  const crew = `update orders set foreman_ids = array[?, ?, ?]::uuid[] where company_id = ?`;
  await em.getConnection().execute(crew, [ids.users[0], ids.users[1], ids.users[2], of.company.id]);
  return ids;
}

/** References of a company that lead to no record. */
async function lost(of: StaffedTenant): Promise<Json[]> {
  const em = app.orm.em.fork();
  const found: Json[] = [];
  for (const [type, references] of Object.entries(REFERENCES))
    for (const { table, column, list, kind, key } of references) {
      if (key || ['location_history', 'import_batch', 'fence_progress', 'position_task'].includes(table) || column === 'fence_id') continue;
      const ids = list ? `unnest(r.${column})` : `(select r.${column})`;
      const rows = await em
        .getConnection()
        .execute(
          `select '${table}.${column}' as place, named.id from "${table}" r, lateral ${ids} as named (id) where r.company_id = ? and named.id is not null
          ${kind ? `and r.${kind[0]} = '${kind[1]}'` : ''} and not exists (select from ${TABLES[type as keyof typeof TABLES]} t where t.id = named.id)`,
          [of.company.id],
        )
        .catch((error: Error) => (/company_id does not exist/.test(error.message) ? [] : Promise.reject(error)));
      found.push(...(rows as Json[]));
    }
  return found;
}

/** Tickets whose history does not end with what they say. */
const unwritten = (of: StaffedTenant): Promise<Json[]> =>
  app.orm.em
    .fork()
    .getConnection()
    .execute(
      `select t.ticket_number from ticket t where t.company_id = ? and ticket_content(t) is distinct from
        (select h.content from ticket_history h where h.ticket_id = t.id order by h.number desc limit 1)`,
      [of.company.id],
    );

test('after any merges and undos every reference leads to a record, every former id answers, and undoing all restores exactly', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 9 }), async (steps) => {
      const of = await makeStaffedTenant(app);
      const ids = await scene(of);
      const before = await rowsOf(of);
      const open: string[] = [];
      for (const one of steps) {
        if ('undo' in one) {
          const id = open[one.undo % Math.max(open.length, 1)];
          if (!id) continue;
          const { status } = await undo(of, id);
          // Either it is undone, or something was merged on since.
          expect([200, 409]).toContain(status);
          if (status === 200) open.splice(open.indexOf(id), 1);
        } else {
          const known = ids[one.path];
          const { status, body } = await merge(
            of,
            one.path,
            known[one.kept]!,
            one.others.map((i) => known[i]!),
          );
          expect([200, 422]).toContain(status);
          if (status === 200) open.push((body as Json).data.id);
        }
        expect(await lost(of)).toEqual([]);
        expect(await unwritten(of)).toEqual([]);
      }
      for (const path of PATHS)
        for (const id of ids[path]) expect([path, (await of.admin.http('GET', `/v1/${path}/${id}`)).status]).toEqual([path, 200]);
      for (const id of open.toReversed()) expect((await undo(of, id)).status).toBe(200);
      expect(await rowsOf(of)).toEqual(before);
    }),
    { numRuns: sweepRuns(5) },
  );
});
