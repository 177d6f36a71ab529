import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** A ticket of the truck TRK-12. */
export const payload = (more: object = {}): Json => ({
  ticket_number: 'T-1',
  service_date: '2026-11-23T09:30:00',
  quantity: 22.4,
  unit_of_measure: 'tons',
  truck_id: 'TRK-12',
  ...more,
});

/** Returns the warnings of the importer. */
export const codes = (ticket: Json) => ticket.warnings.map((warning: Json) => warning.code);

/** Where the running test hauls; the tenant is what requests are made by, and may be another one for a while. */
interface Haulage {
  app: TestApp;
  tenant: Tenant;
  /** TRK-12. */
  truck: Equipment;
}

/** Work whose tickets are sent in: the tests of a file share a product, and each finds a tenant of its own with a truck. */
export function hauling() {
  const at = {} as Haulage;
  beforeAll(async () => {
    at.app = await startTestApp({ worker: true });
  });
  afterAll(async () => {
    // Whatever committed a ticket has added the link of its history. Tests that drive an importer by hand write no audit, and no link.
    const unwritten = await sql(`select t.ticket_number, t.source from ticket t
      where exists (select from audit_entry a where a.subject_id = t.id) and ticket_content(t) is distinct from
      (select h.content from ticket_history h where h.ticket_id = t.id order by h.number desc limit 1)`);
    await at.app.close();
    expect(unwritten).toEqual([]);
  });
  beforeEach(async () => {
    at.tenant = await makeTenant(at.app);
    at.truck = await makeTruck('TRK-12');
  });

  const sql = async (text: string, values: unknown[] = []): Promise<Json[]> =>
    (await (await poolOf(at.app.orm.em.fork())).query(text, values)).rows;

  async function makeTruck(externalId: string | null, of = at.tenant): Promise<Equipment> {
    const company = ref(of.company);
    const equipmentType = ref(await of.save(EquipmentType, { company, name: `Dump ${externalId}` }));
    return of.save(Equipment, { company, equipmentType, name: `Truck ${externalId}`, externalId });
  }

  /** An order whose jobs all drive a truck. 2026-11-23T12:00Z is 06:00 in Chicago. */
  async function haul(more: { loads?: number; trucks?: number; recurring?: boolean; dispatch?: string; at?: string; by?: Equipment } = {}) {
    const order = await makeOrder(at.tenant, {
      load_at: more.at ?? '2026-11-23T12:00:00.000Z',
      truck_count: more.trucks ?? 1,
      loads_per_truck: more.loads ?? 1,
      recurring_loads: more.recurring ?? false,
    });
    await sql('update job set equipment_id = $2 where order_id = $1', [order.id, (more.by ?? at.truck).id]);
    if (more.dispatch !== undefined) {
      const name = more.dispatch;
      await sql('insert into dispatch_number (id, company_id, name) values (gen_random_uuid(), $1, $2) on conflict do nothing', [
        at.tenant.company.id,
        name,
      ]);
      await sql(
        'update orders set dispatch_number_id = (select id from dispatch_number where company_id = $2 and name = $3) where id = $1',
        [order.id, at.tenant.company.id, name],
      );
    }
    return order;
  }
  const loadsOf = (order: Json) =>
    sql('select l.id, l.load_id from load l join job j on j.id = l.job_id where l.order_id = $1 order by j.number, l.ordinality', [
      order.id,
    ]);

  async function sendAll(...tickets: unknown[]): Promise<Json[]> {
    const answer = await at.tenant.http('POST', '/ingest/tickets', { tickets });
    expect(answer.status).toBe(202);
    await at.app.settled();
    return Promise.all(answer.body.data.records.map(({ id }: Json) => at.tenant.must('GET', `/v1/imported_records/${id}`)));
  }
  const send = async (ticket: unknown): Promise<Json> => (await sendAll(ticket))[0];
  /** Sends a ticket that must be made. @returns the ticket, and the warnings */
  async function made(ticket: Json): Promise<Json> {
    const record = await send(ticket);
    expect(record).toMatchObject({ kind: 'ticket', state: 'processed', last_error: null });
    return { ...(await at.tenant.must('GET', `/v1/tickets/${record.result_id}`)), warnings: record.warnings };
  }
  return { at, sql, makeTruck, haul, loadsOf, sendAll, send, made };
}
