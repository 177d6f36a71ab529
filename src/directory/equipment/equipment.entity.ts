import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { Choice, Instant, One, RecordBase, stringEnum, Text, Uuids } from '../../platform/model/columns.ts';
import { Many, Single, Tenant } from '../../platform/model/decorators.ts';
import { Company } from '../companies/company.entity.ts';
import { ActivityState } from '../master-data/activity-state.ts';
import { Label } from '../master-data/label.entity.ts';
import { CompanyShare } from '../shares/company-share.entity.ts';
import { shareOf } from '../shares/shared-with.ts';
import { Site } from '../sites/site.entity.ts';
import { EquipmentType } from './equipment-type.entity.ts';

export const EquipmentOwnership = stringEnum('EquipmentOwnership', ['internal', 'external']);
export type EquipmentOwnership = keyof typeof EquipmentOwnership;

/** A truck, trailer or machine. */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class Equipment extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @One(() => EquipmentType, { required: true }) equipmentType!: Ref<EquipmentType>;
  @Text() externalId?: string | null;
  /** The number painted on the door; PostgreSQL assigns the company's next one. */
  @Text() equipmentId?: string | null;
  @Text() licenseNumber?: string | null;
  @Text() zone?: string | null;
  @Text() accountingId?: string | null;
  @Choice(() => ActivityState, { required: true }) state: ActivityState = 'active';
  /** Whether the truck belongs to the company, or to an owner-operator for whom the company keeps a record. */
  @Choice(() => EquipmentOwnership, { required: true }) ownership: EquipmentOwnership = 'internal';
  @One(() => Site) homeBase?: Ref<Site> | null;
  @Uuids({ hidden: true }) labelIds: string[] = [];
  @Instant() discardedAt?: Date | null;

  @Many(() => Label, { ids: 'labelIds' }) labels!: Label[];

  /** By which the reader has it, when it is another company's. */
  @Single(() => CompanyShare, { on: shareOf('Equipment') }) companyShare?: CompanyShare | null;
}

export const equipmentExternalIdKey = defineUnique('equipment_external_id_key', { model: 'Equipment', field: 'externalId' });
