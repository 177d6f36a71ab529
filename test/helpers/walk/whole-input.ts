import { type GraphQLInputType, GraphQLString, getNamedType, getNullableType, isEnumType, isInputObjectType, isListType } from 'graphql';
import type { Tenant } from '../tenant.ts';
import type { Ids } from './ids.ts';
import { KINDS } from './kinds.ts';
import { sampleInput } from './samples.ts';

let made = 0;

/** A value of each scalar that most fields accept. */
const SCALARS: Record<string, unknown> = {
  Boolean: true,
  Int: 3,
  Float: 30.5,
  Decimal: '2',
  Date: '2026-12-01',
  DateTime: '2026-12-01T12:00:00.000Z',
  DateTimeISO: '2026-12-01T12:00:00.000Z',
};

/**
 * Returns an input with every field except those left out; only the server knows whether they can be sent together.
 * @param given the required fields, which are not changed
 */
export function wholeInput(
  type: GraphQLInputType,
  tenant: Tenant,
  ids: Ids,
  given: object,
  without: ReadonlySet<string>,
  inside = false,
): object {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return given;
  const more = Object.values(named.getFields())
    .filter(({ name }) => (given as Record<string, unknown>)[name] === undefined && !without.has(name))
    .map((field) => [field.name, filled(field.name, field.type, tenant, ids, inside)] as const);
  return { ...given, ...Object.fromEntries(more.filter(([, value]) => value !== undefined)) };
}

function filled(name: string, type: GraphQLInputType, tenant: Tenant, ids: Ids, inside: boolean): unknown {
  const kind = getNullableType(type);
  if (isListType(kind)) {
    const one = filled(name, kind.ofType as GraphQLInputType, tenant, ids, inside);
    return one === undefined ? undefined : [one];
  }
  if (isEnumType(kind)) return kind.getValues()[0]!.name;
  if (isInputObjectType(kind)) {
    // An input within an input has its required fields only.
    const least = sampleInput(kind, tenant, ids) as object;
    return inside ? least : wholeInput(kind, tenant, ids, least, new Set(), true);
  }
  if (String(kind) === 'ID') return ids[KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'order'];
  if (/email/i.test(name)) return `another${++made}@example.com`;
  if (/phone/i.test(name)) return `+1512555${String(1000 + (++made % 9000))}`;
  if (/zone/i.test(name)) return 'America/Denver';
  if (kind === GraphQLString) return `Another ${++made}`;
  if (/color/i.test(name)) return '#123456';
  return SCALARS[String(kind)];
}
