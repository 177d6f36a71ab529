import { ref } from '@mikro-orm/core';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { allow, find } from '../../platform/authz/authorization.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import type { Where } from '../../platform/read/reader.ts';
import type { UpdateTelematicsRemoteVehicleInput } from './fleet.inputs.ts';
import { TelematicsRemoteVehicle } from './remote-vehicle.entity.ts';
import { MANAGES_FLEETS } from './telematics-fleet.entity.ts';

const model = 'TelematicsRemoteVehicle';
/** The fields that polls write, too, until a person sets them. */
const NAMED = ['remoteVehicleExternalName', 'remoteVehicleExternalModel', 'remoteVehicleExternalLicensePlateNumber'] as const;

/**
 * Says which equipment a vehicle is, null for none, and corrects what the provider says of it. Positions from then on are those of the
 * equipment; earlier ones stay unattributed.
 * @throws Missing, Denied, Invalid, also when another vehicle is that equipment
 */
export function updateRemoteVehicle(ctx: Context, { id, companyId }: RecordPath, input: UpdateTelematicsRemoteVehicleInput): Promise<void> {
  return transact(ctx, async (tx) => {
    const vehicle = await find(tx, TelematicsRemoteVehicle, id, { companyId, lock: true });
    allow(tx, MANAGES_FLEETS);
    const items: ErrorItem[] = [];
    const report = (field: string, key: string, params?: ErrorItem['params']) => items.push({ model, field, key, params });
    if (input.telematicsFleetId !== undefined && input.telematicsFleetId?.toLowerCase() !== vehicle.telematicsFleetId)
      report('telematicsFleetId', 'stays_in_fleet');
    const number = input.remoteVehicleExternalId;
    if (number === null) report('remoteVehicleExternalId', 'required');
    const name = input.remoteVehicleExternalName?.trim();
    if (input.remoteVehicleExternalName !== undefined && !name) report('remoteVehicleExternalName', 'required');
    const { equipment } = await resolveReferences(
      tx,
      input,
      { equipment: [Equipment, 'equipmentId'] },
      { model, companyId: vehicle.companyId, items },
    );
    if (equipment && equipment.id !== vehicle.equipment?.id) await refuseOther(tx, vehicle, equipment, report);
    if (items.length > 0) throw new Invalid(items);
    if (typeof number === 'number') vehicle.remoteVehicleExternalId = number;
    for (const field of NAMED)
      if (input[field] !== undefined) {
        Object.assign(vehicle, { [field]: input[field]?.trim() || null });
        vehicle.keptFields = [...new Set([...vehicle.keptFields, field])];
      }
    if (equipment !== undefined && equipment?.id !== vehicle.equipment?.id) {
      vehicle.equipment = equipment && ref(equipment);
      vehicle.linkedAt = equipment && tx.tx.now;
    }
    emitEvent(tx, 'telematics_remote_vehicle.updated', vehicle);
  });
}

/** Reports discarded equipment, and equipment that another vehicle is already. */
async function refuseOther(
  tx: TxContext,
  vehicle: TelematicsRemoteVehicle,
  equipment: Equipment,
  report: (field: string, key: string, params?: ErrorItem['params']) => void,
): Promise<void> {
  if (equipment.discardedAt) return report('equipmentId', 'must_exist');
  const [other] = await queryIn<{ vehicle: string; fleet: string }>(
    tx.em,
    `select v.remote_vehicle_external_name as vehicle, f.name as fleet from telematics_remote_vehicle v
       join telematics_fleet f on f.id = v.telematics_fleet_id where v.equipment_id = $1 and v.id <> $2`,
    [equipment.id, vehicle.id],
  );
  if (other) report('equipmentId', 'equipment_taken', { vehicle: other.vehicle, fleet: other.fleet });
}

/** Letters and digits of a plate or number, as people compare them. */
const bare = (sql: string): string => `nullif(regexp_replace(upper(${sql}), '[^A-Z0-9]', '', 'g'), '')`;

/**
 * Equipment that a vehicle is likely to be: of its company, with the same plate, the same VIN as external id, or the same name, and followed
 * by no vehicle.
 */
export const suggestedFor = (vehicleId: string): Where => ({
  key: 'suggestedFor',
  sql: (
    t,
    p,
  ) => `${t}.discarded_at is null and exists (select 1 from telematics_remote_vehicle v where v.id = ${p} and v.company_id = ${t}.company_id
      and (${bare(`${t}.license_number`)} = ${bare('v.remote_vehicle_external_license_plate_number')}
        or ${bare(`${t}.external_id`)} = ${bare('v.vin')} or fold_text(${t}.name) = fold_text(v.remote_vehicle_external_name)))
    and not exists (select 1 from telematics_remote_vehicle o where o.equipment_id = ${t}.id)`,
  cast: 'uuid',
  value: vehicleId,
});
