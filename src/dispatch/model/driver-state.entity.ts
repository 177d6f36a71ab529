import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { Choice, Instant, One, RecordBase, stringEnum, Uuid, Uuids } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';

export const DriverState = stringEnum('DriverState', ['on_duty', 'off_duty', 'break']);
export type DriverState = keyof typeof DriverState;

/** Where a state comes from: the driver's telephone, the office, or what the system saw the driver do. */
export const DriverStateSource = stringEnum('DriverStateSource', ['phone', 'web', 'automation']);
export type DriverStateSource = keyof typeof DriverStateSource;

/** A span in which a driver was on duty, on a break or off duty. The span without an end is the present state (DOMAIN 1.6). */
@Entity({ tableName: 'driver_state_event' })
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'A span in which a driver was on duty, on a break or off duty.' })
export class DriverStateEvent extends RecordBase {
  /** The driver's company. */
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @Uuid({ required: true }) userId!: string;
  @Choice(() => DriverState, { required: true }) state!: DriverState;
  @Instant({ required: true }) startedAt!: Date;
  @Instant({ description: 'Null while it lasts.' }) endedAt?: Date | null;
  @Choice(() => DriverStateSource, { required: true }) source: DriverStateSource = 'phone';
  /** The telephone's own id, by which a state that is sent twice begins once. */
  @Uuid({ hidden: true }) clientId?: string | null;
  /** Further ids by which the telephone said the same while it lasted. */
  @Uuids({ hidden: true }) repeatedClientIds: string[] = [];
  /** The day whose shift the state belongs to; off duty, the one whose shift it ended. */
  @Uuid({ hidden: true }) driverDayId?: string | null;
}

export const driverStateEventOpenKey = defineUnique('driver_state_event_open_key', { model: 'DriverStateEvent', field: 'state' });
export const driverStateEventClientKey = defineUnique('driver_state_event_client_key', {
  model: 'DriverStateEvent',
  field: 'id',
  key: 'other_event',
});

@ObjectType({ simpleResolvers: true })
export class TimeLogged {
  @Field(() => Int, { description: 'Minutes on duty since midnight, in the time zone of the driver.' }) totalTimeLogged!: number;
}
