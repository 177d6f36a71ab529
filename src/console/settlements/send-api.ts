import { ask, get } from '../server/request.ts';
import type { OneSettlement } from './settlements-api.ts';

/** Addresses, and where they are from, in words. */
export interface Addresses {
  emails: readonly string[];
  from: string;
}

/**
 * Returns the addresses to which a settlement is sent unless somebody says another one: those of the account's billing profile, or else that of its
 * billing contact, which is printed on it; of pay, that of the driver.
 */
export async function readAddresses({ customerAccount, vendorAccount, driver, company }: OneSettlement): Promise<Addresses> {
  const party = customerAccount ?? vendorAccount;
  if (!party) return said(driver?.email, 'The address of the driver.');
  const { profile, account } = await ask<{
    profile: { emails: string[] } | null;
    account: { billingContact: { email: string | null } | null };
  }>(
    `query($account: ID!, $company: ID) { profile: billingProfile(accountId: $account, companyId: $company) { emails }
      account(id: $account, companyId: $company) { billingContact { email } } }`,
    { account: party.id, company: company.id },
  );
  if (profile && profile.emails.length > 0) return { emails: profile.emails, from: 'As the billing profile of the account says.' };
  return said(account.billingContact?.email, 'The address of the billing contact of the account; its billing profile says none.');
}
const said = (email: string | null | undefined, from: string): Addresses =>
  email ? { emails: [email], from } : { emails: [], from: 'No address is known.' };

/** Sends a settlement as it is printed, to each of the addresses. */
export async function emailSettlement(id: string, emails: readonly string[]): Promise<void> {
  for (const email of emails)
    await ask('mutation($id: ID!, $input: EmailSettlementInput!) { emailSettlement(id: $id, input: $input) { id } }', {
      id,
      input: { email },
    });
}

/** A program for which a file is made. */
export interface FileFormat {
  /** In the address: a format, or the id of a template of the company. */
  value: string;
  name: string;
  isTemplate: boolean;
}
const FORMATS: readonly FileFormat[] = [
  { value: 'quickbooks_desktop', name: 'QuickBooks Desktop (IIF)', isTemplate: false },
  { value: 'quickbooks_online', name: 'QuickBooks Online (CSV)', isTemplate: false },
  { value: 'sage_100_contractor', name: 'Sage 100 Contractor (CSV)', isTemplate: false },
  { value: 'xero', name: 'Xero (CSV)', isTemplate: false },
];

/** Returns the formats that every company has, and behind them its own templates. */
export async function readFormats(company: string): Promise<readonly FileFormat[]> {
  const { templates } = await ask<{ templates: { nodes: { id: string; name: string }[] } }>(
    'query($company: ID) { templates: accountingTemplates(first: 100, companyId: $company) { nodes { id name } } }',
    { company },
  );
  return [...FORMATS, ...templates.nodes.map(({ id, name }) => ({ value: id, name, isTemplate: true }))];
}

/** The accounts that a file names beyond its settlement; empty for those that the format has by itself. */
export interface Accounts {
  account: string;
  taxAccount: string;
}
/** Returns a settlement as a file for an accounting system, and how the file is called. */
export async function readAccountingFile(
  { id, settlementId, company }: OneSettlement,
  { value, isTemplate }: FileFormat,
  { account, taxAccount }: Accounts,
): Promise<{ name: string; file: Blob }> {
  const asked = new URLSearchParams({ format: isTemplate ? 'template' : value, 'settlement_ids[]': id });
  if (isTemplate) asked.set('template_id', value);
  if (account.trim()) asked.set('account', account.trim());
  if (taxAccount.trim()) asked.set('tax_account', taxAccount.trim());
  const answer = await get(`/v1/companies/${company.id}/accounting_file?${asked}`);
  const [, ending] = /\.(\w+)"/.exec(answer.headers.get('content-disposition') ?? '') ?? [];
  return { name: `${settlementId}.${ending ?? 'csv'}`, file: await answer.blob() };
}
