import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How the contract writes a type: `string:uuid | null`, a shape's name, `[X]`, an inline object, alternatives. */
export type Type = string | Type[] | { oneOf: Type[] } | { nullable: Type } | Fields;
export interface Fields {
  [field: string]: Type;
}

/** One operation as the contract lists it. */
export interface Operation {
  method: string;
  path: string;
  group: string;
  internal?: boolean;
  deprecated?: boolean;
  query?: string[];
  media?: string[];
  body?: Type | null;
  status: number;
  /** Type of `data`; null for an answer without a body. */
  data: Type | null;
  errors: number[];
}

export interface Facts {
  operations: Operation[];
  shapes: Record<string, Fields>;
  enums: Record<string, string[]>;
}

/** @param folder with operations.json, shapes.json and enums.json */
export function readFacts(folder: string): Facts {
  const read = <T>(file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as T;
  return { operations: read('operations.json'), shapes: read('shapes.json'), enums: read('enums.json') };
}

/** Groups that are not built yet. */
export const NOT_YET = new Set([
  ...['AutoAddOnAssignments', 'AddOns', 'AddOnCharges', 'Integration', 'FuelSurcharges', 'Invoices', 'Reports', 'Settlements'],
  'LineItemType',
]);

/** Operations of finished groups on records that do not exist yet. */
export const WAITS: Readonly<Record<string, string>> = {
  'GET /v1/integrations/linked_accounts/{linked-account-id}/customers/accounts/typeahead': 'links to accounting come with billing',
  'GET /v1/integrations/linked_accounts/{linked-account-id}/vendors/accounts/typeahead': 'links to accounting come with billing',
  'GET /v1/companies/{company-id}/settlements/{settlement-id}/loads': 'settlements come with billing',
  'GET /v1/companies/{company-id}/settlements/{settlement-id}/tickets': 'settlements come with billing',
  'GET /v1/companies/{company-id}/driver_days/{driver-day-id}/invoices/payables': 'invoices come with billing',
  'GET /v1/companies/{company-id}/driver_days/{driver-day-id}/invoices/receivables': 'invoices come with billing',
  'GET /v1/companies/{company-id}/sms_integrations/{id}': 'an operator configures numbers before the start, by the id of their company',
  'PUT /v1/companies/{company-id}/jobs/{job-id}/pay': 'a job is paid when its invoice is approved',
  'PUT /v1/jobs/{job-id}/pay': 'a job is paid when its invoice is approved',
};
