import type { MikroORM } from '@mikro-orm/postgresql';
import { Company } from '../../src/directory/companies/company.entity.ts';
import { PERMISSIONS } from '../../src/identity/access/permissions.ts';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { newId } from '../../src/platform/ids.ts';
import { TICKETED_DAY, TICKETED_DISPATCH, TRUCKS, truckName } from './payloads.ts';

/** A company as its sender knows it. */
export interface Tenant {
  companyId: string;
  clientId: string;
  clientSecret: string;
}

const COMPANIES = 3;

/**
 * Creates companies with a machine client each, and an order with recurring loads whose trucks the tickets name. Every ticket takes a load
 * of its own, so that a ticket that is created twice shows.
 */
export async function makeTenants(orm: MikroORM): Promise<Tenant[]> {
  const tenants: Tenant[] = [];
  for (let i = 0; i < COMPANIES; i++) {
    const em = orm.em.fork();
    const company = em.create(Company, {
      platformId: `C0000${i}`,
      legalName: `Chaos ${i}`,
      companyType: 'hauler',
      timeZone: 'America/Toronto',
    } as never);
    const { client, clientSecret } = makeMachineClient(em, company, { name: 'Chaos', permissions: PERMISSIONS });
    await em.flush();
    await orm.em.getConnection().execute(TICKETED_ORDER, [company.id, newId(), newId(), newId(), newId(), newId()]);
    tenants.push({ companyId: company.id, clientId: client.clientId, clientSecret });
  }
  return tenants;
}

const TICKETED_ORDER = `
with given as (select ?::uuid as company, ?::uuid as account, ?::uuid as service, ?::uuid as orders, ?::uuid as route, ?::uuid as dispatch),
made_account as (insert into account (id, company_id, name, account_types) select account, company, 'Ticketed', '{customer}' from given returning id),
made_service as (insert into service (id, company_id, name) select service, company, 'Haul' from given returning id),
made_dispatch as (insert into dispatch_number (id, company_id, name) select dispatch, company, '${TICKETED_DISPATCH}' from given returning id),
made_type as (insert into equipment_type (id, company_id, name) select service, company, 'Dump truck' from given returning id),
made_truck as (
  insert into equipment (id, company_id, equipment_type_id, name, external_id)
  select gen_random_uuid(), company, service, name, name from given, unnest(array[${Array.from({ length: TRUCKS }, (_, i) => `'${truckName(i)}'`).join(', ')}]) name
  returning id, name),
made_order as (
  insert into orders (id, company_id, number, order_id, name, state, account_id, service_id, load_at, truck_count, loads_per_truck, quantity,
                      unit_of_measure, load_unit_of_measure, job_quantity, route_id, dispatch_number_id)
  select given.orders, company, 900000, '900000', 'Ticketed', 'accepted', account, service, '${TICKETED_DAY} 12:00Z', ${TRUCKS}, 1, 1, 'Load', 'Ton', 1, route, dispatch
  from given returning id)
insert into job (id, company_id, order_id, number, job_id, state, job_start_at, quantity, unit_of_measure, load_unit_of_measure, service_id, equipment_id,
                 billable_hours, requested_loads_count, recurring_loads, route_id)
select gen_random_uuid(), company, given.orders, row_number() over (order by made_truck.name), '900000-' || row_number() over (order by made_truck.name), 'accepted',
  '${TICKETED_DAY} 12:00Z', 1, 'Load', 'Ton', service, made_truck.id, 0, 1, true, route
from given, made_truck, made_order, made_account, made_service, made_dispatch, made_type`;
