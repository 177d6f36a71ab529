import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { AtMost, Length } from '../../../platform/graphql/rules.ts';
import { About } from '../../../platform/model/about.ts';
import { connectionOf, PageArgs } from '../../../platform/read/connection.ts';
import { AccountingDelimiter, AccountingField, AccountingTemplate } from './accounting-template.entity.ts';

export const AccountingTemplateConnection = connectionOf('AccountingTemplate', () => AccountingTemplate);

/** Columns of a file: more than any system asks for. */
const MOST_COLUMNS = 100;
/** Characters of a name, a heading or a text. */
const [NAME, HEADING] = [255, 100];
const optional = { nullable: true };

@InputType({ description: 'A column of a file: what it has, or the same text in each row. With neither, it is empty.' })
@About('AccountingTemplate')
export class AccountingTemplateColumnInput {
  @Field(() => String, { description: 'Its heading, as the system wants it.' }) @Length(1, HEADING) heading!: string;
  @Field(() => AccountingField, { nullable: true, description: 'Its content.' }) field?: AccountingField | null;
  @Field(() => String, { nullable: true, description: 'The text of each row.' }) @Length(1, HEADING) text?: string | null;
}

@InputType({ description: 'A change of a template: absent fields stay.' })
export class UpdateAccountingTemplateInput {
  @Field(() => String, optional) @Length(1, NAME) name?: string | null;
  @Field(() => [AccountingTemplateColumnInput], {
    nullable: true,
    description: 'All columns, from left to right; at most 100. `number` and `amount` are among them, by which the file is checked.',
  })
  @AtMost(MOST_COLUMNS)
  columns?: AccountingTemplateColumnInput[] | null;
  @Field(() => Boolean, { nullable: true, description: 'Whether the first row has the headings; by default, it has.' })
  withHeadings?: boolean | null;
  @Field(() => AccountingDelimiter, { nullable: true, description: 'The character between two cells; by default, a comma.' })
  delimiter?: AccountingDelimiter | null;
  @Field(() => String, {
    nullable: true,
    description: 'How dates are written, of `YYYY` or `YY`, `MM` and `DD`; null as the company writes them.',
  })
  @Length(6, 12)
  dateFormat?: string | null;
}

@InputType({ description: 'A template for files that an accounting system imports.' })
export class CreateAccountingTemplateInput extends UpdateAccountingTemplateInput {
  @Field(() => String) @Length(1, NAME) declare name: string;
  @Field(() => [AccountingTemplateColumnInput], {
    description: 'The columns, from left to right; at most 100. `number` and `amount` are among them, by which the file is checked.',
  })
  @AtMost(MOST_COLUMNS)
  declare columns: AccountingTemplateColumnInput[];
}

@ArgsType()
export class AccountingTemplateArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}
