import type { Answer } from '../helpers/app.ts';
import type { Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** Reads the feed of a company. */
export const feedOf = (at: Tenant, query: string, token?: string): Promise<Answer> =>
  at.http('GET', at.path(`/changes${query}`), undefined, token);

/** The present end of a feed. */
export const endOf = async (at: Tenant, token?: string): Promise<string> => (await feedOf(at, '', token)).body.meta.position;

/** Lines of a snapshot. */
export async function snapshotOf(at: Tenant, query = '', token?: string): Promise<Json[]> {
  const { status, body } = await at.http('GET', at.path(`/changes/snapshot${query}`), undefined, token);
  if (status !== 200) throw new Error(`the snapshot answers ${status} ${JSON.stringify(body)}`);
  return (body as string)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** A copy of what a caller sees, kept as a client keeps one: a snapshot, and what the feed says after it. */
export class Replica {
  /** By type and id. */
  readonly records = new Map<string, Json>();
  readonly applied: string[] = [];
  position = '';
  readonly #at: Tenant;
  readonly #token: string | undefined;

  constructor(at: Tenant, token?: string) {
    this.#at = at;
    this.#token = token;
  }

  async begin(): Promise<this> {
    const [first, ...lines] = await snapshotOf(this.#at, '', this.#token);
    const last = lines.pop();
    if (last.records !== lines.length) throw new Error('the snapshot is not complete');
    for (const { type, id, record } of lines) this.records.set(`${type} ${id}`, record);
    this.position = first.position;
    return this;
  }

  /** Applies what the feed has. @returns what it said */
  async follow(limit = 100): Promise<string[]> {
    const said: string[] = [];
    for (let more = true; more; ) {
      const { status, body } = await feedOf(this.#at, `?after=${this.position}&limit=${limit}`, this.#token);
      if (status !== 200) throw new Error(`the feed answers ${status} ${JSON.stringify(body)}`);
      for (const { type, id, event, record } of body.data) {
        said.push(`${type} ${event}`);
        if (record) this.records.set(`${type} ${id}`, record);
        else this.records.delete(`${type} ${id}`);
      }
      this.position = body.meta.position;
      more = body.meta.has_more;
    }
    return said;
  }
}
