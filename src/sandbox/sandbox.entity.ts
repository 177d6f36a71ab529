import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { Company } from '../directory/companies/company.entity.ts';
import { defineUnique } from '../platform/commands/unique.ts';
import { Instant, One, RecordBase, Text } from '../platform/model/columns.ts';
import { Computed } from '../platform/model/decorators.ts';
import { DateTime } from '../platform/scalars.ts';

/** Its clock, in the row of table `t`. */
const TIME = (t: string) => `now() + ${t}.ahead_seconds * interval '1 second'`;

/** A company to try things in, with a clock of its own. Its id is that of its company. */
@Entity()
@ObjectType({
  simpleResolvers: true,
  description:
    'A company to try things in, with a clock of its own. Its id is that of its company. Nothing of it is among the data of real companies.',
})
export class Sandbox extends RecordBase {
  /** The company whose administrator made it. */
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @Text({ required: true, description: 'Its purpose; the name of its company.' }) name!: string;
  @Text({ required: true, description: 'The e-mail address by which its administrator signs in.' }) administrator!: string;
  @Text({ required: true, description: 'The client id of its machine client, which has the permissions of an administrator.' })
  clientId!: string;
  /** The time by which its clock is ahead. */
  @Property({ type: 'bigint' }) aheadSeconds: number = 0;
  @Instant({ required: true, description: 'When it is deleted, with everything in it. This is the time of the world.' }) endsAt!: Date;

  @Field(() => Boolean, { description: 'True: what is read with its keys is not real.' })
  @Computed({ columns: ['id'], compute: () => true })
  sandbox!: boolean;

  @Field(() => DateTime, { description: 'The time of its clock.' })
  @Computed({ sql: TIME })
  time!: Date;

  @Field(() => Int, { description: 'Which day it is by its clock; the first is 1.' })
  @Computed({ sql: (t) => `floor(extract(epoch from ${TIME(t)} - ${t}.created_at) / 86400)::int + 1` })
  day!: number;
}

export const sandboxWorldKey = defineUnique('sandbox_world_key', { model: 'Sandbox', field: 'id' });
