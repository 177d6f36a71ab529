import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { Instant, One, RecordBase, Text, Texts, Uuid } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';
import { connectionOf } from '../../platform/read/connection.ts';
import { defineSearch } from '../../platform/read/grammar.ts';
import { WholeNumber } from '../../platform/scalars.ts';

/** A vehicle or machine as a telematics provider knows it. Polls add it; people say which equipment it is. */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'A vehicle or machine as a telematics provider knows it.' })
export class TelematicsRemoteVehicle extends RecordBase {
  @Uuid({ required: true, hidden: true }) companyId!: string;
  @Uuid({ required: true, description: 'The fleet that it is in.' }) telematicsFleetId!: string;
  @Text({ required: true, description: "The provider's id of the vehicle." }) externalKey!: string;
  @Property({ type: 'double' })
  @Field(() => WholeNumber, {
    description: "The provider's id where it is a number of at most 15 digits, otherwise a number within the fleet.",
  })
  remoteVehicleExternalId!: number;
  @Text({ required: true, description: 'The name that the provider shows.' }) remoteVehicleExternalName!: string;
  @Text({ description: 'Make and model.' }) remoteVehicleExternalModel?: string | null;
  @Text({ description: 'The licence plate.' }) remoteVehicleExternalLicensePlateNumber?: string | null;
  @Text({ description: 'Vehicle identification number, or the serial number of a machine.' }) vin?: string | null;
  @One(() => Equipment, { description: 'The equipment that it is; null until somebody says so.' }) equipment?: Ref<Equipment> | null;
  @Instant({ description: 'Since when its positions are those of the equipment.' }) linkedAt?: Date | null;
  @Instant({ description: 'The time of its newest position.' }) lastSeenAt?: Date | null;
  @Texts({ hidden: true }) keptFields: string[] = [];
}

export const TelematicsRemoteVehicleConnection = connectionOf('TelematicsRemoteVehicle', () => TelematicsRemoteVehicle);

export const remoteVehicleEquipmentKey = defineUnique('telematics_remote_vehicle_equipment_key', {
  model: 'TelematicsRemoteVehicle',
  field: 'equipmentId',
  key: 'equipment_followed',
});

/** `search[datagrid]`: name, model, plate and VIN of the vehicle, and the name of its equipment. */
export const remoteVehicleSearch = defineSearch(
  TelematicsRemoteVehicle,
  (t, p) => `${t}.remote_vehicle_external_name ilike ${p} or ${t}.remote_vehicle_external_model ilike ${p}
    or ${t}.remote_vehicle_external_license_plate_number ilike ${p} or ${t}.vin ilike ${p} or ${t}.external_key ilike ${p}
    or exists (select 1 from equipment e where e.id = ${t}.equipment_id and e.name ilike ${p})`,
);
