import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Choice, Instant, One, RecordBase, Text } from '../platform/database/columns.ts';
import { Tenant } from '../platform/read/decorators.ts';
import { ActivityState } from './activity-state.ts';
import { Company } from './company.entity.ts';
import { EquipmentType } from './equipment-type.entity.ts';
import { Site } from './site.entity.ts';

/** A truck, trailer or machine. */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class Equipment extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @One(() => EquipmentType, { required: true }) equipmentType!: Ref<EquipmentType>;
  @Text() externalId?: string | null;
  /** Friendly number painted on the door. */
  @Text() equipmentId?: string | null;
  @Text() licenseNumber?: string | null;
  @Text() zone?: string | null;
  @Text() accountingId?: string | null;
  @Choice(() => ActivityState, { required: true }) state: ActivityState = 'active';
  @One(() => Site) homeBase?: Ref<Site> | null;
  @Instant() discardedAt?: Date | null;
}
