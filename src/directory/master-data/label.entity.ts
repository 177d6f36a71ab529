import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { Instant, One, RecordBase, Text } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';
import { Company } from '../companies/company.entity.ts';

/** A word and a colour that a company sorts its people by. */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class Label extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  /** `#RRGGBB`. */
  @Text({ required: true }) color!: string;
  @Instant() discardedAt?: Date | null;
}
