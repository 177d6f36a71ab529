import { Field, getMetadataStorage, InputType } from 'type-graphql';
import { RecordBase } from '../model/columns.ts';
import { GraphqlOnly, SINCE, TimeRange } from '../read/time-range.ts';
import { DateTime } from '../scalars.ts';

declare module 'graphql' {
  interface GraphQLInputFieldExtensions {
    /** REST does not have the field. */
    graphqlOnly?: boolean;
  }
}

const declared = new WeakSet<Function>();

/**
 * Adds to the filter of each entity, `<Entity>Filter`, what every list has: `not` and `or` over `<Entity>Condition`, which has the same fields without
 * these two, and, of records that say it, when one was created and since when it has changed. An input that contained itself would keep graphql-jit
 * compiling the variables of its documents for ever. It is done before the schema is built.
 */
export function declareListFilters(entities: readonly Function[]): void {
  const inputs = new Map(getMetadataStorage().inputTypes.map(({ name, target }) => [name, target]));
  for (const entity of entities) {
    const filter = inputs.get(`${entity.name}Filter`);
    if (!filter || declared.has(filter) || !isOfList(filter)) continue;
    declared.add(filter);
    if (entity.prototype instanceof RecordBase) {
      add(filter, 'createdAt', () => TimeRange, 'Only records that were created in this span.');
      Field(() => DateTime, { nullable: true, description: SINCE })(filter.prototype, 'updatedSince');
    }
    const condition = conditionOf(entity.name, filter);
    add(filter, 'not', () => [condition], 'Only records that meet none of these.');
    add(filter, 'or', () => [condition], 'Only records that meet at least one of these; none if there are none.');
  }
}

/** Whether an input is the `filter` of a query, and not a part of what a mutation is given. */
function isOfList(filter: Function): boolean {
  const { fields, argumentTypes, queries } = getMetadataStorage();
  const args = new Set(argumentTypes.map(({ target }) => target));
  return (
    fields.some(({ name, target, getType }) => name === 'filter' && args.has(target) && getType() === filter) ||
    queries.some(({ params = [] }) => params.some((param) => param.kind === 'arg' && param.name === 'filter' && param.getType() === filter))
  );
}

function add(filter: Function, name: string, type: () => unknown, description: string): void {
  Field(type as never, { nullable: true, description })(filter.prototype, name);
  GraphqlOnly()(filter.prototype, name);
}

/** An input with the fields that a filter has so far, those that it inherits included. */
function conditionOf(entity: string, filter: Function): Function {
  class Condition {}
  const storage = getMetadataStorage();
  const isOf = ({ target }: { target: Function }) => target === filter || Object.prototype.isPrototypeOf.call(target, filter);
  InputType(`${entity}Condition`, { description: `Conditions on \`${entity}\`, all of which must be met.` })(Condition);
  for (const field of storage.fields.filter(isOf)) storage.collectClassFieldMetadata({ ...field, target: Condition });
  for (const { target, ...more } of storage.fieldExtensions.filter(isOf))
    storage.collectExtensionsFieldMetadata({ ...more, target: Condition });
  return Condition;
}
