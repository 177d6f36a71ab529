import type { Pool, PoolClient } from 'pg';
import { behindOf, valuesOf } from './connection/together.ts';
import { inScope } from './scope.ts';

/** Called with the text of each statement and, where the driver binds them, without its parameters. */
export type StatementListener = (sql: string) => void;

/**
 * Reports every statement that leaves through `pool`: those of the unit of work, of Kysely and of the read planner. `begin` and `commit`
 * are statements too.
 */
export function listenToStatements(pool: Pool, listener: StatementListener): void {
  pool.on('connect', (client: PoolClient) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query(...args: unknown[]) {
        const sql = textOf(args[0]);
        if (sql !== undefined) listener(sql);
        for (const { config, scope } of behindOf(valuesOf(args))) inScope(scope, () => listener(config.text));
        return query(...args);
      },
    });
  });
}

function textOf(first: unknown): string | undefined {
  if (typeof first === 'string') return first;
  const { text, cursor } = (first ?? {}) as { text?: unknown; cursor?: { text?: unknown } };
  const found = text ?? cursor?.text;
  return typeof found === 'string' ? found : undefined;
}
