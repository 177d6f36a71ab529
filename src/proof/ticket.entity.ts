import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Company } from '../directory/company.entity.ts';
import { Load } from '../dispatch/load.entity.ts';
import { Instant, One, RecordBase, Text } from '../platform/database/columns.ts';
import { extendEntity, Tenant } from '../platform/read/decorators.ts';

/** Proves a load. What it holds besides, its states and its events come with proof of work; a load shows this much of it. */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class Ticket extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => Load, { hidden: true }) load?: Ref<Load> | null;
  @Text() ticketNumber?: string | null;
  @Text() previewUrl?: string | null;
  @Instant({ hidden: true }) voidedAt?: Date | null;
}

extendEntity(Load, { ticket: { one: () => Ticket, foreign: 'load' } });
