import { accountingMessages } from './accounting.messages.ts';
import { LinkedAccountMutations, LinkedAccountResolver, LinkedRecordMutations, LinkedRecordQueries } from './accounting.resolver.ts';
import { AccountingItemResolver } from './accounting-item.resolver.ts';
import { ACCOUNTING_SECRETS, accountingSecretsReserved } from './accounting-secrets.ts';
import { exportMessages } from './exports/export.messages.ts';
import { InvoiceExportMutation, NoteInvoiceExportMutation, SettlementExportMutation } from './exports/export-mutations.ts';
import { ACCOUNTING_EXPORTS } from './exports/export-worker.ts';
import { exportedInvoice } from './exports/exported-invoice.ts';
import { exportedSettlement } from './exports/exported-settlement.ts';
import { settlementExportAccess } from './exports/settlement-export.access.ts';
import { SettlementExport, settlementExportKeys } from './exports/settlement-export.entity.ts';
import { AccountingFileResolver } from './files/accounting-file.resolver.ts';
import { ACCOUNTING_IMPORTS } from './import-worker.ts';
import { LinkedAccount, linkedAccountSourceKey } from './linked-account.entity.ts';
import { LinkedCustomer, LinkedItem, LinkedLedgerAccount, LinkedVendor, linkedRecordKeys } from './linked-records.entity.ts';
import { AccountingTemplate, accountingTemplateNameKey } from './templates/accounting-template.entity.ts';
import { AccountingTemplateMutations, AccountingTemplateQueries } from './templates/template.resolver.ts';

// The parts of the room that are about links to accounting systems and files for them; room.ts joins them to the rest.

/** The entities of the area. */
export const entities = [
  LinkedAccount,
  LinkedCustomer,
  LinkedVendor,
  LinkedItem,
  LinkedLedgerAccount,
  AccountingTemplate,
  SettlementExport,
];

/** The accesses to its records. */
export const access = [settlementExportAccess];

/** The fields that it adds to entities of other areas. */
export const extensions = [exportedSettlement, exportedInvoice];

/** The fields that its unique rules are about. */
export const constraints = [linkedAccountSourceKey, ...linkedRecordKeys, accountingTemplateNameKey, ...settlementExportKeys];

/** Its tasks across companies. */
export const purposes = [ACCOUNTING_SECRETS, accountingSecretsReserved, ACCOUNTING_IMPORTS, ACCOUNTING_EXPORTS];

/** Its messages. */
export const messages = [accountingMessages, exportMessages];

/** The fields of its interface. */
export const resolvers: Function[] = [
  LinkedAccountResolver,
  AccountingItemResolver,
  ...LinkedAccountMutations,
  ...LinkedRecordQueries,
  ...LinkedRecordMutations,
  ...AccountingTemplateQueries,
  AccountingTemplateMutations,
  AccountingFileResolver,
  SettlementExportMutation,
  InvoiceExportMutation,
  ...NoteInvoiceExportMutation,
];
