import 'reflect-metadata';
import {
  Arg,
  buildSchemaSync,
  Ctx,
  createUnionType,
  Field,
  Float,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  registerEnumType,
} from 'type-graphql';
import type { Context } from '../../../../src/platform/context.ts';
import { DecimalScalar } from '../../../../src/platform/decimal.ts';
import { Conflict, Missing } from '../../../../src/platform/errors.ts';
import { Length, Range } from '../../../../src/platform/graphql/rules.ts';
import { DateTime, Json, LocalDate } from '../../../../src/platform/scalars.ts';

/** A small yard of stone piles: a schema of its own that has one of everything the REST edge knows. */
export enum PileState {
  open = 'open',
  closed = 'closed',
}
registerEnumType(PileState, { name: 'PileState' });

enum Direction {
  asc = 'asc',
  desc = 'desc',
}
registerEnumType(Direction, { name: 'Direction' });

@ObjectType({ simpleResolvers: true })
class Pile {
  @Field(() => ID) id!: string;
  @Field(() => String) materialName!: string;
  @Field(() => DecimalScalar, { nullable: true }) quantity?: unknown;
  @Field(() => Json, { nullable: true }) rawData?: unknown;
  @Field(() => PileState) state!: PileState;
}
@ObjectType()
class PageInfo {
  @Field(() => Boolean) hasNextPage!: boolean;
  @Field(() => Boolean) hasPreviousPage!: boolean;
  @Field(() => String, { nullable: true }) startCursor?: string;
  @Field(() => String, { nullable: true }) endCursor?: string;
}
@ObjectType()
class PileConnection {
  @Field(() => [Pile]) nodes!: Pile[];
  @Field(() => PageInfo) pageInfo!: PageInfo;
}
@ObjectType()
class Stored {
  @Field(() => String) fileName!: string;
}
@ObjectType()
class Attached {
  @Field(() => String) fileName!: string;
}
const Outcome = createUnionType({
  name: 'Outcome',
  types: () => [Stored, Attached] as const,
  resolveType: (value) => ('late' in value ? Stored : Attached),
});

@InputType()
class PageInput {
  @Field(() => Int, { nullable: true }) limit?: number;
  @Field(() => String, { nullable: true }) after?: string;
  @Field(() => String, { nullable: true }) before?: string;
}
@InputType()
class JobFilter {
  @Field(() => [PileState], { nullable: true }) states?: PileState[];
}
@InputType()
class PileFilter {
  @Field(() => [PileState], { nullable: true }) states?: PileState[];
  @Field(() => [ID], { nullable: true }) siteIds?: string[];
  @Field(() => LocalDate, { nullable: true }) startDate?: string;
  @Field(() => Boolean, { nullable: true }) flagged?: boolean;
  @Field(() => JobFilter, { nullable: true }) job?: JobFilter;
}
@InputType()
class NameSort {
  @Field(() => Direction, { nullable: true }) name?: Direction;
}
@InputType()
class PileSort {
  @Field(() => Direction, { nullable: true }) createdAt?: Direction;
  @Field(() => NameSort, { nullable: true }) dispatchNumber?: NameSort;
}
@InputType()
class SearchInput {
  @Field(() => String, { nullable: true }) datagrid?: string;
}
@InputType()
class StepInput {
  @Field(() => ID) siteId!: string;
  @Field(() => String, { nullable: true }) contactName?: string | null;
}
@InputType()
export class CreatePileInput {
  @Field(() => String) @Length(1, 20) materialName!: string;
  @Field(() => Int) @Range(1, 200) truckCount!: number;
  @Field(() => DecimalScalar, { nullable: true }) quantity?: unknown;
  @Field(() => Float, { nullable: true }) perHour?: number | null;
  @Field(() => DateTime, { nullable: true }) loadAt?: Date | null;
  @Field(() => Boolean, { nullable: true }) recurringLoads?: boolean | null;
  @Field(() => PileState, { nullable: true }) state?: PileState | null;
  @Field(() => [StepInput], { nullable: true }) steps?: StepInput[] | null;
  @Field(() => Json, { nullable: true }) rawData?: unknown;
}

@InputType()
class LoginInput {
  @Field(() => String) magicLinksToken!: string;
}

/** The calls of resolvers, by name; tests look here. */
export const calls: { name: string; args: Record<string, unknown> }[] = [];
const noted = (name: string, args: Record<string, unknown>) => {
  calls.push({ name, args: JSON.parse(JSON.stringify(args)) });
};
/** The only pile. */
export const PILE = '018f0000-0000-7000-8000-000000000001';

