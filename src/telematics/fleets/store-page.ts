import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import { type MeasuredPosition, recordPositions } from '../positions/record-positions.ts';
import type { RemotePosition, RemoteVehicle } from './providers/provider.ts';

/** A fleet whose row is locked. */
export interface StoringFleet {
  id: string;
  companyId: string;
}

/** Milliseconds that a provider's clock may be ahead of ours, and after which a position must have been waiting for a network. */
const AHEAD = 5 * 60_000;
const LATE = 5 * 60_000;
/** A number by which a vehicle may be called: more digits are not read exactly by every client. */
const NUMBER = /^\d{1,15}$/;

interface Known {
  key: string;
  equipmentId: string | null;
  linkedAt: Date | null;
}

/**
 * Stores what a provider said of vehicles and where they were: vehicles that are new are added, names follow the provider until a person sets
 * them. A position is that of the equipment if the vehicle was linked to it then; others are nobody's and are dropped, as are those of the future.
 */
export async function storePage(
  tx: TxContext,
  fleet: StoringFleet,
  { vehicles, positions }: { vehicles: readonly RemoteVehicle[]; positions: readonly RemotePosition[] },
): Promise<void> {
  const now = tx.tx.now.getTime();
  const past = positions.filter(({ occurredAt }) => occurredAt.getTime() <= now + AHEAD);
  const known = await storeVehicles(tx, fleet, vehicles, past);
  const measured = past.flatMap(({ key, ...position }): MeasuredPosition[] => {
    const vehicle = known.get(key);
    if (!vehicle?.equipmentId || !vehicle.linkedAt || position.occurredAt < vehicle.linkedAt) return [];
    return [
      {
        ...{ companyId: fleet.companyId, equipmentId: vehicle.equipmentId, jobId: null },
        ...{ deviceId: `${fleet.id} ${key}`, providerKey: key },
        ...{ occurredAt: position.occurredAt, lat: position.lat, lon: position.lon, accuracy: null },
        ...{ speedMetersPerSecond: position.speed, bearingDegrees: position.bearing },
        offlineMode: now - position.occurredAt.getTime() > LATE,
      },
    ];
  });
  await recordPositions(tx, measured);
  const newest = past.reduce<Date | null>((last, { occurredAt }) => (last && last >= occurredAt ? last : occurredAt), null);
  await queryIn(tx.em, 'update telematics_fleet set last_position_at = greatest(last_position_at, $2::timestamptz) where id = $1', [
    fleet.id,
    newest,
  ]);
}

/** Names that the provider gives, of which those stay that a person has set. */
const named = (column: string, field: string): string =>
  `${column} = case when '${field}' = any(v.kept_fields) then v.${column} else coalesce(excluded.${column}, v.${column}) end`;

const STORE = `insert into telematics_remote_vehicle as v (id, company_id, telematics_fleet_id, external_key, remote_vehicle_external_id,
    remote_vehicle_external_name, remote_vehicle_external_model, remote_vehicle_external_license_plate_number, vin, last_seen_at)
  select g.id, $1, $2, g.key, g.number, coalesce(g.name, g.key), g.model, g.plate, g.vin, g.seen
  from unnest($3::uuid[], $4::text[], $5::float8[], $6::text[], $7::text[], $8::text[], $9::text[], $10::timestamptz[])
    as g (id, key, number, name, model, plate, vin, seen) order by g.key
  on conflict (telematics_fleet_id, external_key) do update set
    remote_vehicle_external_name = case when 'remoteVehicleExternalName' = any(v.kept_fields) or excluded.remote_vehicle_external_name = v.external_key
      then v.remote_vehicle_external_name else excluded.remote_vehicle_external_name end,
    ${named('remote_vehicle_external_model', 'remoteVehicleExternalModel')},
    ${named('remote_vehicle_external_license_plate_number', 'remoteVehicleExternalLicensePlateNumber')},
    vin = coalesce(excluded.vin, v.vin), last_seen_at = greatest(v.last_seen_at, excluded.last_seen_at), updated_at = now()
  returning external_key as key, equipment_id as "equipmentId", linked_at as "linkedAt"`;

async function storeVehicles(
  tx: TxContext,
  fleet: StoringFleet,
  vehicles: readonly RemoteVehicle[],
  positions: readonly RemotePosition[],
): Promise<Map<string, Known>> {
  const all = new Map<string, RemoteVehicle & { seen: Date | null }>();
  for (const vehicle of vehicles) all.set(vehicle.key, { ...all.get(vehicle.key), ...vehicle, seen: null });
  for (const { key, occurredAt } of positions) {
    const vehicle = all.get(key) ?? { key, seen: null };
    all.set(key, { ...vehicle, seen: vehicle.seen && vehicle.seen >= occurredAt ? vehicle.seen : occurredAt });
  }
  if (all.size === 0) return new Map();
  const list = [...all.values()];
  const numbers = await numbersOf(tx, fleet, list);
  const rows = await queryIn<Known>(tx.em, STORE, [
    ...[fleet.companyId, fleet.id, list.map(() => newId()), list.map(({ key }) => key), numbers],
    ...[list.map(({ name }) => name ?? null), list.map(({ model }) => model ?? null), list.map(({ licensePlate }) => licensePlate ?? null)],
    ...[list.map(({ vin }) => vin ?? null), list.map(({ seen }) => seen)],
  ]);
  return new Map(rows.map((row) => [row.key, { ...row, linkedAt: row.linkedAt && new Date(row.linkedAt) }]));
}

/** The number of each vehicle: its key where that is one, otherwise the next of the fleet, whose row is locked. */
async function numbersOf(tx: TxContext, { id }: StoringFleet, list: readonly RemoteVehicle[]): Promise<number[]> {
  if (list.every(({ key }) => NUMBER.test(key))) return list.map(({ key }) => Number(key));
  const [row] = await queryIn<{ highest: number; keys: string[] }>(
    tx.em,
    `select coalesce(max(remote_vehicle_external_id), 0) as highest, coalesce(array_agg(external_key), '{}') as keys
     from telematics_remote_vehicle where telematics_fleet_id = $1`,
    [id],
  );
  const known = new Set(row!.keys);
  let last = Math.max(row!.highest, ...list.map(({ key }) => (NUMBER.test(key) ? Number(key) : 0)));
  return list.map(({ key }) => (NUMBER.test(key) ? Number(key) : known.has(key) ? 0 : ++last));
}
