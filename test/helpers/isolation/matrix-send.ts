import { type Agent, request } from 'node:http';
import { graphqlStatus } from '../graphql-status.ts';
import type { Call } from './matrix.ts';

/** The answer to a call; for GraphQL, with the status that REST would have. */
export interface Answer {
  status: number;
  text: string;
}

/** Sends a call with a token, or without one. */
export function send({ url, agent }: { url: string; agent: Agent }, { method, path, body }: Call, token: string): Promise<Answer> {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const headers: Record<string, string | number> = token ? { Authorization: `Bearer ${token}` } : {};
  if (text !== undefined) {
    headers['Content-Type'] = typeof body === 'string' ? 'text/csv' : 'application/json';
    headers['Content-Length'] = Buffer.byteLength(text);
  }
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers, agent }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => resolve(answerOf(path, response.statusCode!, Buffer.concat(parts).toString())));
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

function answerOf(path: string, status: number, text: string): Answer {
  if (path !== '/graphql') return { status, text };
  const answer = JSON.parse(text);
  // `nodes` answers null for a record that is not there for the caller.
  const hidden = answer.data?.nodes?.includes(null) === true;
  return { status: hidden ? 404 : graphqlStatus(answer), text };
}
