import { KEPT, masterMutations } from '../../../directory/master-data/master-data.resolver.ts';
import { allow, companyOf } from '../../../platform/authz/authorization.ts';
import { Requires } from '../../../platform/authz/field-permissions.ts';
import { one, page, queriesOf } from '../../../platform/graphql/record-queries.ts';
import { MANAGES_ACCOUNTING } from '../settings.ts';
import { AccountingTemplate } from './accounting-template.entity.ts';
import {
  AccountingTemplateArgs,
  AccountingTemplateConnection,
  CreateAccountingTemplateInput,
  UpdateAccountingTemplateInput,
} from './template.inputs.ts';
import { accountingTemplates } from './templates.ts';

export const AccountingTemplateQueries = queriesOf(AccountingTemplate, {
  accountingTemplate: one(
    Requires(MANAGES_ACCOUNTING),
    (ctx) => {
      allow(ctx, MANAGES_ACCOUNTING);
      return { where: [KEPT] };
    },
    { description: 'Which columns a file for an accounting system has.' },
  ),
  accountingTemplates: page(
    Requires(MANAGES_ACCOUNTING),
    AccountingTemplateConnection,
    AccountingTemplateArgs,
    (args, ctx) => {
      companyOf(ctx, args.companyId);
      allow(ctx, MANAGES_ACCOUNTING);
      return { ...args, where: [KEPT] };
    },
    { description: 'The templates of a company for files that accounting systems import.' },
  ),
});

export const AccountingTemplateMutations = masterMutations(accountingTemplates, {
  create: { name: 'createAccountingTemplate', input: CreateAccountingTemplateInput },
  update: { name: 'updateAccountingTemplate', input: UpdateAccountingTemplateInput },
  discard: { name: 'deleteAccountingTemplate' },
});
