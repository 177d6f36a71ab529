import { type NextFunction, type Request, type Response, Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import { refusalBefore } from '../../authz/field-permissions.ts';
import type { Context } from '../../context.ts';
import { currentWork } from '../../database/request-work.ts';
import { Unauthenticated } from '../../errors.ts';
import { pickLanguage } from '../../i18n/messages.ts';
import { type ParsedJson, parseJson } from '../../json/json.ts';
import { reverseCursor } from '../../read/cursor.ts';
import { refuseMethod } from '../http-endpoints.ts';
import type { FollowUpDescription } from '../openapi/follow-ups.ts';
import { readAtReplica } from '../replica-reads.ts';
import { type FailureLog, logFailure, requestIdOf } from '../request-id.ts';
import { nameRoute } from '../trace-request.ts';
import { addVary } from '../vary.ts';
import { applyEdits } from './answer-edits.ts';
import { readBody, readText } from './body.ts';
import { compileDocuments } from './compile.ts';
import { type Answer, errorAnswer, executionError, inContract, type Names } from './envelope.ts';
import { hasEtag, pathsOfRecord, unchangedSince, withEtag } from './etag.ts';
import { faultsOf } from './exact-query.ts';
import { type Execute, interpret, lazily, type Prepare } from './execution.ts';
import { ListExporter } from './exports/export-list.ts';
import { exportsOf, exportTypeOf, isList, type Sheets } from './exports/formats.ts';
import { isForm, readFormBody, type TakeForm, type TakenForm } from './form.ts';
import { type Idempotency, once } from './idempotency.ts';
import { withIgnored } from './ignored.ts';
import { isStrict, prefers, requireAcceptable } from './negotiation.ts';
import { answerTypeOf, bodyKindOf, bodyTypeOf, formOf, modelOfBody, type RestOperation } from './operation.ts';
import { pathsOf, RouteTable, withoutNames } from './paths.ts';
import { parseQuery } from './query.ts';
import { sendAnswer, setAnswerHeaders } from './send.ts';
import { letGoOfRecords, successOf } from './success.ts';
import { coerceVariables } from './variables.ts';

export interface RestLimits {
  /** Bytes of a body; 5 MB by default. */
  body: number;
  /** Elements of the list a body is about, such as `orders` of an ingest payload; 1,000 by default. */
  items: number;
}

/** Further things that a client may ask for, beyond an operation's answer. */
export interface FollowUp {
  /** For the OpenAPI document. */
  described: FollowUpDescription;
  /** Media types, in addition to the operation's own, in which `follow` can answer. */
  types: readonly string[];
  /** @returns the answer to send instead; undefined when everything is sent already */
  follow(ctx: Context, answer: Answer, req: Request, res: Response): Promise<Answer | undefined>;
}

/** Waits until it is a request's turn among those of its caller; the turn ends with the answer (platform/http/turns.ts). */
export type TakeTurn = (ctx: Context, res: Response) => Promise<void>;

export interface RestOptions {
  schema: GraphQLSchema;
  /** Folder of the documents, such as `schema/rest`. */
  directory: string;
  /** The documents, when they are compiled already. */
  operations?: readonly RestOperation[];
  /** Executes documents; graphql-js by default. */
  prepare?: Prepare;
  contextFor(req: Request): Promise<Context>;
  /** Waits until a request, whose body is read, may be worked on; at once by default. */
  takeTurn?: TakeTurn;
  /** The caller of a request that goes on for long, as they are now; counted as no request. */
  renew?(req: Request): Promise<Context>;
  /** Milliseconds that an export may take. */
  longestExport?: number;
  limits?: Partial<RestLimits>;
  /** Makes the cursor for `prev` from a page's first cursor; the planner's by default. */
  reverseCursor?(cursor: string): string;
  /** Serves `Idempotency-Key`; the header is ignored by default. */
  idempotency?: Idempotency;
  /** For operations with an upload, which otherwise take JSON alone. */
  takeForm?: TakeForm;
  /** By operation name. */
  followUps?: Readonly<Record<string, FollowUp>>;
  /** Lists whose CSV has other lines than their records. */
  sheets?: Sheets;
  log: FailureLog;
}

interface Route {
  operation: RestOperation;
  execute: Execute;
  path: string;
  /** True on the un-scoped path of a deprecated operation. */
  deprecated: boolean;
}

/**
 * The Express router of all REST documents. Paths it does not know go on to the next handler.
 * @throws DocumentProblems when a document does not fit the schema
 */
export function createRestRouter(options: RestOptions): Router {
  const prepare = options.prepare ?? interpret(options.schema);
  const table = new RouteTable<Route>();
  for (const operation of options.operations ?? compileDocuments(options.schema, options.directory)) {
    const execute = lazily(() => prepare(operation.document, operation.name));
    for (const path of pathsOf(operation)) {
      table.add(operation.method, path, {
        operation,
        execute,
        path,
        deprecated: operation.deprecated !== undefined && path === operation.path,
      });
    }
  }
  const edge = new RestEdge(options, table, prepare);
  const router = Router();
  router.use((req, res, next) => {
    const found = table.match(req.path);
    if (!found) return next();
    const method = req.method === 'HEAD' ? 'GET' : req.method;
    const match = found.methods.get(method);
    if (!match) {
      res.setHeader('X-Request-Id', requestIdOf(req));
      return refuseMethod(req, res, [...found.methods.keys()].sort());
    }
    return edge.serve(req, res, next, match.target, paramsOf(match.names, found.values));
  });
  return router;
}

const paramsOf = (names: readonly string[], values: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name, i) => [name, values[i]!]));

