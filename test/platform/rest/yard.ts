import 'reflect-metadata';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from '@jest/globals';
import express from 'express';
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
import type { Context, Viewer } from '../../../src/platform/context.ts';
import { DecimalScalar } from '../../../src/platform/decimal.ts';
import { Conflict, Missing } from '../../../src/platform/errors.ts';
import { Length, Range } from '../../../src/platform/graphql/rules.ts';
import { errorHandler, notFound } from '../../../src/platform/http/final.ts';
import { requestIdOf } from '../../../src/platform/http/request-id.ts';
import { createRestRouter, type RestOptions } from '../../../src/platform/http/rest/router.ts';
import { pickLanguage } from '../../../src/platform/i18n/messages.ts';
import { DateTime, Json, LocalDate } from '../../../src/platform/scalars.ts';

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

/** What resolvers were called with, by name; tests look here. */
export const calls: { name: string; args: Record<string, unknown> }[] = [];
const noted = (name: string, args: Record<string, unknown>) => {
  calls.push({ name, args: JSON.parse(JSON.stringify(args)) });
};
const PILE = '018f0000-0000-7000-8000-000000000001';

@Resolver()
class Yard {
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

export const yardSchema = buildSchemaSync({ resolvers: [Yard], validate: false });

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

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Writes documents into a new folder, which the end of the test file removes, and answers its path. */
export function documentFolder(documents: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'rest-documents-'));
  folders.push(folder);
  for (const [path, text] of Object.entries(documents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

export const COMPANY = '018f0000-0000-7000-8000-0000000000c0';
export const pileId = PILE;
export const logged: object[] = [];

const viewer: Viewer = {
  type: 'M2MClient',
  id: '018f0000-0000-7000-8000-0000000000a1',
  name: 'Sender',
  companyId: COMPANY,
  companyIds: [COMPANY],
  receivesWork: false,
  roles: [],
  can: () => true,
};

/** Starts the yard on a free port. `authorization: Bearer ok` is somebody, everything else nobody. */
export async function openYard(options: Partial<RestOptions> & { context?: Partial<Context> } = {}) {
  const app = express();
  app.disable('x-powered-by');
  app.use(
    createRestRouter({
      schema: yardSchema,
      directory: documentFolder(DOCUMENTS),
      log: { error: (fields) => logged.push(fields) },
      contextFor: async (req) =>
        ({
          requestId: requestIdOf(req),
          language: pickLanguage(req.headers['accept-language']),
          viewer: req.headers.authorization === 'Bearer ok' ? viewer : undefined,
          memo: new Map(),
          ...options.context,
        }) as Context,
      reverseCursor: (cursor) => cursor,
      ...options,
    }),
  );
  app.use(notFound, errorHandler({ error: (fields) => logged.push(fields) }));
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) };
}

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare whole bodies
  body: any;
  bytes: Buffer;
}

/** One request, with a token and JSON unless told otherwise; a header given as null is left out. */
export function send(
  port: number,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string | null> = {},
): Promise<Reply> {
  const bytes = body === undefined ? undefined : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const all: Record<string, string | null> = {
    authorization: 'Bearer ok',
    ...(bytes === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const req = httpRequest({
      port,
      method,
      path,
      headers: Object.fromEntries(Object.entries(all).filter(([, v]) => v !== null)) as Record<string, string>,
    });
    req.on('response', (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const raw = Buffer.concat(chunks);
        const isJson = raw.length > 0 && !res.headers['content-encoding'];
        resolve({
          status: res.statusCode as number,
          headers: res.headers,
          body: isJson ? JSON.parse(raw.toString()) : undefined,
          bytes: raw,
        });
      });
    });
    req.on('error', reject);
    req.end(bytes);
  });
}