@Resolver()
class Piles {
  @Query(() => PileConnection)
  piles(
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
    @Arg('page', () => PageInput, { nullable: true }) page?: PageInput,
    @Arg('filter', () => PileFilter, { nullable: true }) filter?: PileFilter,
    @Arg('sort', () => PileSort, { nullable: true }) sort?: PileSort,
    @Arg('search', () => SearchInput, { nullable: true }) search?: SearchInput,
    @Arg('ids', () => [ID], { nullable: true }) ids?: string[],
  ): PileConnection {
    noted('piles', { companyId, page, filter, sort, search, ids });
    const nodes = Array.from({ length: page?.limit ?? 1 }, () => ({
      id: PILE,
      materialName: 'Sand',
      quantity: '12.5000',
      state: PileState.open,
    }));
    return {
      nodes,
      pageInfo: { hasNextPage: true, hasPreviousPage: page?.after !== undefined, startCursor: 'first', endCursor: 'last+/=' },
    };
  }

  @Query(() => Pile)
  pile(@Arg('id', () => ID) id: string): Pile {
    if (id !== PILE) throw new Missing();
    return { id, materialName: 'Sand', state: PileState.open };
  }

  @Mutation(() => Pile)
  createPile(
    @Arg('input', () => CreatePileInput) input: CreatePileInput,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Pile {
    noted('createPile', { input, companyId });
    return {
      id: PILE,
      materialName: input.materialName,
      quantity: input.quantity,
      rawData: input.rawData,
      state: input.state ?? PileState.open,
    };
  }

  @Mutation(() => Pile)
  closePile(@Arg('id', () => ID) id: string): Pile {
    if (id !== PILE) {
      throw new Conflict([{ model: 'Pile', field: 'currentState', key: 'required', state: 'closed', event: 'close' }]);
    }
    return { id, materialName: 'Sand', state: PileState.closed };
  }

  @Mutation(() => Boolean)
  breakPile(): boolean {
    throw new Error('the secret of the yard');
  }

  @Mutation(() => Int)
  ingestPiles(@Arg('piles', () => [Json]) piles: unknown[]): number {
    noted('ingestPiles', { piles });
    return piles.length;
  }

  @Mutation(() => Outcome)
  attach(@Arg('late', () => Boolean) late: boolean): typeof Outcome {
    return (late ? { fileName: 'a.pdf', late } : { fileName: 'a.pdf' }) as typeof Outcome;
  }

  @Mutation(() => String)
  login(@Arg('input', () => LoginInput) input: LoginInput, @Ctx() ctx: Context): string {
    return `${input.magicLinksToken} ${ctx.viewer ? 'known' : 'unknown'}`;
  }
}

export const pileSchema = buildSchemaSync({ resolvers: [Piles], validate: false });

/** Its REST documents, by path. */
export const DOCUMENTS: Record<string, string> = {
  'fragments/Pile.graphql': 'fragment Pile on Pile { id materialName quantity rawData state }',
  'yard/ListPiles.graphql': `# Piles of a company.
query ListPiles($companyId: ID, $page: PageInput, $filter: PileFilter, $sort: PileSort, $search: SearchInput, $ids: [ID!])
  @rest(method: GET, path: "/v1/piles", scoped: true, deprecated: "Use the company-scoped path.") {
  data: piles(companyId: $companyId, page: $page, filter: $filter, sort: $sort, search: $search, ids: $ids) @page { ...Pile }
}`,
  'yard/ShowPile.graphql':
    'query ShowPile($pileId: ID!) @rest(method: GET, path: "/v1/piles/{pile-id}") { data: pile(id: $pileId) { ...Pile } }',
  'yard/CreatePile.graphql': `mutation CreatePile($companyId: ID, $input: CreatePileInput! @body)
  @rest(method: POST, path: "/v1/piles", scoped: true, status: 201) {
  data: createPile(companyId: $companyId, input: $input) { ...Pile }
}`,
  'yard/ClosePile.graphql':
    'mutation ClosePile($id: ID!) @rest(method: PUT, path: "/v1/piles/{id}/close") { data: closePile(id: $id) { ...Pile } }',
  'yard/BreakPile.graphql': 'mutation BreakPile @rest(method: PUT, path: "/v1/piles/break") { data: breakPile }',
  'yard/RemovePile.graphql':
    'mutation RemovePile($id: ID!) @rest(method: DELETE, path: "/v1/piles/{id}", reply: NONE) { data: closePile(id: $id) { id } }',
  'yard/EmptyPile.graphql':
    'mutation EmptyPile($id: ID!) @rest(method: PATCH, path: "/v1/piles/{id}/empty", reply: EMPTY, status: 202) { data: closePile(id: $id) { id } }',
  'ingest/IngestPiles.graphql':
    'mutation IngestPiles($piles: [JSON!]! @body(key: "piles")) @rest(method: POST, path: "/ingest/piles", status: 202) { data: ingestPiles(piles: $piles) }',
  'ingest/Attach.graphql': `mutation Attach($late: Boolean! @body(key: "late")) @rest(method: POST, path: "/ingest/files") {
  data: attach(late: $late) { ... on Stored @status(code: 202) { fileName } ... on Attached @status(code: 201) { fileName } }
}`,
  'auth/Login.graphql':
    'mutation Login($input: LoginInput! @body) @rest(method: POST, path: "/v1/auth/magic_link/login", public: true, strict: true) { data: login(input: $input) }',
};
