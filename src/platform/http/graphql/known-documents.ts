import type { Request, Response } from 'express';
import { type DocumentNode, type ExecutionResult, getOperationAST } from 'graphql';
import type { Context } from '../../context.ts';
import { letGoOfAnswers } from '../../graphql/complete/roots.ts';
import type { DocumentStore } from '../../graphql/documents.ts';
import { asksForCost } from './figures.ts';

/** Apollo copies what it is given for every operation; few fields are a cheap copy, and the Context stays the one object it is. */
export interface Carrier {
  ctx: Context;
  req: Request;
  res: Response;
  /** Runs an operation in the application that was asked. */
  execute(asked: Asked): Promise<ExecutionResult>;
  /** The outcome of an operation that has run already. */
  result?: Promise<ExecutionResult>;
}

/** An operation that is about to run, in the words of Apollo. */
export interface Asked {
  document: DocumentNode;
  operationName: string | null | undefined;
  request: { variables?: Record<string, unknown> };
  carrier: Carrier;
}

/** An answer as Apollo gives it. */
export interface Reply {
  status?: number;
  headers: Iterable<readonly [string, string]>;
  body: string;
}

/** A request whose document was parsed and validated before. */
export interface KnownRequest {
  document: DocumentNode;
  operationName: string | undefined;
  variables: Record<string, unknown> | undefined;
  contentType: string;
}

/** Values of `Accept` whose content types are remembered, and their letters; clients have a handful of them. */
const MOST_ACCEPTED = 100;
const LONGEST_ACCEPTED = 200;

/**
 * Answers operations of documents that Apollo has parsed and validated before. For those Apollo's pipeline does nothing but cost more than a
 * short answer does: it hashes the text, negotiates the content type, copies headers and context, and awaits hooks. An operation is admitted and
 * executed by the same functions in both cases. Whatever is not a plain success is left to Apollo, together with what was done already: the same
 * errors come out, and nothing runs twice.
 */
export class KnownDocuments {
  readonly #documents: Pick<DocumentStore, 'find'>;
  readonly #admit: (asked: Asked) => void;
  readonly #execute: (asked: Asked) => Promise<ExecutionResult>;
  /** The content type that Apollo chose for an `Accept` header; an empty one means that there was none. */
  readonly #contentTypes = new Map<string, string>();

  /** @param admit throws what is wrong with an operation before it runs, and may replace its variables */
  constructor(documents: Pick<DocumentStore, 'find'>, admit: (asked: Asked) => void, execute: (asked: Asked) => Promise<ExecutionResult>) {
    this.#documents = documents;
    this.#admit = admit;
    this.#execute = execute;
  }

  /**
   * The request of a client, if nothing about it is unusual and its document is known. Content types that a form could have, which Apollo
   * refuses as forged, never get here (`readBody`).
   */
  find({ method, headers, body }: Request): KnownRequest | undefined {
    const { query, operationName, variables, extensions } = body as Record<string, unknown>;
    if (headers.prefer !== undefined && asksForCost({ headers })) return undefined;
    if (method !== 'POST' || typeof query !== 'string' || (extensions ?? undefined) !== undefined) return undefined;
    if (!isAbsentOr('string', operationName) || !isAbsentOr('object', variables) || Array.isArray(variables)) return undefined;
    const contentType = this.#contentTypes.get(headers.accept ?? '');
    const document = contentType === undefined ? undefined : this.#documents.find(query);
    const operation = document && getOperationAST(document, operationName as string | null | undefined);
    if (contentType === undefined || !operation) return undefined;
    return {
      document,
      operationName: operation.name?.value,
      variables: (variables as Record<string, unknown> | null) ?? undefined,
      contentType,
    };
  }

  /** @returns undefined when Apollo is to answer, with the same carrier */
  async answer(request: KnownRequest, carrierOf: () => Promise<Carrier>): Promise<Reply | undefined> {
    const { document, operationName, variables, contentType } = request;
    let result: ExecutionResult;
    try {
      const carrier = await carrierOf();
      const asked = { document, operationName, request: { variables }, carrier };
      this.#admit(asked);
      carrier.result = this.#execute(asked);
      result = await carrier.result;
    } catch {
      // Apollo meets the same error, and knows how to answer it.
      return undefined;
    }
    if (result.errors) return undefined;
    const { data, extensions } = result;
    const body = `${JSON.stringify({ data, extensions })}\n`;
    letGoOfAnswers(data as Record<string, unknown> | undefined);
    return { headers: [['content-type', contentType]], body };
  }

  /** Remembers what Apollo answered with success. */
  learn({ headers: { accept = '' } }: Request, contentType: string | undefined): void {
    if (contentType === undefined || accept.length > LONGEST_ACCEPTED || this.#contentTypes.size >= MOST_ACCEPTED) return;
    this.#contentTypes.set(accept, contentType);
  }
}

const isAbsentOr = (type: 'string' | 'object', value: unknown): boolean => value === undefined || value === null || typeof value === type;
