import type { Request } from 'express';
import { letGoOfAnswers } from '../../graphql/complete/roots.ts';
import type { Answer } from './envelope.ts';
import { linkHeader, type PageInfo } from './link.ts';
import { answerTypeOf, type RestOperation } from './operation.ts';

export interface SuccessOptions {
  /** Path of what a command made, for `Location`. */
  location: string | undefined;
  /** Makes the cursor for `prev` from a page's first cursor. */
  reverseCursor(cursor: string): string;
}

/**
 * The answer to an operation whose document ran without errors.
 * @param result what it gave, the root field under `data`
 */
export function successOf(req: Request, operation: RestOperation, result: unknown, { location, reverseCursor }: SuccessOptions): Answer {
  const headers: Record<string, string> = location ? { Location: location } : {};
  if (operation.reply === 'NONE') return { status: operation.status, headers };
  if (operation.reply === 'EMPTY') return { status: operation.status, headers, body: {} };
  const data = (result as { data?: unknown } | null | undefined)?.data ?? null;
  if (data === null && operation.empty) return { status: 204, headers };
  const mediaType = answerTypeOf(operation);
  if (mediaType) return { status: operation.status, headers: fileHeaders(operation, mediaType), body: data };
  if (operation.paged) {
    const { nodes, page_info } = data as { nodes: unknown[]; page_info: Record<string, never> };
    const link = linkHeader(req, camelPage(page_info), reverseCursor);
    // The answer has the records, and nobody wants the page that they were in.
    letGoOfAnswers(result as Record<string, unknown>);
    return { status: operation.status, headers: link ? { Link: link } : {}, body: { data: nodes } };
  }
  if (operation.reply === 'ID') return { status: operation.status, headers, body: { data: (data as { id: string }).id } };
  return { status: statusOf(operation, data), headers, body: { data } };
}

/** Empties the answer with a page, which is sent by now (`letGoOf`). That of an export is a text or bytes, and that of HEAD has no body. */
export function letGoOfRecords({ paged }: RestOperation, { status, body }: Answer): void {
  if (paged && status === 200 && typeof body === 'object' && body !== null) (body as { data?: unknown }).data = undefined;
}

/** The status of the `@status` fragment that answered; its mark is removed. */
function statusOf(operation: RestOperation, data: unknown): number {
  if (operation.statuses.size === 0 || typeof data !== 'object' || data === null) return operation.status;
  for (const [alias, status] of operation.statuses) {
    if (!Object.hasOwn(data, alias)) continue;
    delete (data as Record<string, unknown>)[alias];
    return status;
  }
  return operation.status;
}

/** A file to keep, named for the operation: `OrdersCsvTemplate` -> `orders-csv-template.csv`. */
function fileHeaders(operation: RestOperation, mediaType: string): Record<string, string> {
  const name = operation.name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  return {
    'Content-Type': `${mediaType}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${name}.${mediaType.split('/')[1]}"`,
  };
}

function camelPage(info: Record<string, never>): PageInfo {
  return {
    hasNextPage: info.has_next_page,
    hasPreviousPage: info.has_previous_page,
    startCursor: info.start_cursor,
    endCursor: info.end_cursor,
  };
}
