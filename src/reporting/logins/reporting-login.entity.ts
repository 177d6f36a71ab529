import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { Instant, One, RecordBase, Text } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';

/** Permissions that a login may have: those by which views show more or less. */
export const LOGIN_PERMISSIONS = [
  'view_settlements',
  'view_customer_rates',
  'view_vendor_rates',
  'view_driver_rates',
  'view_imports',
] as const;
export type LoginPermission = (typeof LOGIN_PERMISSIONS)[number];

/** A login to PostgreSQL by which a BI tool reads what a company publishes. PostgreSQL keeps its password. */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true, description: 'A login to PostgreSQL by which a BI tool reads the views of its company.' })
export class ReportingLogin extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true, description: 'Its purpose.' }) name!: string;
  @Text({ required: true, description: 'With what the BI tool signs in, in addition to the password.' }) username!: string;
  @Property({ type: 'text[]', columnType: 'text[]', defaultRaw: `'{}'` })
  @Field(() => [String], { description: 'Permissions of the login by name; columns that take another one are null.' })
  permissions: LoginPermission[] = [];
  @Instant({ required: true, description: 'When the password was made. Sessions that are older have ended.' }) passwordMadeAt!: Date;
  @Instant({ description: 'When it was revoked.' }) revokedAt?: Date | null;
}
