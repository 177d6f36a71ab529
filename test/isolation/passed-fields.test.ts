import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EntityMetadata, EntityProperty } from '@mikro-orm/core';
import type { MikroORM } from '@mikro-orm/postgresql';
import { GraphQLObjectType, isNonNullType } from 'graphql';
import { OBJECTS } from '../../src/app/objects.ts';
import { entities } from '../../src/app/rooms.ts';
import { clientSchemaOfRooms } from '../../src/app/serve.ts';
import { createOrm } from '../../src/platform/database/orm.ts';
import { readSpecOf, showsOwnCompanyOnly } from '../../src/platform/model/decorators.ts';
import { COMMON_FILTERS, grammarOf } from '../../src/platform/read/grammar.ts';
import { fieldDecisionsOf } from '../../src/platform/read/partner-fields.ts';
import { ownersOf } from '../../src/platform/read/row-masks.ts';

const schema = clientSchemaOfRooms();
const entitySet = entities as readonly Function[];
let orm: MikroORM;
beforeAll(async () => {
  // The entities are asked for themselves alone; nothing connects.
  orm = await createOrm({ url: 'postgresql://nobody@127.0.0.1:1/nothing', entities: entitySet });
});
afterAll(() => orm.close(true));

const metaOf = (entity: Function) => orm.getMetadata().get(entity as never) as EntityMetadata<unknown>;

/** Null to others by a mask of its own: internal, or money of the row's company. */
function isMasked(entity: Function, field: string): boolean {
  const mask = readSpecOf(entity).masked.get(field);
  const hasOwner = 'company' in metaOf(entity).properties || entity.name === 'Company';
  return mask !== undefined && hasOwner && showsOwnCompanyOnly(mask);
}

const graphqlFields = (entity: Function) => {
  const type = schema.getType(entity.name);
  return type instanceof GraphQLObjectType ? type.getFields() : {};
};

/** Everything that can be read of an entity: its columns, relations, lists, computed values, and what resolvers add. */
function fieldsOf(entity: Function): string[] {
  const { many, computed } = readSpecOf(entity);
  const props = metaOf(entity).props as EntityProperty[];
  // Columns of an embedded value are read through it; a getter is no column.
  const columns = props.filter((prop) => !prop.embedded && prop.persist !== false).map((prop) => prop.name as string);
  return [...new Set([...columns, ...many.keys(), ...computed.keys(), ...Object.keys(graphqlFields(entity))])];
}

/** The id by which an object is read: what is decided of the id holds for the object. */
const idOf = (entity: Function, field: string): string =>
  OBJECTS.find(({ id, name }) => name === field && id.startsWith(`${entity.name}.`))?.id.split('.')[1] ?? field;

function isDecided(entity: Function, name: string): boolean {
  const field = idOf(entity, name);
  const decided = fieldDecisionsOf(entity);
  if (isMasked(entity, field)) return true;
  if (decided?.ownValues?.fields.includes(field)) return true;
  return [decided?.passed, decided?.kept, decided?.where, decided?.shared, decided?.parts].some((names) => names?.has(field));
}

const isRead = (entity: Function, field: string): boolean => {
  const decided = fieldDecisionsOf(entity);
  return !isMasked(entity, field) && !decided?.kept.has(field);
};

/** The entity that a field leads to. */
function targetsOf(entity: Function, field: string): Function[] {
  const { many, computed } = readSpecOf(entity);
  const prop = metaOf(entity).properties[field as never] as EntityProperty | undefined;
  const spec = computed.get(field);
  const ones = spec && 'ones' in spec && spec.ones ? Object.values(spec.ones) : [];
  return [
    ...(many.has(field) ? [many.get(field)!.type() as Function] : []),
    ...(prop?.targetMeta && prop.kind !== 'embedded' ? [prop.targetMeta.class as Function] : []),
    ...ones.flatMap((one) => targetsOf(entity, one)),
  ];
}

