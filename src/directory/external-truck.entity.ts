import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { One, RecordBase, Text } from '../platform/database/columns.ts';
import { Tenant } from '../platform/read/decorators.ts';
import { Account } from './account.entity.ts';
import { Company } from './company.entity.ts';
import { Equipment } from './equipment.entity.ts';

/** What a vendor calls one of the trucks: its tickets name the truck by this. */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class AccountExternalTruckIdentifier extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => Account, { required: true }) account!: Ref<Account>;
  @One(() => Equipment, { required: true }) equipment!: Ref<Equipment>;
  @Text({ required: true }) externalTruckId!: string;
}
