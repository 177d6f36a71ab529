import type { Request, Response } from 'express';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import type { Answer } from '../../platform/http/rest/envelope.ts';
import { acceptedOf } from '../../platform/http/rest/negotiation.ts';
import type { FollowUp } from '../../platform/http/rest/router.ts';
import { endTurn } from '../../platform/http/turns.ts';
import { maskWarnings } from '../dry-run/hide-money.ts';
import { type Progress, progressOf } from '../ledger/progress.ts';

/** The most seconds that a sender may ask to wait for its answer (`Prefer: wait=20`, RFC 7240). */
const LONGEST_WAIT = 30;
/** Seconds that a stream of outcomes may last: below the 60 of SPEC Limits. */
const LONGEST_STREAM = 55;
const NDJSON = 'application/x-ndjson';
/** The content type of a stream, which clients may compare exactly. */
const NDJSON_TYPE = `${NDJSON}; charset=utf-8`;

interface WireReceipt {
  data: { batch_id: string; records: { id: string; state: string; line?: number }[]; unknown_columns?: string[] };
}

/** The further requests of a sender beyond the receipt: to wait for the outcomes, or to receive them one by one. */
export const importFollowUp: FollowUp = {
  described: {
    parameter: {
      name: 'Prefer',
      in: 'header',
      description: `\`wait=20\` holds the answer until every element has its outcome, for so many seconds at most, up to ${LONGEST_WAIT}. \`records\` have the outcomes then; the state of one that has none is \`created\`.`,
      schema: { type: 'string', example: 'wait=20' },
    },
    headers: {
      'Preference-Applied': { description: 'The wait that was applied; absent if none was asked for.', schema: { type: 'string' } },
    },
    texts: {
      [NDJSON]: `A line of JSON for each element, in their order, as soon as it and those before it have an outcome: the fields of an element of \`records\` that waited. It ends after ${LONGEST_STREAM} seconds at most.`,
    },
    elements: {
      list: 'records',
      like: 'ImportedRecord',
      fields: ['last_error', 'warnings', 'result_id', 'superseded_by'],
      when: 'Only in an answer that waited.',
    },
  },
  types: [NDJSON, NDJSON_TYPE],
  async follow(ctx, answer, req, res) {
    // The body of a replayed answer is the stored text.
    const receipt = (typeof answer.body === 'string' ? JSON.parse(answer.body) : answer.body) as WireReceipt;
    if (answer.status !== 202 || !receipt?.data?.batch_id) return answer;
    const wanted = acceptedOf(req, ['application/json', NDJSON, NDJSON_TYPE]);
    // The rest waits for the worker, while the sender's other requests go on.
    endTurn(res);
    if (req.headers.accept?.toLowerCase().includes(NDJSON) && (wanted === NDJSON || wanted === NDJSON_TYPE)) {
      await stream(ctx, receipt, answer, req, res);
      return undefined;
    }
    const seconds = preferredWait(req.headers.prefer);
    if (seconds === undefined) return answer;
    const viewer = viewerOf(ctx);
    const records: WireReceipt['data']['records'] = [];
    for await (const record of progressOf(ctx.em, receipt.data.batch_id, seconds, endOf(res)))
      records.push({ ...receipt.data.records[record.index]!, ...outcomeOf(record, viewer) });
    res.append('Preference-Applied', `wait=${seconds}`);
    return { ...answer, body: { ...receipt, data: { ...receipt.data, records } } };
  },
};

/** Returns the whole seconds of a `wait` preference, at most 30; undefined without one. */
function preferredWait(header: string | string[] | undefined): number | undefined {
  const [, seconds] = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:[,;]|$)/i.exec(String(header ?? '')) ?? [];
  return seconds === undefined ? undefined : Math.min(Number(seconds), LONGEST_WAIT);
}

async function stream(ctx: Context, receipt: WireReceipt, answer: Answer, req: Request, res: Response): Promise<void> {
  res.status(answer.status);
  for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value);
  res.setHeader('Content-Type', NDJSON_TYPE);
  // Nobody in between keeps a line back to compress it.
  res.setHeader('Cache-Control', 'no-store, no-transform');
  res.flushHeaders();
  const viewer = viewerOf(ctx);
  const { batch_id, records, unknown_columns } = receipt.data;
  const signal = endOf(res);
  for await (const record of progressOf(ctx.em, batch_id, LONGEST_STREAM, signal)) {
    if (signal.aborted) break;
    // Remarks on the whole sheet come with its first row, so that every line is the outcome of one element.
    const ofSheet = { line: records[record.index]?.line, unknown_columns: record.index === 0 ? unknown_columns : undefined };
    const { index, id, importedFor } = record;
    const line = { index, id, imported_for: importedFor, ...outcomeOf(record, viewer), ...ofSheet };
    if (!res.write(`${JSON.stringify(line)}\n`)) await drained(res, signal);
  }
  res.end();
  req.resume();
}

/** What became of an element, as in the list of a batch: absent values are null. */
function outcomeOf({ state, lastError, warnings, resultId, supersededBy }: Progress, viewer: Viewer) {
  const shown = maskWarnings(viewer, warnings).map(({ code, pointer, given = null, used = null }) => ({ code, pointer, given, used }));
  return { state, last_error: lastError, warnings: shown, result_id: resultId, superseded_by: supersededBy };
}

/** Returns a signal that is aborted when the client disconnects. */
function endOf(res: Response): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  return gone.signal;
}

function drained(res: Response, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    res.once('drain', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
