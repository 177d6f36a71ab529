import type { Request, RequestHandler, Response } from 'express';
import type { UnitOfMeasure } from '../../directory/master-data/units.ts';
import type { FileServices } from '../../files/serve-stored.ts';
import { takeForm } from '../../files/upload-form.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import { systemContext } from '../../platform/commands/system-context.ts';
import { transact } from '../../platform/commands/transact.ts';
import { asCompanies } from '../../platform/database/scope.ts';
import { poolOf, type Query } from '../../platform/database/sql.ts';
import { expected, HaulgateError, Missing, TooMany } from '../../platform/errors.ts';
import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import { sendPage } from '../../platform/http/plain-page.ts';
import { pickLanguage } from '../../platform/i18n/messages.ts';
import { publicUrl } from '../../platform/public-url.ts';
import { createTicket } from '../ticket-commands.ts';
import { setTicketImage } from '../ticket-image.ts';
import { missingOf } from './missing-tickets.ts';
import { findPhotoLink, type PhotoLink, tryPhotoLink, usePhotoLink } from './photo-links.ts';
import { notePage, type PhotoPage, photoPage } from './photo-page.ts';
import { PHOTO_PATH, photoUrl } from './reminder-text.ts';

const page = { 'text/html': { schema: { type: 'string' } } };
const ofLink = (responses: object) => ({
  tags: ['proof'],
  security: [],
  parameters: [{ name: 'token', in: 'path', required: true, schema: { type: 'string' } }],
  responses: {
    ...responses,
    404: { description: 'A page that says so: there is no such link, or it has ended.', content: page },
    429: { description: 'A page that says so: it was tried too often.', content: page },
  },
});

/** `GET` and `POST /t/{token}`: a page for the telephone of whoever got the link, by which the picture of a ticket comes without an account. */
export const photoEndpoints: readonly HttpEndpoint<FileServices>[] = [
  {
    method: 'get',
    path: PHOTO_PATH,
    handlers: (services) => [answering(services, show)],
    openapi: {
      operationId: 'GetPhotoPage',
      summary: 'Get photo page',
      description: 'A page on which whoever got the link takes a picture of a missing ticket.',
      ...ofLink({ 200: { description: 'The page, in the language of the browser', content: page } }),
    },
  },
  {
    method: 'post',
    path: PHOTO_PATH,
    handlers: (services) => [answering(services, takePhoto)],
    openapi: {
      operationId: 'SendPhoto',
      summary: 'Send photo',
      description: 'Takes the picture of one ticket from the page, ten of a link at most.',
      requestBody: {
        required: true,
        content: {
          'multipart/form-data': {
            schema: {
              type: 'object',
              required: ['image'],
              properties: {
                image: { type: 'string', format: 'binary', description: 'A JPEG.' },
                load: { type: 'string', format: 'uuid', description: 'Which load it proves, if several lack their ticket.' },
              },
            },
          },
        },
      },
      ...ofLink({
        303: { description: 'It was taken; the page shows what is left.' },
        400: { description: 'A page that says so: the form cannot be read.', content: page },
        413: { description: 'A page that says so: the picture is too large.', content: page },
        422: { description: 'A page that says so: it is no picture.', content: page },
      }),
    },
  },
];

type Answer = (services: FileServices, req: Request, res: Response, token: string, link: PhotoLink) => Promise<void>;

/** Finds the link, which is counted for the address that asks; mistakes are pages, too. */
function answering(services: FileServices, answer: Answer): RequestHandler {
  return async (req, res, next) => {
    const token = String(req.params.token);
    try {
      await services.count(req, res);
      const link = await findPhotoLink(services.em, token);
      if (!link) throw new Missing();
      await answer(services, req, res, token, link);
    } catch (thrown) {
      const error = expected(thrown);
      const key = error instanceof HaulgateError ? KEYS[error.status] : undefined;
      if (!(error instanceof HaulgateError) || !key || res.headersSent) return next(error);
      if (error.retryAfter !== undefined) res.set('Retry-After', String(error.retryAfter));
      sendPage(res, error.status, notePage(key, languageOf(req)));
    }
  };
}

