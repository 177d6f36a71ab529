import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Phase } from '../../dispatch/model/phase.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { Choice, Day, One, RecordBase, stringEnum, Uuid, Whole } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';

export const ResourceUsageLoggableType = stringEnum(
  'ResourceUsageLoggableType',
  ['DriverDay', 'Job', 'Load'],
  'Kinds of records whose time is divided.',
);
export type ResourceUsageLoggableType = keyof typeof ResourceUsageLoggableType;

/** A part of the time of a day, a job or a load: on which truck, and for which phase. */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'A part of the time of a day, a job or a load, by truck and phase.' })
export class ResourceUsageLog extends RecordBase {
  /** The company of the day or job. */
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @Choice(() => ResourceUsageLoggableType, { required: true, description: 'The kind of record whose time is divided.' })
  resourceUsageLoggableType!: ResourceUsageLoggableType;
  @Uuid({ required: true, description: 'The record whose time is divided.' }) resourceUsageLoggableId!: string;
  @Uuid({ hidden: true }) driverDayId?: string | null;
  @Uuid({ hidden: true }) jobId?: string | null;
  @Uuid({ hidden: true }) loadId?: string | null;
  @Whole({ required: true, description: 'The minutes that were worked.' }) usageMinutes!: number;
  @Day({ required: true, description: 'The date of the day, or the next one of a shift over midnight.' }) dateOfUse!: string;
  @One(() => User, { required: true }) driver!: Ref<User>;
  @One(() => Equipment) equipment?: Ref<Equipment> | null;
  @One(() => Phase) phase?: Ref<Phase> | null;
}
