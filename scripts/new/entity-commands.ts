import type { NewEntity } from './entity.ts';

export const policy = (e: NewEntity): string => `import { allow } from '${e.up}platform/authz/authorization.ts';
import type { Context, Viewer } from '${e.up}platform/context.ts';

/** @throws Denied unless the viewer may create ${e.manyWords} */
export const mayCreate${e.name} = (ctx: Context): Viewer => allow(ctx, '${e.create}');

/** @throws Denied unless the viewer may change ${e.manyWords} and fire their events */
export const mayEdit${e.name} = (ctx: Context): Viewer => allow(ctx, '${e.edit}');
`;

export const inputs = (e: NewEntity): string => `import { Field, InputType, Int } from 'type-graphql';
import { Length } from '${e.up}platform/graphql/rules.ts';

const optional = { nullable: true };

// TODO: the fields, each with its limit.
@InputType()
export class Create${e.name}Input {
  @Field(() => String, optional) @Length(1, 255) name?: string | null;
  @Field(() => String, optional) @Length(0, 10_000) notes?: string | null;
}

@InputType()
export class Update${e.name}Input extends Create${e.name}Input {
  @Field(() => Int, { nullable: true, description: 'The version that was read: if the record has changed since, nothing is done.' })
  version?: number | null;
}
`;

export const lists = (e: NewEntity): string => `import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { connectionOf, PageArgs, SortDirection } from '${e.up}platform/read/connection.ts';
import { defineFilters, defineSearch, defineSorts } from '${e.up}platform/read/grammar.ts';
import { ${e.name} } from './${e.file}.entity.ts';
import { ${e.name}State } from './${e.file}.machine.ts';

const optional = { nullable: true };

export const ${e.name}Connection = connectionOf('${e.name}', () => ${e.name});

@InputType()
export class ${e.name}Filter {
  @Field(() => [${e.name}State], optional) states?: ${e.name}State[] | null;
}

@InputType()
export class ${e.name}Sort {
  @Field(() => SortDirection, optional) createdAt?: SortDirection | null;
  @Field(() => SortDirection, optional) name?: SortDirection | null;
}

@InputType()
export class ${e.name}Search {
  @Field(() => String, { nullable: true, description: 'Words of the name.' }) datagrid?: string | null;
}

@ArgsType()
export class ${e.name}ListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => ${e.name}Filter, optional) filter?: ${e.name}Filter | null;
  @Field(() => ${e.name}Sort, optional) sort?: ${e.name}Sort | null;
  @Field(() => ${e.name}Search, optional) search?: ${e.name}Search | null;
}

export const ${e.one}Filters = defineFilters(${e.name}, {
  states: { sql: (t, p) => \`\${t}.state = any(\${p})\`, cast: 'text[]' },
});
export const ${e.one}Sorts = defineSorts(${e.name}, { name: { sql: (t) => \`coalesce(\${t}.name, '')\`, cast: 'text' } });
export const ${e.one}Search = defineSearch(${e.name}, (t, p) => \`\${t}.name ilike \${p}\`);
`;