const KEYS: Record<number, string> = {
  400: 'photo_page_not_taken',
  404: 'photo_page_ended',
  409: 'photo_page_ended',
  413: 'photo_page_not_taken',
  415: 'photo_page_not_taken',
  422: 'photo_page_not_taken',
  429: 'photo_page_too_often',
};

const languageOf = (req: Request) => pickLanguage(req.headers['accept-language']);

interface Work extends Omit<PhotoPage, 'photos' | 'open' | 'at' | 'loads'> {
  at: string | Date;
  loads: { id: string; name: string; at: string }[];
}

const WORK = `select j.job_id as job, c.time_zone as zone, j.job_start_at as at,
    (select coalesce(json_agg(s.name order by w.ordinality), '[]') from waypoint w join site s on s.id = w.site_id where w.route_id = j.route_id and w.type in ('pickup', 'drop_off')) as sites,
    (select coalesce(json_agg(json_build_object('id', l.id, 'name', l.load_id, 'at', coalesce(l.summary_load_completed_at, l.updated_at)) order by l.ordinality), '[]')
      from ${missingOf('j.id', true)}) as loads
  from job j join company c on c.id = j.company_id where j.id = $1`;

/** Call it in the scope of the link's company. */
async function workOf(query: Query, { jobId, photos, open }: PhotoLink): Promise<PhotoPage> {
  const [found] = await query<Work>(WORK, [jobId]);
  if (!found) throw new Missing();
  const loads = found.loads.map((load) => ({ ...load, at: new Date(load.at) }));
  return { ...found, at: new Date(found.at), loads, photos, open };
}

const show: Answer = async ({ em }, req, res, _token, link) => {
  const pool = await poolOf(em);
  const work = await asCompanies([link.companyId], () =>
    workOf(async (sql, values) => (await pool.query(sql, values)).rows as never, link),
  );
  sendPage(res, 200, photoPage(work, languageOf(req)));
};

// The unit in which the load is counted, as far as that can be weighed.
const UNIT = `select u.unit from load l join job j on j.id = l.job_id, lateral (values (1, l.unit_of_measure), (2, j.load_unit_of_measure), (3, j.unit_of_measure)) u(place, unit)
  where l.job_id = $1 and ($2::uuid is null or l.id = $2) and u.unit not in ('Load', 'Hour') order by u.place, l.ordinality limit 1`;

/** Takes one picture, as a ticket of the load that was chosen, or of the only one that lacks its ticket. @throws Missing, TooMany, Invalid */
const takePhoto: Answer = async (services, req, res, token, link) => {
  const { em } = services;
  if (!link.open) throw new Missing();
  // Counted before the body is read: a link in the wrong hands does not make a disk busy.
  if (!(await tryPhotoLink(em, token))) throw new TooMany(HOUR);
  await asCompanies([link.companyId], async () => {
    const ctx = systemContext(em, link.companyId);
    const form = await takeForm(req, ctx, { upload: 'image', fields: ['image', 'load'], required: true, model: 'Ticket' });
    const given = form.value as { image: string; load?: string };
    try {
      await transact(ctx, async (tx) => {
        if (!(await usePhotoLink(tx, token))) throw new Missing();
        const { query } = setTxOf(tx);
        const { loads } = await workOf(query, link);
        if (loads.length === 0) throw new Missing();
        const [only, ...more] = loads;
        // A load that was chosen may have got its ticket since the page was shown: the picture is not of the one that is left, and the office decides.
        const loadId = given.load ? loads.find(({ id }) => id === given.load)?.id : more.length === 0 ? only!.id : null;
        const [counted] = await query<{ unit: UnitOfMeasure }>(UNIT, [link.jobId, loadId ?? null]);
        const fields = { jobId: link.jobId, loadId: loadId ?? null, unitOfMeasure: counted?.unit ?? 'Ton', source: 'driver_app' } as const;
        const { id } = await createTicket(tx, fields);
        await setTicketImage(tx, { id }, { image: given.image });
      });
    } finally {
      await form.settle();
    }
  });
  res.redirect(303, photoUrl(publicUrl.of(em), token));
};

/** Seconds. */
const HOUR = 3_600;
