import { provided } from '../../platform/application.ts';
import { AnswerTooLong, guardedFetch } from '../../platform/http/calls/guarded-fetch.ts';
import { signed } from '../../platform/outgoing/signature.ts';
import { AnswerRefused, type PictureReading, readAnswer } from './reader-answer.ts';

/** The facts that a reader may know of a ticket: ids, so that it can learn from earlier readings. */
export interface ReaderHints {
  company: string;
  order: string | null;
  job: string | null;
}

/** Reads the picture of a ticket. No decoder of ours runs: the bytes are forwarded as they came. */
export interface TicketReader {
  /** Names it in readings. */
  provider: string;
  /**
   * @param zone of the company, for times without an offset
   * @returns `unreadable` if it recognises nothing
   * @throws AnswerRefused for an answer that cannot be right, which asking again would not change; Error if it fails or is too slow
   */
  read(image: Buffer, hints: ReaderHints, zone: string): Promise<PictureReading | 'unreadable'>;
}

/** The reader of this installation; by default there is none, and nothing is read. */
export const ticketReader = provided<TicketReader | undefined>('reader of tickets');

export interface HttpReaderOptions {
  url: string;
  /** Signs the requests. */
  secret: string;
  /** Also calls private addresses, and http:. */
  allowPrivate: boolean;
  /** Milliseconds that an answer may take; 20,000 by default. */
  timeout?: number;
}

/** Bytes of an answer. */
const MOST = 65_536;

/**
 * A reader behind HTTP: `POST` of the JPEG. `X-Haulgate-Hints` is base64url of JSON, `X-Haulgate-Signature` is `t=<seconds>,v1=<hex>` with the
 * HMAC-SHA-256 of `<seconds>.<hints>.<bytes>` under the secret. Its address is resolved for the call itself, as for all requests that leave.
 */
export function httpTicketReader({ url, secret, allowPrivate, timeout = 20_000 }: HttpReaderOptions): TicketReader {
  const fetch = guardedFetch({ allowPrivate, timeout, most: MOST });
  return {
    provider: 'http',
    async read(image, hints, zone) {
      const about = Buffer.from(JSON.stringify(hints)).toString('base64url');
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'image/jpeg', 'X-Haulgate-Hints': about, ...signed(secret, about, image) },
        body: new Uint8Array(image),
      }).catch((error) => {
        throw error instanceof AnswerTooLong ? new AnswerRefused(error.message) : error;
      });
      if (answer.status !== 200) throw new Error(`the reader answered ${answer.status}`);
      const text = await answer.text();
      let json: unknown;
      try {
        json = JSON.parse(text);
      } catch {
        throw new AnswerRefused('the answer is no JSON');
      }
      return readAnswer(json, zone);
    },
  };
}
