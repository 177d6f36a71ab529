import type { MasterKind } from '../../../directory/master-data/master-data.ts';
import { nameOf } from '../../../directory/master-data/named-kinds.ts';
import { type ErrorItem, Invalid } from '../../../platform/errors.ts';
import { MANAGES_ACCOUNTING } from '../settings.ts';
import { type AccountingField, AccountingTemplate } from './accounting-template.entity.ts';
import type { AccountingTemplateColumnInput, CreateAccountingTemplateInput, UpdateAccountingTemplateInput } from './template.inputs.ts';

const model = 'AccountingTemplate';
/** By which a file is read again, so that nobody gets one that does not add up. */
const NEEDED: readonly AccountingField[] = ['number', 'amount'];
/** A day, a month and a year in any order, with the same sign between them or with none. */
const DATES = /^(?=.*DD)(?=.*MM)(?:DD|MM|YYYY|YY)([-/. ]?)(?:DD|MM|YYYY|YY)\1(?:DD|MM|YYYY|YY)$/;

/** The rules of templates. */
export const accountingTemplates: MasterKind<AccountingTemplate, CreateAccountingTemplateInput, UpdateAccountingTemplateInput> & {
  entity: typeof AccountingTemplate;
} = {
  entity: AccountingTemplate,
  event: 'accounting_template',
  permissions: { create: MANAGES_ACCOUNTING, edit: MANAGES_ACCOUNTING, delete: MANAGES_ACCOUNTING },
  fill(_tx, template, input) {
    const items: ErrorItem[] = [];
    if (input.name !== undefined) template.name = nameOf(input.name, model, items);
    for (const field of ['columns', 'withHeadings', 'delimiter'] as const)
      if (input[field] === null) items.push({ model, field, key: 'required' });
    if (input.columns) template.columns = columnsOf(input.columns, items);
    template.withHeadings = input.withHeadings ?? template.withHeadings;
    template.delimiter = input.delimiter ?? template.delimiter;
    if (input.dateFormat && !(DATES.test(input.dateFormat) && input.dateFormat.includes('YY')))
      items.push({ model, field: 'dateFormat', key: 'not_a_date_format' });
    if (input.dateFormat !== undefined) template.dateFormat = input.dateFormat;
    if (items.length > 0) throw new Invalid(items);
  },
};

function columnsOf(columns: readonly AccountingTemplateColumnInput[], items: ErrorItem[]): AccountingTemplate['columns'] {
  for (const [i, { field, text }] of columns.entries())
    if (field && text) items.push({ model, field: `columns.${i}.text`, key: 'has_field_already' });
  for (const needed of NEEDED) {
    const places = columns.flatMap(({ field }, i) => (field === needed ? [i] : []));
    if (places.length === 0) items.push({ model, field: 'columns', key: 'without_needed_column', params: { column: needed } });
    // The file is read again by them.
    if (places.length > 1) items.push({ model, field: `columns.${places[1]}.field`, key: 'given_twice' });
  }
  return columns.map(({ heading, field, text }) => ({ heading, field: field ?? null, text: text ?? null }));
}
