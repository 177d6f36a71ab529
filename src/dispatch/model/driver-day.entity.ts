import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { Day, Instant, One, RecordBase, Text } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';
import { jobOfPerson } from '../access/own-work.sql.ts';

/** A day on which a driver was on duty, in the time zone of their company (DOMAIN 1.6). Signatures and files of a shift are attached to it. */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'A day on which a driver was on duty.' })
export class DriverDay extends RecordBase {
  /** The driver's company. */
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @One(() => User, { required: true }) driver!: Ref<User>;
  @Day({ required: true, description: 'The date on which the shift began, in the time zone of the company.' }) driverDayDate!: string;
  @Text({ required: true, description: 'Friendly number.' }) driverDayId!: string;
  /**
   * The instants between which the date lasts, end exclusive. They are stored so that days stay as they were when a company moves to
   * another time zone.
   */
  @Instant({ required: true, hidden: true }) startsAt!: Date;
  @Instant({ required: true, hidden: true }) endsAt!: Date;
}

export const driverDayKey = defineUnique('driver_day_key', { model: 'DriverDay', field: 'driverDayDate' });

/** The condition that a job belongs to a day: its driver was to begin it then. @param d alias of a day */
export const jobOfDay = (j: string, d: string): string =>
  `(${j}.driver_id = ${d}.driver_id and ${j}.job_start_at >= ${d}.starts_at and ${j}.job_start_at < ${d}.ends_at)`;

/** The condition for a day of the person, or one with a job that they may read. */
export const dayOfPerson = (d: string, p: string): string =>
  `(${d}.driver_id = ${p} or exists (select 1 from job dj where ${jobOfDay('dj', d)} and ${jobOfPerson('dj', p)}))`;
