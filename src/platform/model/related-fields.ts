import { type ClassType, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { Context } from '../context.ts';
import { type Registration, registration } from '../registration.ts';
import { type Extension, extendEntity, type Later, type PlannedRow } from './decorators.ts';

interface Described {
  /** For the schema. A field without one is described in `src/app/words`. */
  description?: string;
}

/** A field that shows one record (null if there is none), or a list of records. */
type RelatedField = Exclude<Extension, { columns: string[] } | { paged: Later } | { sql: unknown }> &
  Described & {
    /** Whether the viewer sees it at all; others read null, or an empty list. By default, everybody who sees the row. */
    seenBy?: (ctx: Context) => boolean;
  };
/** A field that shows a value which SQL computes; `nullable` if it may be null. */
type ComputedField = Extract<Extension, { sql: unknown }> & Described & { type: () => unknown; nullable?: true };

/** The fields that a room adds to an entity of a lower room: their declaration for the read planner, and the class that puts them into the schema. */
export interface EntityFields extends Registration {
  readonly resolver: Function;
}

/**
 * Fields that a room adds to an entity of a lower room, or of another of its folders, and shows as the planner reads them with the row:
 * `relatedFields(Load, { ticket: { one: () => Ticket, foreign: 'load' } })`. The name is that of the field in the schema. A room lists them in
 * its `extensions`. A field that does more than show what was read is a method of a resolver, with `extendEntity` for what it reads.
 */
export function relatedFields<T extends object>(
  entity: ClassType<T>,
  fields: Readonly<Record<string, RelatedField | ComputedField>>,
): EntityFields {
  @Resolver(() => entity)
  class RelatedFields {}
  for (const [name, field] of Object.entries(fields)) show(RelatedFields.prototype, name, field);
  return { ...registration('relatedFields', entity.name, extendEntity(entity, fields).register), resolver: RelatedFields };
}

/** Adds the method that answers a field to the class of a resolver, with the decorators that it would have if it were written there. */
function show(resolver: object, name: string, field: RelatedField | ComputedField): void {
  const { type, nullable, without } = shapeOf(field);
  const seenBy = ('seenBy' in field && field.seenBy) || (() => true);
  Object.defineProperty(resolver, name, {
    value: (row: PlannedRow, ctx: Context) => (seenBy(ctx) ? (row[name] ?? without) : without),
  });
  FieldResolver(type as never, { nullable, description: field.description })(resolver, name, {});
  Root()(resolver, name, 0);
  Ctx()(resolver, name, 1);
}

interface Shape {
  type: () => unknown;
  nullable: boolean;
  /** Its value if the planner read nothing, or the viewer may not see it. */
  without: null | readonly never[];
}

function shapeOf(field: RelatedField | ComputedField): Shape {
  if ('sql' in field) return { type: field.type, nullable: field.nullable ?? false, without: null };
  if ('one' in field) return { type: field.one, nullable: true, without: null };
  if ('single' in field) return { type: field.single, nullable: true, without: null };
  const record = 'ids' in field ? field.type : 'list' in field ? field.list : field.many;
  return { type: () => [record()], nullable: false, without: [] };
}
