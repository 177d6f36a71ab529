import type { Request, Response } from 'express';
import type { Context } from '../../platform/context.ts';
import { Gone } from '../../platform/errors.ts';
import type { TakeTurn } from '../../platform/http/rest/router.ts';

export interface FeedServices {
  contextFor: (req: Request) => Promise<Context>;
  /** The caller of a request that goes on, as they are now. It counts as no request. @throws nothing for a token that ended: the context has no viewer */
  renew: (req: Request) => Promise<Context>;
  takeTurn: TakeTurn;
  /** Counts a stream until its answer is closed. @throws TooMany */
  openStream: (ctx: Context, req: Request) => void;
  /** Counts what is read for a stream, as a request is counted. @throws TooMany */
  countRead: (ctx: Context) => Promise<void>;
  /** The process stops: what has no end by itself ends. */
  isStopping: () => boolean;
}

export const FEED_PATH = '/v1/companies/{company-id}/changes';
export const SNAPSHOT_PATH = `${FEED_PATH}/snapshot`;

/** Why nobody can read on after a position, with where to begin. */
export const positionGone = (companyId: string, key: 'position_too_old' | 'position_unknown' | 'rights_changed'): Gone =>
  new Gone('Change', 'after', key, undefined, SNAPSHOT_PATH.replace('{company-id}', companyId));

/** Says in the answer to a position that cannot be read on where to begin. */
export function sayWhereToBegin(error: unknown, res: Response): void {
  if (error instanceof Gone && error.begin) res.set('Link', `<${error.begin}>; rel="start"`);
}
