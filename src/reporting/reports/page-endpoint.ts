import type { EntityManager } from '@mikro-orm/postgresql';
import type { Request, RequestHandler, Response } from 'express';
import { contentDisposition } from '../../files/file-name.ts';
import { viewerOfRemembered } from '../../identity/access/viewer.ts';
import { SIGN_IN } from '../../identity/sign-in/sign-in-purpose.ts';
import type { Context } from '../../platform/context.ts';
import { writeCsv } from '../../platform/csv.ts';
import { asCompanies, runAsPurpose } from '../../platform/database/scope.ts';
import { type ErrorItem, Invalid, Missing } from '../../platform/errors.ts';
import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import { ARCHIVED_HEADERS } from '../../platform/http/openapi/headers.ts';
import { ignoredHeaders, unknownParameters } from '../../platform/http/rest/ignored.ts';
import type { TakeTurn } from '../../platform/http/rest/router.ts';
import { SIGNATURE } from '../../platform/public-url.ts';
import { auditRead } from '../../platform/read/watched.ts';
import { CSV_PATH, DATA_PATH, readPageLink } from './page-link.ts';
import { MOST_GROUPS, MOST_LINES, type ReportPage, readReport } from './report-page.ts';
import { sheetOf } from './report-sheet.ts';

export interface ReportPageServices {
  em: EntityManager;
  contextFor(req: Request): Promise<Context>;
  takeTurn: TakeTurn;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The parameters of a page that choose days. */
const DAYS = ['from', 'to'] as const;

/** What is asked of a page, and the parameters that it does not know. @throws Invalid with everything that is wrong */
function questionOf(req: Request): { days: { from?: string; to?: string }; ignored: readonly ErrorItem[] } {
  const items: ErrorItem[] = [];
  const ignored = unknownParameters(req, [SIGNATURE, ...DAYS], items);
  for (const field of DAYS) if (Array.isArray(req.query[field])) items.push({ model: 'Report', field, key: 'given_twice' });
  if (items.length > 0) throw new Invalid(items);
  return { days: { from: text(req.query.from), to: text(req.query.to) }, ignored };
}

/** A page with the names of parameters that it does not know. */
type Shown = ReportPage & { ignored: readonly ErrorItem[] };

/** @throws Missing for a link that is not ours or over, and as `questionOf` and `readReport` do */
async function shown({ em, contextFor, takeTurn }: ReportPageServices, req: Request, res: Response, most: number): Promise<Shown> {
  const ctx = await contextFor(req);
  const id = String(req.params.id).toLowerCase();
  const opened = readPageLink(em, id, text(req.query[SIGNATURE]) ?? '');
  // As they are now: who was deactivated, or lost a permission, sees no more than that.
  const viewer = opened && (await runAsPurpose(SIGN_IN, () => viewerOfRemembered(em, opened.actor)));
  if (!opened || !viewer?.companyIds.includes(opened.companyId)) throw new Missing();
  ctx.viewer = viewer;
  return asCompanies(viewer.companyIds, async () => {
    await takeTurn(ctx, res);
    const { days, ignored } = questionOf(req);
    const page = await readReport(ctx, { id, companyId: opened.companyId }, { ...days, most });
    if (viewer.realActor) await noteRead(ctx, id, page);
    return { ...page, ignored };
  });
}

/** Writes to the audit log that somebody reads as another person, before the answer. */
function noteRead(ctx: Context, id: string, { company: companyId, from, to }: ReportPage): Promise<void> {
  const read = { type: 'Report', id, companyId, changes: { from: [null, from], to: [null, to] } satisfies Record<string, [null, string]> };
  return ctx.em.fork({ clear: true }).transactional((em) => auditRead(em as EntityManager, ctx, read));
}

const answering = (services: ReportPageServices, most: number, answer: (page: Shown, res: Response) => void): RequestHandler => {
  return (req, res, next) =>
    void shown(services, req, res, most)
      .then((page) => {
        res.set({ 'Cache-Control': 'private, no-store', 'Referrer-Policy': 'no-referrer', 'X-Content-Type-Options': 'nosniff' });
        res.set(ignoredHeaders(page.ignored));
        answer(page, res);
      })
      .catch(next);
};

const wire = ({ name, timeZone, from, to, chart, groupBy, measures, leftOut, groups, totals, more, archived }: ReportPage): object => ({
  ...{ name, time_zone: timeZone, from, to, chart, group_by: groupBy },
  measures: measures.map(({ measure, description, byUnit }) => ({ measure, description, by_unit: byUnit })),
  ...{ left_out: leftOut, groups, totals: totals.values, more, archived },
});

/** As answers of operations have it (`withIgnored`). */
const metaOf = ({ ignored }: Shown): object => (ignored.length > 0 ? { meta: { ignored: ignored.map(({ field }) => field) } } : {});

const string = { type: 'string' };
const list = (items: object) => ({ type: 'array', items });
const nullable = { type: 'string', nullable: true };
const object = (properties: Record<string, object>) => ({ type: 'object', required: Object.keys(properties), properties });
const values = list(object({ measure: string, unit: nullable, value: nullable }));
const PAGE = object({
  ...{ name: string, time_zone: string, from: { type: 'string', format: 'date' }, to: { type: 'string', format: 'date' } },
  chart: { type: 'string', enum: ['bar', 'line', 'none'] },
  group_by: list(string),
  measures: list(object({ measure: string, description: string, by_unit: { type: 'boolean' } })),
  left_out: list(string),
  groups: list(object({ keys: list(object({ dimension: string, value: nullable, label: nullable })), values })),
  totals: values,
  more: { type: 'boolean' },
  archived: { ...object({ before: { type: 'string', format: 'date-time' }, in: string }), nullable: true },
});
const day = (name: string, description: string) => ({ name, in: 'query', description, schema: { type: 'string', format: 'date' } });
const about = (fields: { id: string; summary: string; description: string; content: object; headers?: object }) => ({
  operationId: fields.id,
  summary: fields.summary,
  description: fields.description,
  tags: ['reporting'],
  security: [],
  parameters: [
    { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
    { name: SIGNATURE, in: 'query', required: true, description: 'As `dashboard_url` has it.', schema: string },
    day('from', 'The first day; by default, that of the report.'),
    day('to', 'The last day; by default, that of the report.'),
  ],
  responses: {
    200: { description: 'Success', ...(fields.headers ? { headers: fields.headers } : {}), content: fields.content },
    403: { $ref: '#/components/responses/Forbidden' },
    404: { $ref: '#/components/responses/NotFound' },
    422: { $ref: '#/components/responses/UnprocessableContent' },
    429: { $ref: '#/components/responses/TooManyRequests' },
  },
});

/** The data of the page of a report, for everybody who has its URL. */
export const reportPageEndpoints: readonly HttpEndpoint<ReportPageServices>[] = [
  {
    method: 'get',
    path: DATA_PATH,
    handlers: (services) => [answering(services, MOST_GROUPS, (page, res) => void res.json({ data: wire(page), ...metaOf(page) }))],
    openapi: about({
      id: 'GetReportPage',
      summary: 'Get report page',
      description: 'The data of the page that `dashboard_url` leads to, with what its reader may see now.',
      content: { 'application/json': { schema: object({ data: PAGE }) } },
    }),
  },
  {
    method: 'get',
    path: CSV_PATH,
    handlers: (services) => [
      answering(services, MOST_LINES, (page, res) => {
        if (page.more) throw new Invalid([{ model: 'Report', field: 'to', key: 'report_too_long', params: { most: MOST_LINES } }]);
        if (page.archived) res.set({ 'X-Archived-Before': page.archived.before, 'X-Archived-In': page.archived.in });
        res.set('Content-Disposition', contentDisposition(`${page.name} ${page.from} ${page.to}.csv`));
        res.type('text/csv').send(writeCsv(sheetOf(page)));
      }),
    ],
    openapi: about({
      id: 'GetReportSheet',
      summary: 'Get report sheet',
      description: 'The groups of a report as CSV, one line for each. No cell is a formula.',
      content: { 'text/csv': { schema: string } },
      headers: ARCHIVED_HEADERS,
    }),
  },
];
