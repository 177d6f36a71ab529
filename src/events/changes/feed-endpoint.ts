import type { RequestHandler } from 'express';
import type { Context } from '../../platform/context.ts';
import { NotAcceptable } from '../../platform/errors.ts';
import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import { ignoredHeaders, withIgnored } from '../../platform/http/rest/ignored.ts';
import { acceptedOf } from '../../platform/http/rest/negotiation.ts';
import { sendAnswer } from '../../platform/http/rest/send.ts';
import { endTurn, whenLeft } from '../../platform/http/turns.ts';
import { MOST_CHANGES } from './change.types.ts';
import { wireChanges } from './change-wire.ts';
import { streamChanges } from './event-stream.ts';
import { FEED_OPERATION, SNAPSHOT_OPERATION } from './feed-openapi.ts';
import { feedQueryOf } from './feed-query.ts';
import { feedReaderOf, positionOf } from './feed-reader.ts';
import { FEED_PATH, type FeedServices, SNAPSHOT_PATH, sayWhereToBegin } from './feed-services.ts';
import { serveSnapshot } from './snapshot.ts';
import { waitForChanges } from './wait-for-changes.ts';

/** The feed of what changes in a company, and where to begin with it. */
export const feedEndpoints: readonly HttpEndpoint<FeedServices>[] = [
  { method: 'get', path: FEED_PATH, handlers: (services) => [serveFeed(services)], openapi: FEED_OPERATION },
  { method: 'get', path: SNAPSHOT_PATH, handlers: (services) => [serveSnapshot(services)], openapi: SNAPSHOT_OPERATION },
];

const STREAM = 'text/event-stream';

function serveFeed(services: FeedServices): RequestHandler {
  const { contextFor, renew, takeTurn } = services;
  return async (req, res, next) => {
    let report: Context['report'];
    try {
      const ctx = await contextFor(req);
      report = ctx.report;
      ctx.contractWords = true;
      await takeTurn(ctx, res);
      const { wait, ignored, ...query } = feedQueryOf(req);
      const companyId = String(req.params.companyId);
      const type = acceptedOf(req, ['application/json', STREAM]);
      if (!type) throw new NotAcceptable();
      res.vary('Accept');
      if (type === STREAM && req.method === 'GET') {
        // A client that connects again does so at the address of the beginning.
        const last = req.get('Last-Event-ID');
        if (last) positionOf(last, feedReaderOf(ctx, companyId), 'Last-Event-ID');
        const after = last || query.after;
        res.set(ignoredHeaders(ignored));
        const again = async () => Object.assign(await renew(req), { contractWords: true });
        // Changes that wait are sent at once, whatever the size of a page.
        return await streamChanges(ctx, { ...query, limit: MOST_CHANGES, companyId, after }, req, res, { ...services, renew: again });
      }
      const read = await waitForChanges(
        ctx,
        { ...query, companyId, shown: true },
        {
          wait,
          signal: whenLeft(res),
          // A request that waits keeps no other one of the same caller waiting.
          pausing: () => endTurn(res),
          renew: async () => {
            const again = Object.assign(await renew(req), { contractWords: true });
            await takeTurn(again, res);
            return again;
          },
        },
      );
      const data = wireChanges(read);
      const body = { data, meta: { position: read.position, has_more: read.more } };
      await sendAnswer(req, res, withIgnored({ status: 200, headers: {}, body }, ignored));
    } catch (error) {
      if (res.headersSent) {
        // Only a broken connection shows that the answer is not complete.
        report?.(error);
        return void res.destroy();
      }
      sayWhereToBegin(error, res);
      next(error);
    }
  };
}
