import { ref } from '@mikro-orm/core';
import { changePart } from '../../platform/commands/change-part.ts';
import { applyInputParts } from '../../platform/commands/input-parts.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { isZone } from '../../platform/time.ts';
import { changeAddress, makeAddress } from '../contacts/addresses.ts';
import { changeContact, isOneLine, makeContact } from '../contacts/contacts.ts';
import type { Company } from './company.entity.ts';
import { type CreateCompanyInput, SIGN_IN_METHODS, type UpdateCompanyInput } from './company.inputs.ts';

/** Fields that null clears. */
const CLEARED = ['dbaName', 'defaultLat', 'defaultLon', 'siteRadius', 'fuelSurchargePercentage'] as const;
/** Fields a company always has: null is an error. */
const KEPT = [
  'legalName',
  'platformCustomer',
  'language',
  'dateFormat',
  'timeFormat',
  'systemOfMeasure',
  'unitOfDistance',
  'currency',
  'timeZone',
  'usageStatus',
  'saasBillingPlan',
  'billingStatus',
  'companyType',
  'authMethods',
  'autoCompleteOrder',
  'aiReviewLoads',
  'defaultGeofenceDelaySeconds',
] as const;

/** Sets the fields of the input on a company; absent fields are kept. Contacts and addresses are changed in place. */
export async function applyCompanyFields(
  tx: TxContext,
  company: Company,
  input: CreateCompanyInput | UpdateCompanyInput,
  to: ErrorCollector,
): Promise<void> {
  const report = (field: string, key: string) => to.items.push({ model: to.model, field, key });
  for (const name of CLEARED) if (input[name] !== undefined) Object.assign(company, { [name]: input[name] });
  for (const name of KEPT) {
    if (input[name] === null) report(name, 'required');
    else if (input[name] !== undefined) Object.assign(company, { [name]: input[name] });
  }
  if (input.dbaName != null) company.dbaName = input.dbaName.trim() || null;
  if (input.legalName) company.legalName = input.legalName.trim();
  if (input.legalName?.trim() === '') report('legalName', 'required');
  else if (input.legalName && !isOneLine(company.legalName)) report('legalName', 'one_line');
  if (typeof input.timeZone === 'string' && !isZone(input.timeZone)) report('timeZone', 'not_a_time_zone');
  if (input.authMethods) {
    if (!input.authMethods.some((method) => SIGN_IN_METHODS.includes(method))) report('authMethods', 'at_least_one_auth_method');
    company.authMethods = [...new Set(input.authMethods)];
  }
  for (const name of ['primaryContact', 'billingContact'] as const) {
    const given = input[name];
    if (given === undefined) continue;
    const known = await company[name]?.load();
    if (given === null || given._destroy) company[name] = null;
    else if (known) changePart(tx, company, known, () => changeContact(known, given, name, to));
    else company[name] = ref(makeContact(tx.em, company.id, given, name, to));
  }
  await applyInputParts(tx, company, input, to);
  const { address } = input;
  if (address === undefined) return;
  const known = await company.address?.load();
  if (address === null || ('_destroy' in address && address._destroy)) company.address = null;
  else if (known) changePart(tx, company, known, () => changeAddress(known, address, 'address', to));
  else company.address = ref(makeAddress(tx.em, company.id, address, 'address', to));
}