export const commands = (e: NewEntity): string => `import { ref } from '@mikro-orm/core';
import { Company } from '${e.up}directory/companies/company.entity.ts';
import { companyOf, find } from '${e.up}platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '${e.up}platform/commands/transact.ts';
import type { Context, RecordPath } from '${e.up}platform/context.ts';
import { Conflict, Invalid } from '${e.up}platform/errors.ts';
import { ${e.name} } from './${e.file}.entity.ts';
import type { Create${e.name}Input, Update${e.name}Input } from './${e.file}.inputs.ts';
import { type ${e.name}StateEvent, ${e.one}Machine } from './${e.file}.machine.ts';
import { mayCreate${e.name}, mayEdit${e.name} } from './${e.file}.policy.ts';

/** Creates a ${e.words} as a draft. @throws Denied */
export function create${e.name}(ctx: Context, input: Create${e.name}Input, companyId?: string | null): Promise<${e.name}> {
  mayCreate${e.name}(ctx);
  return transact(ctx, async (tx) => {
    const ${e.one} = Object.assign(new ${e.name}(), { company: ref(Company, companyOf(tx, companyId)) });
    fill(${e.one}, input);
    tx.em.persist(${e.one});
    emitEvent(tx, '${e.table}.created', ${e.one});
    return ${e.one};
  });
}

/** Changes a draft: absent fields are kept, null clears. @throws Denied, Missing, Conflict, Invalid if it is no draft any more */
export function update${e.name}(ctx: Context, path: RecordPath, input: Update${e.name}Input): Promise<${e.name}> {
  mayEdit${e.name}(ctx);
  return transact(ctx, async (tx) => {
    const ${e.one} = await lock(tx, path);
    if (typeof input.version === 'number' && input.version !== ${e.one}.version)
      throw new Conflict([{ model: '${e.name}', field: 'version', key: 'stale_version' }]);
    if (${e.one}.state !== 'draft')
      throw new Invalid([{ model: '${e.name}', field: '', key: '${e.table}_closed', params: { state: ${e.one}.state } }]);
    fill(${e.one}, input);
    emitEvent(tx, '${e.table}.updated', ${e.one});
    return ${e.one};
  });
}

/** @throws Denied, Missing, Conflict */
export const approve${e.name} = (ctx: Context, path: RecordPath): Promise<${e.name}> => move(ctx, path, 'approve');

/** @throws Denied, Missing, Conflict */
export const void${e.name} = (ctx: Context, path: RecordPath): Promise<${e.name}> => move(ctx, path, 'void');

function move(ctx: Context, path: RecordPath, event: ${e.name}StateEvent): Promise<${e.name}> {
  mayEdit${e.name}(ctx);
  return transact(ctx, async (tx) => {
    const ${e.one} = await lock(tx, path);
    ${e.one}Machine.fire(tx, ${e.one}, event, { unnamed: !${e.one}.name });
    return ${e.one};
  });
}

const lock = (tx: TxContext, { id, companyId }: RecordPath): Promise<${e.name}> => find(tx, ${e.name}, id, { companyId, lock: true });

function fill(${e.one}: ${e.name}, { name, notes }: Create${e.name}Input): void {
  if (name !== undefined) ${e.one}.name = name;
  if (notes !== undefined) ${e.one}.notes = notes;
}
`;

export const resolver = (e: NewEntity): string => `import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { AnySignedIn, Requires } from '${e.up}platform/authz/field-permissions.ts';
import type { Context } from '${e.up}platform/context.ts';
import { companyArg, describe, mutationsOf, requires, withInput } from '${e.up}platform/graphql/record-mutations.ts';
import { one, page, queriesOf } from '${e.up}platform/graphql/record-queries.ts';
import { ${e.name} } from './${e.file}.entity.ts';
import { Create${e.name}Input, Update${e.name}Input } from './${e.file}.inputs.ts';
import { ${e.name}Connection, ${e.name}ListArgs } from './${e.file}.lists.ts';
import { approve${e.name}, create${e.name}, update${e.name}, void${e.name} } from './${e.files}.ts';

@Resolver(() => ${e.name})
export class ${e.name}Resolver {
  @Mutation(() => ${e.name})
  @Requires('${e.create}')
  async create${e.name}(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => Create${e.name}Input) input: Create${e.name}Input,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<${e.name}> {
    const { id } = await create${e.name}(ctx, input, companyId);
    return ctx.read.one(${e.name}, info, { id });
  }
}

/** Reads of ${e.manyWords}. */
export const ${e.name}Queries = queriesOf(${e.name}, {
  ${e.one}: one(AnySignedIn()),
  ${e.many}: page(AnySignedIn(), ${e.name}Connection, ${e.name}ListArgs),
});

/** Commands on one ${e.words}. */
export const ${e.name}Mutations = mutationsOf(${e.name}, {
  update${e.name}: requires(['${e.edit}'], withInput(Update${e.name}Input, update${e.name})),
  approve${e.name}: requires(['${e.edit}'], describe('Approves a draft.', approve${e.name})),
  void${e.name}: requires(['${e.edit}'], describe('Voids it for good.', void${e.name})),
});
`;
