import { ref } from '@mikro-orm/core';
import { Equipment } from '../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../src/directory/equipment/equipment-type.entity.ts';
import { MovingSite } from '../../src/directory/sites/moving-site.entity.ts';
import { telematicsSettings } from '../../src/telematics/fleets/settings.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { type Asked, FakeProvider, type Plain } from './fake-provider.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const FIELDS = 'id state lastError failingSince nextPollAt lastPositionAt pushUrl pushPassword';

/** An application whose worker reads fleets, a company, and providers of somebody else. */
export class FleetScene {
  app!: TestApp;
  tenant!: Tenant;
  readonly #providers: FakeProvider[] = [];

  async start(): Promise<void> {
    this.app = await startTestApp({ worker: true, deliveries: true });
    this.tenant = await makeTenant(this.app);
    this.patience(10_000);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#providers.map((one) => one.stop()));
    await this.app.close();
  }

  /** Milliseconds that a provider may take. */
  patience(timeout: number): void {
    this.app.application.provide(telematicsSettings, { privateHosts: true, timeout });
  }

  async provider(answer: FakeProvider['answer']): Promise<FakeProvider> {
    const provider = await new FakeProvider().start();
    provider.answer = answer;
    this.#providers.push(provider);
    return provider;
  }

  async run(document: string, variables: object): Promise<Json> {
    const { data, errors } = await this.tenant.gql(document, { ...variables });
    if (errors) throw new Error(JSON.stringify(errors));
    return Object.values(data)[0];
  }

  /** Connects a fleet that is not read until `poll` is called. */
  async connect(input: object): Promise<Json> {
    const connected = await this.run(
      `mutation($input: ConnectTelematicsFleetInput!) { connectTelematicsFleet(input: $input) { ${FIELDS} } }`,
      { input: { name: 'Trucks', ...input } },
    );
    // The worker may have begun with it already.
    await this.pause(connected.id);
    await this.app.settled();
    return connected;
  }

  pause = (id: string): Promise<Json> => this.run('mutation($id: ID!) { pauseTelematicsFleet(id: $id) { id } }', { id });

  /** Reads the fleet once. @returns it afterwards, and the seconds until it is read next */
  async poll(id: string): Promise<Json> {
    // Due without a word to the fleet, whose failures are counted.
    await this.app.orm.em.execute(
      `update telematics_fleet set next_poll_at = now(), last_asked_at = null, state = case when state = 'paused' then 'connected' else state end where id = ?`,
      [id],
    );
    await this.app.settled();
    const fleet = await this.fleet(id);
    await this.app.orm.em.execute('update telematics_fleet set next_poll_at = null where id = ?', [id]);
    return fleet;
  }

  async fleet(id: string): Promise<Json> {
    const fleet = await this.run(`query($id: ID!) { telematicsFleet(id: $id) { ${FIELDS} } }`, { id });
    const [row] = await this.app.orm.em.execute<{ cursor: string | null; seconds: number | null }[]>(
      'select cursor, round(extract(epoch from next_poll_at - now()))::int as seconds from telematics_fleet where id = ?',
      [id],
    );
    return { ...fleet, ...row };
  }

  vehicles = (fleetId: string): Promise<Json[]> => this.tenant.must('GET', `/v1/telematics/fleets/${fleetId}/remote_vehicles`);

  /** Says that a vehicle is a machine whose positions are always kept, since an hour. @returns the machine */
  async link(fleetId: string, name: string): Promise<string> {
    const company = ref(this.tenant.company);
    const equipmentType = ref(await this.tenant.save(EquipmentType, { company, name: `Paver ${Math.random()}` }));
    const { id } = await this.tenant.save(Equipment, { company, name, equipmentType });
    await this.tenant.save(MovingSite, { companyId: this.tenant.company.id, siteId: await this.site(), equipmentId: id });
    const vehicle = (await this.vehicles(fleetId)).find((one) => one.remote_vehicle_external_name === name);
    await this.tenant.must('PATCH', `/v1/telematics/remote_vehicles/${vehicle.id}`, { equipment_id: id });
    await this.app.orm.em.execute(`update telematics_remote_vehicle set linked_at = now() - interval '1 hour' where id = ?`, [vehicle.id]);
    return id;
  }

  async site(): Promise<string> {
    return (await this.tenant.must('POST', '/v1/sites', { name: `Road ${Math.random()}`, lat: 30, lon: -97 })).id;
  }

  positions = (equipmentId: string): Promise<Json[]> =>
    this.app.orm.em.execute(
      `select provider_key as key, occurred_at as at, lat::text, lon::text, speed_meters_per_second as speed, bearing_degrees as bearing, source
       from location_history where equipment_id = ? order by occurred_at`,
      [equipmentId],
    );
}

/** A moment some seconds ago, as providers write it. */
export const ago = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString();

/** Answers by path; what is not named is 404. */
export const byPath =
  (replies: Record<string, Plain | ((asked: Asked) => Plain)>): FakeProvider['answer'] =>
  (asked) => {
    const reply = replies[asked.path] ?? { status: 404 };
    return typeof reply === 'function' ? reply(asked) : reply;
  };
