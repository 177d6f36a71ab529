import { setImmediate as immediate } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { type FieldNode, type GraphQLSchema, Kind, type OperationDefinitionNode } from 'graphql';
import { viewerOf } from '../../../authz/authorization.ts';
import type { Context, Viewer } from '../../../context.ts';
import { poolOf } from '../../../database/sql.ts';
import type { ErrorItem } from '../../../errors.ts';
import { latestOf } from '../../../read/past/archived.ts';
import { readAtReplica, triesPrimary } from '../../replica-reads.ts';
import { streamText } from '../../stream-text.ts';
import { endTurn } from '../../turns.ts';
import type { Answer } from '../envelope.ts';
import { dataOf, type Execute, type Prepare } from '../execution.ts';
import { withIgnored } from '../ignored.ts';
import { prefers } from '../negotiation.ts';
import type { RestOperation } from '../operation.ts';
import { ExportPlaces } from './export-places.ts';
import { type Format, formatOf, type Line, type Piece, type Sheets } from './formats.ts';
import { inSnapshot } from './snapshot.ts';

/** Milliseconds after which an export ends although its client still takes it: PostgreSQL keeps every row that is changed meanwhile for so long. */
const LONGEST = 15 * 60_000;

/** A list that a client asks for in another form than JSON. */
export interface Asked {
  operation: RestOperation;
  type: Format['type'];
  variables: Record<string, unknown>;
  /** The parts of the request that its operation does not know. */
  ignored: readonly ErrorItem[];
  context: Context;
  req: Request;
  res: Response;
  /** Answers the operation as JSON. */
  asJson(variables: Record<string, unknown>): Promise<Answer>;
}

interface Services {
  schema: GraphQLSchema;
  prepare: Prepare;
  sheets: Sheets;
  /** The caller of a request that goes on, as they are now. */
  renew?(req: Request): Promise<Context>;
  /** Milliseconds that an export may take; by default 15 minutes. */
  longest?: number;
}

interface Page {
  nodes: unknown[];
  edges?: { cursor: string }[];
  page_info: { has_next_page: boolean; end_cursor: string | null };
}

/**
 * Answers lists as CSV, NDJSON and Parquet, from the same documents as their JSON pages: the same records, fields, filters, order and masks. A list
 * without `page[limit]` is streamed whole, from one snapshot of the database, in chunks of its own pages.
 */
export class ListExporter {
  readonly #services: Services;
  readonly #executes = new Map<RestOperation, Execute>();
  #places: ExportPlaces | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  /** @returns the answer to send, such as an error; undefined when it has been sent */
  async answer(asked: Asked): Promise<Answer | undefined> {
    const { schema, sheets } = this.#services;
    const { operation, type, req } = asked;
    const sheet = type === 'text/csv' ? sheets[operation.name] : undefined;
    const variables = sheet?.narrow?.(asked.variables) ?? asked.variables;
    const format = formatOf(type, operation, variables, schema, sheet);
    const page = pageOf(operation, variables);
    if (page && typeof page.limit !== 'number' && !page.before) return this.#stream({ ...asked, variables }, format, page);
    await readAtReplica(asked.context);
    const answer = await asked.asJson(variables);
    if (answer.status !== 200) return answer;
    const { data } = answer.body as { data: unknown[] | null };
    const head = format.head(false);
    const lines = await format.lines((data ?? []).map((record) => ({ record })));
    const pieces = [head, lines, await format.end()];
    return headed(asked, format, { ...answer, body: req.method === 'HEAD' ? undefined : joined(pieces) });
  }

