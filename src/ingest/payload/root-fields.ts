import { RateType } from '../../directory/master-data/units.ts';
import { type FieldKind, payloadColumnsOf, type WorkFields } from '../../dispatch/fields/work-fields.ts';
import { RequestedQuantityType } from '../../dispatch/model/states.ts';
import type { RootFields } from './payload-reader.ts';

/** Returns the root fields of a work record that payloads set, by kind. */
export function rootFieldsOf(fields: WorkFields): RootFields {
  const all = payloadColumnsOf(fields);
  const of = (kind: FieldKind) => all.flatMap(([column, its]) => (its === kind ? column : []));
  const choices = (kind: FieldKind, values: object) => Object.fromEntries(of(kind).map((column) => [column, values]));
  return {
    texts: of('text'),
    decimals: of('decimal'),
    wholes: of('whole'),
    flags: of('flag'),
    units: of('unit'),
    choices: { ...choices('rateType', RateType), ...choices('quantityType', RequestedQuantityType) },
  };
}
