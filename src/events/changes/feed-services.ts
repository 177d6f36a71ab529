import type { Request, Response } from 'express';
import type { Context } from '../../platform/context.ts';
import { Gone, type HaulgateError } from '../../platform/errors.ts';
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

/** Where to begin with a feed. */
export const startOf = (companyId: string): string => SNAPSHOT_PATH.replace('{company-id}', companyId);

/** Says in the answer to a position that cannot be read on where to begin. */
export function sayWhereToBegin(error: unknown, req: Request, res: Response): void {
  if (isGone(error)) res.set('Link', `<${startOf(String(req.params.companyId))}>; rel="start"`);
}

export const isGone = (error: unknown): error is HaulgateError => error instanceof Gone;
