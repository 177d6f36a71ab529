import type { Ref } from '@mikro-orm/core';
import { ref } from '@mikro-orm/core';
import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, ID, Info, InputType, Query, Resolver } from 'type-graphql';
import { companyOf, viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { Amount, Length } from '../../platform/graphql/rules.ts';
import { isUuid } from '../../platform/ids.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { defineSorts } from '../../platform/read/grammar.ts';
import { GraphqlOnly } from '../../platform/read/time-range.ts';
import { activityMutations } from './activity.ts';
import { ActivityState } from './activity-state.ts';
import { EVERYBODYS, masterMutations, masterQueries } from './master-data.resolver.ts';
import type { MasterKind } from './master-data.ts';
import { Material, MaterialType } from './named.entities.ts';
import { nameOf } from './named-kinds.ts';
import { giveExternalId } from './taken.ts';
import { MaterialConnection } from './typeaheads.ts';

export const materialTypeSorts = defineSorts(MaterialType, { ordinality: { sql: (t) => `${t}.ordinality`, cast: 'int' } });

const optional = { nullable: true };
const EXTERNAL_ID = 500;
/** Tonnes of a cubic metre: nothing that is hauled is heavier than gold. */
const DENSEST = 20;

@InputType()
export class UpdateMaterialInput {
  @Field(() => String, optional) @Length(1, 255) name?: string | null;
  @Field(() => ID, { nullable: true, description: 'By default, `Other`.' }) materialTypeId?: string;
  @Field(() => String, optional) @Length(1, EXTERNAL_ID) externalId?: string | null;
  @Field(() => ActivityState, optional) state?: ActivityState;
  @Field(() => DecimalScalar, { nullable: true, description: 'Tonnes of a cubic metre; null takes it back.' })
  @Amount(0.0001, DENSEST)
  @GraphqlOnly()
  density?: Decimal | null;
}
@InputType()
export class CreateMaterialInput extends UpdateMaterialInput {
  @Field(() => String) @Length(1, 255) declare name: string;
}

const materials: MasterKind<Material, CreateMaterialInput, UpdateMaterialInput> & { entity: typeof Material } = {
  entity: Material,
  event: 'material',
  matchedBy: ['externalId'],
  permissions: { create: 'create_materials', edit: 'edit_material', delete: 'delete_material' },
  async fill(tx, material, input) {
    const items: ErrorItem[] = [];
    if (input.name !== undefined) material.name = nameOf(input.name, 'Material', items);
    await giveExternalId(tx, 'material', material, input.externalId, { model: 'Material', items });
    if (input.state) material.state = input.state;
    if (input.density !== undefined) material.density = input.density;
    if (input.materialTypeId) material.materialType = await typeOf(tx, input.materialTypeId, items);
    if (items.length > 0) throw new Invalid(items);
  },
  letGo: notBuiltIn,
};

async function typeOf(tx: TxContext, id: string, items: ErrorItem[]): Promise<Ref<MaterialType>> {
  const type = isUuid(id) ? await tx.em.findOne(MaterialType, { id }) : null;
  if (!type) items.push({ model: 'Material', field: 'materialTypeId', key: 'must_exist' });
  return ref(MaterialType, id);
}

function notBuiltIn(_tx: TxContext, material: Material): void {
  if (material.system) throw new Invalid([{ model: 'Material', field: 'id', key: 'built_in_record' }]);
}

export const MaterialQueries = masterQueries(Material, {
  one: 'material',
  many: 'materials',
  typeahead: 'materialTypeahead',
  offered: { states: ['active'] },
  connection: MaterialConnection,
});
export const MaterialActivity = activityMutations(materials, { activate: 'activateMaterial', deactivate: 'deactivateMaterial' });
export const MaterialMutations = masterMutations(materials, {
  create: { name: 'createMaterial', input: CreateMaterialInput },
  update: { name: 'updateMaterial', input: UpdateMaterialInput },
  discard: { name: 'deleteMaterial' },
});
const MaterialTypeConnection = connectionOf('MaterialType', () => MaterialType);

@ArgsType()
class MaterialTypeArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
}

@Resolver(() => Material)
export class MaterialResolver {
  @Query(() => MaterialTypeConnection, { description: 'Types of materials; they are the same for every company.' })
  @AnySignedIn()
  materialTypes(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => MaterialTypeArgs) { companyId, ...args }: MaterialTypeArgs,
  ): Promise<Connection<MaterialType>> {
    if (companyId) companyOf(ctx, companyId);
    viewerOf(ctx);
    return ctx.read.page(MaterialType, info, { ...args, sort: { ordinality: 'asc' }, where: [EVERYBODYS] });
  }
}
