import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeCsv } from '../../src/platform/csv.ts';
import type { Decimal } from '../../src/platform/decimal.ts';
import { type Product, tokenOf } from './product.ts';

/** The output of `haulgate-send --json`. */
export interface Sent {
  exit: number | null;
  elements: number;
  states: Record<string, number>;
  failed: { place: string; imported_for: string | null; state: string; last_error: string | null }[];
  warned: { warnings: { code: string }[] }[];
}

type Cell = string | number | null | undefined;

/** Sends sheets to a product, and collects what did not come out as expected. */
export class Trial {
  readonly #access: Product['access'];
  readonly #folder: string;
  readonly #wrong: string[] = [];

  constructor(access: Product['access'], folder: string) {
    this.#access = access;
    this.#folder = folder;
  }

  /** Writes the rows as `<name>.csv` and sends them with the built haulgate-send. */
  async send(name: string, header: string[], rows: Cell[][]): Promise<Sent> {
    const file = join(this.#folder, `${name}.csv`);
    writeFileSync(file, writeCsv([header, ...rows]));
    const { base_url: url, client_id: id, client_secret: secret } = this.#access;
    const child = spawn(process.execPath, ['bin/haulgate-send.js', file, '--json', '--batch', '500'], {
      env: { ...process.env, HAULGATE_URL: url, HAULGATE_CLIENT_ID: id, HAULGATE_CLIENT_SECRET: secret },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const exit = await new Promise<number | null>((done) => child.once('close', done));
    if (stdout === '') throw new Error(`haulgate-send ended with ${exit}: ${stderr}`);
    const sent = { exit, ...(JSON.parse(stdout) as Omit<Sent, 'exit'>) };
    this.say(`${name}.csv: ${sent.elements} rows, ${tallyOf(sent)} (exit status ${exit})`);
    for (const [reason, n] of countsOf(sent.failed.map(({ last_error }) => last_error ?? ''))) this.say(`  ${n} x ${reason}`);
    for (const [code, n] of countsOf(sent.warned.flatMap(({ warnings }) => warnings.map((one) => one.code))))
      this.say(`  warning ${code}: ${n}`);
    return sent;
  }

  /** Returns all nodes of a connection over GraphQL, page by page; `query` takes `$after` and aliases the connection `list`. */
  async all<T>(query: string): Promise<T[]> {
    const { base_url: url, client_id: id, client_secret: secret } = this.#access;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${await tokenOf(url, id, secret)}` };
    const nodes: T[] = [];
    for (let after: string | null = null; ; ) {
      const response: Response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query, variables: { after } }),
      });
      const { data, errors } = (await response.json()) as {
        data?: { list: { nodes: T[]; pageInfo: { hasNextPage: boolean; endCursor: string } } };
        errors?: unknown;
      };
      if (!data) throw new Error(JSON.stringify(errors));
      nodes.push(...data.list.nodes);
      if (!data.list.pageInfo.hasNextPage) return nodes;
      after = data.list.pageInfo.endCursor;
    }
  }

  /** Prints sums of the file next to sums of the product, and notes where they differ. */
  compare(title: string, file: Map<string, Decimal>, product: Map<string, Decimal>): void {
    this.say(`${title}: file, product`);
    for (const key of [...new Set([...file.keys(), ...product.keys()])].sort()) {
      const [ours, theirs] = [file.get(key)?.toFixed() ?? '-', product.get(key)?.toFixed() ?? '-'];
      this.say(`  ${key.padEnd(24)} ${ours.padStart(14)} ${theirs.padStart(14)} ${ours === theirs ? 'equal' : 'DIFFERENT'}`);
      if (ours !== theirs) this.#wrong.push(`${title}: ${key}`);
    }
  }

  /** @param what a sentence that must be true */
  holds(what: string, truth: boolean): void {
    this.say(`${truth ? 'yes' : 'NO '}  ${what}`);
    if (!truth) this.#wrong.push(what);
  }

  say(line: string): void {
    process.stdout.write(`${line}\n`);
  }

  verdict(): boolean {
    this.say(this.#wrong.length === 0 ? 'All agree.' : `They do not agree:\n  ${this.#wrong.join('\n  ')}`);
    return this.#wrong.length === 0;
  }
}

const tallyOf = ({ states }: Sent): string =>
  Object.entries(states)
    .map(([state, n]) => `${state} ${n}`)
    .join(', ');

function countsOf(texts: string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, 10);
}
