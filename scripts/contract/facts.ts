import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The form in which the contract writes a type: `string:uuid | null`, a shape's name, `[X]`, an inline object, alternatives. */
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

/** Operations on records that only an operator of the platform makes. */
export const WAITS: Readonly<Record<string, string>> = {
  'GET /v1/companies/{company-id}/sms_integrations/{id}': 'an operator configures numbers before the start, by the id of their company',
};