  async #stream(asked: Asked, format: Format, page: PageVariable): Promise<Answer | undefined> {
    const { variables, context, req, res } = asked;
    const positions = prefers(req, 'positions');
    const viewer = viewerOf(context);
    // A person who reads as another one has an entry in the audit log before the first byte; it must not end with a stream that is cut.
    if (viewer.realActor || req.method === 'HEAD') {
      const first = await asked.asJson({ ...variables, [page.name]: { after: page.after, limit: 1 } });
      if (first.status !== 200) return first;
      if (req.method === 'HEAD') return headed(asked, format, { status: 200, headers: {} });
    }
    const reading: Context = { ...context, viewer: { ...viewer, realActor: undefined }, archived: [] };
    // It has a place of its own, and keeps no other request of the caller waiting.
    endTurn(res);
    const leave = await (await this.#placesOf(context)).enter({ company: viewer.companyId, caller: `${viewer.type}:${viewer.id}` }, res);
    const late = setTimeout(() => this.#end(asked), this.#services.longest ?? LONGEST);
    let isWhole = false;
    try {
      if (res.closed) return undefined;
      await readAtReplica(reading, { long: true });
      const send = () =>
        inSnapshot(reading, format.chunk, async (snapshot) => {
          const parts = this.#parts(asked, format, page, positions, snapshot);
          // The first chunk comes before the head: what is wrong with the request is answered as everywhere.
          const first = await parts.next();
          if (positions) res.append('Preference-Applied', 'positions');
          res
            .status(200)
            .set({ ...headed({ ...asked, context: reading }, format, { status: 200, headers: {} }).headers, 'Cache-Control': 'no-store' });
          isWhole = await streamText(res, from(first, parts));
        });
      await send().catch((error: unknown) => {
        if (res.headersSent || !triesPrimary(error)) throw error;
        return send();
      });
    } catch (error) {
      if (!res.headersSent) throw error;
      // Its last line is on the way: nothing depends on how the snapshot ended, which its server did not live to confirm.
      if (isWhole) return undefined;
      // That its statements ended with a client that left is not a fault.
      if (!res.closed) context.report?.(error);
      res.destroy();
    } finally {
      clearTimeout(late);
      leave();
    }
    return undefined;
  }

  /** Ends an export that takes too long, also while its client takes nothing. Only a broken connection shows that it is not complete. */
  #end({ context, res }: Asked): void {
    context.report?.(new Error('an export took longer than it may'));
    res.destroy();
  }

  async *#parts(asked: Asked, format: Format, page: PageVariable, positions: boolean, snapshot: () => Context): AsyncGenerator<Piece> {
    const { operation, variables, req } = asked;
    const execute = this.#executeOf(operation, positions);
    const read = (after: string | null | undefined): Promise<Page> => {
      const asking = { ...variables, [page.name]: { limit: format.chunk, after } };
      return dataOf(operation, execute, asking, snapshot(), (one) => prefers(req, one)) as Promise<Page>;
    };
    let ahead: Promise<Page> | undefined = read(page.after);
    try {
      for (let head: Piece | undefined = format.head(positions); ahead; head = undefined) {
        const { nodes, edges, page_info }: Page = await ahead;
        // PostgreSQL reads the next chunk while this one is written and taken. What goes wrong with it is said when it is its turn.
        ahead = page_info.has_next_page ? read(page_info.end_cursor) : undefined;
        ahead?.catch(() => undefined);
        if (head === undefined) await this.#requireSameRights(asked);
        // Its statement leaves before this process writes.
        await immediate();
        const lines = await format.lines(nodes.map((record, at): Line => ({ record, position: edges?.[at]?.cursor })));
        yield joined([...(head === undefined ? [] : [head]), lines, ...(ahead ? [] : [await format.end()])]);
      }
    } finally {
      // Nothing is asked of a transaction that has ended.
      await ahead?.catch(() => undefined);
    }
  }

  /** @throws Unauthenticated, Error when the caller has other rights than at the beginning: the masks of one export are the same from its first line to its last */
  async #requireSameRights({ context, req }: Asked): Promise<void> {
    const now = await this.#services.renew?.(req);
    if (now && rightsOf(viewerOf(now)) !== rightsOf(viewerOf(context))) throw new Error('the rights of the caller of an export changed');
  }

  #executeOf(operation: RestOperation, positions: boolean): Execute {
    const document = positions ? withCursors(operation) : operation;
    let execute = this.#executes.get(document);
    if (!execute) {
      execute = this.#services.prepare(document.document, document.name);
      this.#executes.set(document, execute);
    }
    return execute;
  }

  /** An export holds a connection for as long as its client takes it: others keep most of them. */
  async #placesOf({ em }: Context): Promise<ExportPlaces> {
    const { max = 10 } = (await poolOf(em)).options;
    // Behind the wait: exports that begin at once would each make places of their own, and none of them would count the others.
    this.#places ??= new ExportPlaces(Math.max(1, Math.floor(max / 3)));
    return this.#places;
  }
}

