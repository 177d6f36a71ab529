import type { Facts, Type } from './facts.ts';
import { isChoice, isNullable } from './fit.ts';

/** Returns a value for a field that holds an id: that of a record of the right kind. */
export type IdOf = (field: string) => string | undefined;

let made = 0;
let prices = 0;

/** Returns a body that fits a request shape: its required fields, without any that would require knowledge. */
export function sample(facts: Facts, type: Type, idOf: IdOf, field = ''): unknown {
  if (Array.isArray(type)) {
    const one = sample(facts, type[0] as Type, idOf, field.replace(/s$/, ''));
    return one === undefined ? [] : [one];
  }
  if (typeof type === 'string') return sampleOfName(facts, type, idOf, field);
  if (isNullable(type)) return sample(facts, type.nullable, idOf, field);
  if (isChoice(type)) return sample(facts, type.oneOf[0] as Type, idOf, field);
  return Object.fromEntries(
    Object.entries(type)
      .filter(([name]) => !name.endsWith('?'))
      .map(([name, of]) => [name, sample(facts, of, idOf, name)]),
  );
}

function sampleOfName(facts: Facts, text: string, idOf: IdOf, field: string): unknown {
  const type = text.replace(/ \| null$/, '');
  const standard = / =(\S+)/.exec(type)?.[1];
  const enumeration = facts.enums[type.replace(/^enum /, '').replace(/ =.*$/, '')];
  if (enumeration) return standard ?? preferred(field, enumeration);
  const shape = facts.shapes[type];
  if (shape) return { ...(sample(facts, shape, idOf, field) as object), ...extras(type, idOf) };
  const id = /^string:uuid/.test(type) || /_ids?$/.test(field) ? idOf(field) : undefined;
  // Telephones and other systems choose their own ids.
  if (id !== undefined || type.startsWith('string:uuid')) return id;
  const among = / in (\S+)/.exec(type)?.[1];
  if (among) return among.split('|')[0];
  // Events are in the past, and an end comes after its beginning.
  if (/^string:date-time/.test(type) && field === 'occurred_at') return new Date().toISOString();
  if (/^string:date-time/.test(type) && field.startsWith('end')) return new Date(Date.now() + 2 * 86_400_000).toISOString();
  if (type.startsWith('string:date-time')) return new Date(Date.now() + 86_400_000).toISOString();
  if (type.startsWith('string:date')) return new Date().toISOString().slice(0, 10);
  if (type.startsWith('string:email')) return `contract-${++made}@example.com`;
  // A form has a file there.
  if (type.endsWith(':binary')) return '';
  if (type.startsWith('string')) return textFor(field);
  if (type.startsWith('boolean')) return standard === 'true';
  if (/^(integer|number)/.test(type)) return Number(standard ?? />=(-?\d+)/.exec(type)?.[1] ?? 1);
  return {};
}

/** Fields that are required although the contract leaves them open. */
function extras(shape: string, idOf: IdOf): object {
  if (shape === 'Project-Create') return { account_id: idOf('customer_account_id') };
  // The jobs whose files they are, and the kind of archive (D-FILES-10).
  if (shape === 'BulkDownload-Create') return { type: 'zip', job_ids: [idOf('job_id')] };
  // A material has one price for each combination, so the second one is for a site.
  if (shape === 'MaterialRate-Create') return ++prices % 2 === 0 ? { site_id: idOf('site_id') } : {};
  return {};
}

const preferred = (field: string, values: string[]): string | undefined =>
  field === 'time_zone' ? 'America/Chicago' : field.includes('country') ? 'US' : values[0];

function textFor(field: string): string {
  if (field.includes('email')) return `contract-${++made}@example.com`;
  if (field.includes('phone')) return `+1512555${String(1000 + (++made % 9000))}`;
  if (field.includes('color')) return '#336699';
  if (field === 'country') return 'US';
  if (field === 'administrative_area') return 'TX';
  if (field === 'postal_code') return '78701';
  if (field === 'lat' || field === 'lon') return '30';
  return `Contract ${++made}`;
}