class RestEdge {
  readonly #options: RestOptions;
  readonly #limits: RestLimits;
  readonly #table: RouteTable<Route>;
  readonly #exporter: ListExporter;

  constructor(options: RestOptions, table: RouteTable<Route>, prepare: Prepare) {
    this.#table = table;
    this.#options = options;
    const { schema, sheets = {}, renew, longestExport: longest } = options;
    this.#exporter = new ListExporter({ schema, prepare, sheets, renew, longest });
    this.#limits = { body: 5 * 1024 * 1024, items: 1_000, ...options.limits };
  }

  async serve(req: Request, res: Response, next: NextFunction, route: Route, params: Record<string, string>): Promise<void> {
    nameRoute(res, route.path);
    res.setHeader('X-Request-Id', requestIdOf(req));
    addVary(res, isList(route.operation) ? 'Accept, Accept-Language, Prefer' : 'Accept-Language, Prefer');
    if (route.deprecated) res.setHeader('Deprecation', 'true');
    try {
      const run = () => this.#answer(req, res, route, params);
      const answer = await (currentWork()?.during(run) ?? run());
      if (!answer) return;
      await sendAnswer(req, res, answer);
      letGoOfRecords(route.operation, answer);
    } catch (error) {
      next(error);
    }
  }

  async #answer(req: Request, res: Response, route: Route, params: Record<string, string>): Promise<Answer | undefined> {
    let language = pickLanguage(req.headers['accept-language']);
    // Before the document runs the edge speaks in wire names already.
    let names: Names = 'wire';
    let form: TakenForm | undefined;
    let context: Context | undefined;
    try {
      const followUp = this.#options.followUps?.[route.operation.name];
      const exported = exportTypeOf(req, route.operation);
      requireAcceptable(req, answerTypeOf(route.operation), [...(followUp?.types ?? []), ...exportsOf(route.operation)]);
      context = await this.#options.contextFor(req);
      context.contractWords = !prefers(req, 'waypoints=all');
      language = context.language;
      if (!route.operation.public && !context.viewer) throw new Unauthenticated(context.authError ?? 'missing_token');
      form = await this.#form(req, route.operation, context);
      const body: ParsedJson | undefined = form
        ? { value: form.value, suspicious: true, exact: false }
        : await this.#body(req, route.operation);
      if (body?.repeated) context.repeated = body.repeated;
      const text = /\?.*/s.exec(req.originalUrl)?.[0] ?? '';
      const { variables, ignored } = coerceVariables(
        route.operation,
        { params, query: parseQuery(text), queryFaults: faultsOf(text, route.operation), body, strict: isStrict(req) },
        this.#limits.items,
      );
      await this.#options.takeTurn?.(context, res);
      // A list that is streamed reads at a place of its own.
      if (route.operation.kind === 'query' && !exported) await readAtReplica(context);
      names = 'graphql';
      const run = async (ctx: Context) => {
        // The record of a repeated request is what its first run made of it: that run met the condition before it committed.
        if (!ctx.once?.begun) await this.#requireUnchanged(req, route, ctx);
        return this.#execute(req, route, variables, ctx);
      };
      if (exported) {
        setAnswerHeaders(res, language, context.rate);
        const asJson = (given: Record<string, unknown>) => this.#execute(req, route, given, context!);
        return await this.#exporter.answer({ operation: route.operation, type: exported, variables, ignored, context, req, res, asJson });
      }
      const answer =
        !this.#options.idempotency || route.operation.method === 'GET'
          ? await run(context)
          : await once(
              this.#options.idempotency,
              { req, operation: route.operation, params, body: form?.fingerprint ?? body?.value, context },
              run,
            );
      if (isStrict(req)) res.append('Preference-Applied', 'handling=strict');
      if (!followUp) return withIgnored(withEtag(req, route.operation, answer), ignored, context.archived);
      // A stream begins with its headers.
      setAnswerHeaders(res, language, context.rate);
      return await followUp.follow(context, withIgnored(answer, ignored), req, res);
    } catch (error) {
      return this.failure(req, route.operation, context ? this.#first(error, route, context, params) : error, language, names);
    } finally {
      await form?.settle();
      if (!res.headersSent) setAnswerHeaders(res, language, context?.rate);
    }
  }

