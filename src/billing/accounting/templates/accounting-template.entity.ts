import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Company } from '../../../directory/companies/company.entity.ts';
import { Audited } from '../../../platform/commands/audit.ts';
import { defineUnique } from '../../../platform/commands/unique.ts';
import { Choice, Flag, Instant, One, RecordBase, stringEnum, Text } from '../../../platform/model/columns.ts';
import { Tenant } from '../../../platform/model/decorators.ts';

/** The fields that a column of a template can show. */
export const AccountingField = stringEnum('AccountingField', [
  ...(['number', 'document_type', 'currency', 'date', 'due_date', 'total'] as const),
  ...(['party', 'party_accounting_id', 'party_external_id', 'party_email'] as const),
  ...(['line_number', 'service_date', 'item', 'description', 'quantity', 'rate', 'amount', 'account'] as const),
]);
export type AccountingField = keyof typeof AccountingField;

export const AccountingDelimiter = stringEnum('AccountingDelimiter', ['comma', 'semicolon', 'tab']);
export type AccountingDelimiter = keyof typeof AccountingDelimiter;

@ObjectType({ simpleResolvers: true, description: 'A column of a file for accounting.' })
export class AccountingTemplateColumn {
  @Field(() => String, { description: 'Its heading, as the system wants it.' }) heading!: string;
  @Field(() => AccountingField, { nullable: true, description: 'Its text; null if it has the same text in each row.' })
  field!: AccountingField | null;
  @Field(() => String, { nullable: true, description: 'The text of each row; null if it has a field.' }) text!: string | null;
}

export const accountingTemplateNameKey = defineUnique('accounting_template_name_key', { model: 'AccountingTemplate', field: 'name' });

/** Which columns a file for an accounting system has, chosen by the company (BILLING B12): there are more systems than we know. */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true, description: 'Which columns a file for an accounting system has.' })
export class AccountingTemplate extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true, description: 'The name by which people know it.' }) name!: string;
  /** In their order. */
  @Property({ type: 'json', columnType: 'jsonb' })
  @Field(() => [AccountingTemplateColumn], { description: 'The columns, from left to right.' })
  columns: AccountingTemplateColumn[] = [];
  @Flag({ required: true, default: true, description: 'Whether the first row has the headings.' }) withHeadings: boolean = true;
  @Choice(() => AccountingDelimiter, { required: true, description: 'The character between two cells.' }) delimiter: AccountingDelimiter =
    'comma';
  @Text({ description: 'How dates are written, such as `MM/DD/YYYY`; null as the company writes them.' }) dateFormat?: string | null;
  @Instant() discardedAt?: Date | null;
}