/** Every entity that people of another company reach: what is passed on or shared, and what that leads to. */
function reached(): Function[] {
  const met = new Set<Function>();
  const meet = (entity: Function): void => {
    if (met.has(entity)) return;
    met.add(entity);
    for (const field of fieldsOf(entity)) if (isRead(entity, field)) for (const target of targetsOf(entity, field)) meet(target);
  };
  for (const entity of entitySet) {
    const { tenant } = readSpecOf(entity);
    if (tenant?.subcontracted || tenant?.shared) meet(entity);
  }
  return [...met];
}

/** Lists that may hold rows of others: of what is passed on or shared, and of what belongs to a record that is. */
const listsOthers = (entity: Function): boolean => {
  const { tenant } = readSpecOf(entity);
  return !tenant || tenant.subcontracted !== undefined || tenant.shared !== undefined;
};

test('for every field that people of another company reach, it is decided whether it is passed on', () => {
  const all = reached();
  expect(all.length).toBeGreaterThan(25);
  const undecided = all.flatMap((entity) =>
    fieldsOf(entity).flatMap((field) => (isDecided(entity, field) ? [] : [`${entity.name}.${field}`])),
  );
  expect(undecided).toEqual([]);
});

test('a field is decided once, and at its entity', () => {
  const wrong = reached().flatMap((entity) => {
    const {
      passed = new Set(),
      kept = new Set(),
      where = new Map(),
      shared = new Set(),
      parts = new Map(),
      ownValues,
    } = fieldDecisionsOf(entity) ?? {};
    const names = [...passed, ...kept, ...where.keys(), ...shared, ...parts.keys(), ...(ownValues?.fields ?? [])];
    const twice = names.filter((name, at) => names.indexOf(name) !== at);
    const nowhere = names.filter((name) => !fieldsOf(entity).includes(name));
    return [...twice, ...nowhere].map((name) => `${entity.name}.${name}`);
  });
  expect(wrong).toEqual([]);
});

test('a kept field shows its company, and a default where null is not allowed', () => {
  const wrong = reached().flatMap((entity) => {
    const decided = fieldDecisionsOf(entity);
    if (!decided) return [];
    const guarded = [
      ...decided.kept,
      ...decided.where.keys(),
      ...decided.shared,
      ...decided.parts.keys(),
      ...(decided.ownValues?.fields ?? []),
    ];
    if (guarded.length > 0 && ownersOf(metaOf(entity), decided).length === 0) return [`${entity.name} is nobody's`];
    return [...decided.kept, ...decided.where.keys(), ...decided.shared, ...(decided.ownValues?.fields ?? [])].flatMap((name) => {
      const field = graphqlFields(entity)[name];
      const nothing = readSpecOf(entity).many.get(name);
      const list = nothing && nothing.kind !== 'paged' && nothing.kind !== 'back';
      return field && isNonNullType(field.type) && !list && !decided.instead.has(name) && !RESOLVED.includes(`${entity.name}.${name}`)
        ? [`${entity.name}.${name}`]
        : [];
    });
  });
  expect(wrong).toEqual([]);
});

/** Kept by the resolver that computes it, which the canaries hold to it. */
const RESOLVED = ['Account.currentAssignedCount'];

test('for every filter, sort and search it is decided whether it may compare rows of others', () => {
  const undecided = reached()
    .filter((entity) => listsOthers(entity) && ownersOf(metaOf(entity), fieldDecisionsOf(entity) ?? {}).length > 0)
    .flatMap((entity) => {
      const grammar = grammarOf(entity);
      const decided = fieldDecisionsOf(entity);
      const filters = Object.keys(grammar.filters).filter((name) => !decided?.filters.has(name) && !(name in COMMON_FILTERS));
      // A sort by a value reveals it by the rows in between, so no sort uses kept fields.
      const sorts = Object.keys(grammar.sorts).filter((name) => !decided?.sorts.has(name) && !decided?.passed.has(name));
      const search = (grammar.search || grammar.searchText) && !decided?.search ? ['search'] : [];
      const searchable = schema.getType(`${entity.name}Connection`) !== undefined;
      return searchable ? [...filters, ...sorts, ...search].map((name) => `${entity.name} ${name}`) : [];
    });
  expect(undecided).toEqual([]);
});