  /** A permission that is missing comes before what is wrong with the body. */
  #first(error: unknown, { operation }: Route, context: Context, params: Record<string, string>): unknown {
    const ids = operation.variables.flatMap(({ name, place, wire }) =>
      place === 'path' || place === 'company' ? [[name, params[wire]] as const] : [],
    );
    return refusalBefore(error, this.#options.schema, operation.rootField, context, Object.fromEntries(ids));
  }

  /** The answer to an error; what is not ours is logged with the request id. */
  failure(req: Request, operation: RestOperation, error: unknown, language: Context['language'], names: Names): Answer {
    const groups = operation.variables.flatMap(({ place, wire }) => (place === 'query' ? [wire] : []));
    const answer = errorAnswer(inContract(error, operation), language, names, groups);
    logFailure(this.#options.log, req, answer.status, error);
    return answer;
  }

  /** The form of an operation with an upload, when the body is one. */
  async #form(req: Request, operation: RestOperation, context: Context): Promise<TakenForm | undefined> {
    const { takeForm } = this.#options;
    if (!operation.upload || !takeForm || !/^multipart\/form-data\b/i.test(req.headers['content-type'] ?? '')) return undefined;
    return takeForm(req, context, { upload: operation.upload, ...formOf(operation) });
  }

  async #body(req: Request, operation: RestOperation): Promise<ParsedJson | undefined> {
    if (operation.method === 'GET') return undefined;
    const mediaType = bodyTypeOf(operation);
    if (mediaType) return { value: await readText(req, this.#limits.body, mediaType), suspicious: false, exact: false };
    if (operation.form && isForm(req))
      return { value: await readFormBody(req, this.#limits.body, modelOfBody(operation)), suspicious: true, exact: false };
    const bytes = await readBody(req, this.#limits.body);
    return bytes.length === 0 ? undefined : parseJson(bytes, bodyKindOf(operation));
  }

  /**
   * Serves `If-Match`: a request about a record that has changed since the client read it does nothing. What the client read is what the
   * record's own path answers; the path of an event (`/orders/{id}/accept`) is about the record above it.
   * @throws PreconditionFailed when the record answers otherwise now, or has no path to read it from; Missing when there is no such record
   */
  async #requireUnchanged(req: Request, { operation, path }: Route, context: Context): Promise<void> {
    const wanted = req.headers['if-match'];
    if (wanted === undefined || wanted.trim() === '*' || operation.method === 'GET') return;
    const patterns = pathsOfRecord(operation, path, path);
    const reads = pathsOfRecord(operation, req.path, path).flatMap((one, at) => this.#readOf(one, patterns[at]!) ?? []);
    const expected = await unchangedSince(req, reads, ({ route, params }) => {
      const { variables } = coerceVariables(route.operation, { params, query: parseQuery(''), body: undefined }, this.#limits.items);
      return this.#execute(req, route, variables, { ...context, memo: new Map() });
    });
    if (expected) context.expects = expected;
  }

  /** The operation that reads the record of a path of a pattern, with the path's parameters: `bulk_cancel` is no job. */
  #readOf(path: string, pattern: string): { route: Route; params: Record<string, string> } | undefined {
    const found = this.#table.match(path);
    const read = found?.methods.get('GET');
    return read && hasEtag(read.target.operation) && withoutNames(read.target.path) === withoutNames(pattern)
      ? { route: read.target, params: paramsOf(read.names, found!.values) }
      : undefined;
  }

  async #execute(req: Request, { operation, execute }: Route, variables: Record<string, unknown>, context: Context): Promise<Answer> {
    const result = await execute(variables, context);
    if (result.errors && result.errors.length > 0)
      return this.failure(req, operation, executionError(result.errors), context.language, 'graphql');
    if (operation.edits) applyEdits(result.data, operation.edits, (preference) => prefers(req, preference));
    const { location, em } = context;
    const reversed = this.#options.reverseCursor ?? ((cursor: string) => reverseCursor(em, cursor));
    return successOf(req, operation, result.data, { location, reverseCursor: reversed });
  }
}