/** The pieces of a form are all texts, or all bytes. */
const joined = (pieces: readonly Piece[]): Piece =>
  pieces.every((piece) => typeof piece === 'string') ? pieces.join('') : Buffer.concat(pieces as Uint8Array[]);

async function* from(first: IteratorResult<Piece>, parts: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  if (!first.done) yield first.value;
  yield* parts;
}

/** Everything that a viewer may see and do, as a text that is the same for the same rights. */
const rightsOf = (viewer: Viewer): string =>
  JSON.stringify(viewer, (key, value) => {
    if (key === 'name') return undefined;
    return value instanceof Set || Array.isArray(value) ? [...value].sort() : value;
  });

interface PageVariable {
  /** Of the document. */
  name: string;
  limit?: number | null;
  after?: string | null;
  before?: string | null;
}

/** Returns the page of a request; undefined for a list that has no pages. */
function pageOf({ variables: declared, paged }: RestOperation, variables: Record<string, unknown>): PageVariable | undefined {
  const variable = paged ? declared.find(({ place, wire }) => place === 'query' && wire === 'page') : undefined;
  return variable && { ...(variables[variable.name] as object | undefined), name: variable.name };
}

/** Adds the headers of a file to an answer, and those that say what of its list is archived: a sheet has no `meta`. */
function headed(
  { ignored, context: { archived = [] } }: Pick<Asked, 'ignored' | 'context'>,
  { contentType, filename }: Format,
  answer: Answer,
): Answer {
  const headers = {
    ...answer.headers,
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${filename}"`,
  };
  if (archived.length === 0) return withIgnored({ ...answer, headers }, ignored);
  const { before, deleted, in: place } = latestOf(archived);
  const said = { 'X-Archived-Before': before, 'X-Archived-In': place, ...(deleted ? { 'X-Archived-Deleted': deleted } : {}) };
  return withIgnored({ ...answer, headers: { ...headers, ...said } }, ignored);
}

const documents = new WeakMap<RestOperation, RestOperation>();

/** The operation with the cursor of each record of its page. */
function withCursors(operation: RestOperation): RestOperation {
  let made = documents.get(operation);
  if (!made) {
    const definitions = operation.document.definitions.map((one) => (one.kind === Kind.OPERATION_DEFINITION ? cursorsIn(one) : one));
    made = { ...operation, document: { ...operation.document, definitions } };
    documents.set(operation, made);
  }
  return made;
}

function cursorsIn(operation: OperationDefinitionNode): OperationDefinitionNode {
  const [root] = operation.selectionSet.selections as [FieldNode];
  const field = (name: string, inner: FieldNode[]): FieldNode => ({
    kind: Kind.FIELD,
    name: { kind: Kind.NAME, value: name },
    ...(inner.length > 0 ? { selectionSet: { kind: Kind.SELECTION_SET, selections: inner } } : {}),
  });
  const edges = field('edges', [field('cursor', [])]);
  const selectionSet = { ...root.selectionSet!, selections: [...root.selectionSet!.selections, edges] };
  return { ...operation, selectionSet: { ...operation.selectionSet, selections: [{ ...root, selectionSet }] } };
}
