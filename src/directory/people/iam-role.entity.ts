import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { Flag, One, RecordBase, Text, Texts, Whole } from '../../platform/model/columns.ts';
import { Computed } from '../../platform/model/decorators.ts';
import { Company } from '../companies/company.entity.ts';

/**
 * A role of people. The eight built-in roles belong to no company and are named by a key, which `User.roles` contains; their permissions
 * are in identity's matrix. The other roles belong to a company and list their permissions here.
 */
@Entity({ tableName: 'iam_role' })
@Audited()
@ObjectType({ simpleResolvers: true })
export class IamRole extends RecordBase {
  @One(() => Company, { hidden: true }) company?: Ref<Company> | null;
  /** Such as `company_admin`; only of built-in roles. */
  @Text({ description: 'The key of a built-in role, such as company_admin; null for roles of a company.' }) key?: string | null;
  @Text({ required: true }) name!: string;
  @Text() description?: string | null;
  /** Names of the catalogue, some as `<name>:own`; empty for built-in roles. */
  @Texts({ hidden: true }) grants: string[] = [];
  /** Place in a list of roles, from 0. */
  @Whole({ required: true }) ordinality: number = 100;
  /** False for platform administration, which companies cannot assign. */
  @Flag({ required: true, default: true }) visible: boolean = true;

  @Field(() => Boolean, { description: 'True for built-in roles, which cannot be changed.' })
  @Computed({ columns: ['key'], compute: (row) => row.key !== null })
  system!: boolean;
}
