import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { One, RecordBase, Text } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';

/** The customer's number for a dispatch; tickets find their order by it. */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class DispatchNumber extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
}
