import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { type GraphQLOutputType, getNamedType, getNullableType, isEnumType, isListType } from 'graphql';
import { schemaOfRooms } from '../../../src/app/serve.ts';
import { compileDocuments } from '../../../src/platform/http/rest/compile.ts';
import { type Column, columnsOf } from '../../../src/platform/http/rest/exports/columns.ts';
import { EXPORT_TYPES, formatOf } from '../../../src/platform/http/rest/exports/formats.ts';

/** Records of an export. */
const RECORDS = 10_000;

/**
 * For how long writing the widest list of REST holds the event loop of a process, without a database: 10,000 records with a value in each column, in each form.
 * What waits longest is what a request meanwhile waits for; on a busy machine it has the time in which others had the core, too.
 */
export async function measureTurns(say: (line: string) => void): Promise<void> {
  const schema = schemaOfRooms();
  const lists = compileDocuments(schema, 'schema/rest', true).filter(
    ({ method, reply, paged }) => method === 'GET' && reply === 'DATA' && paged,
  );
  const widths = lists.map((operation) => ({ operation, columns: columnsOf(schema, operation) }));
  const { operation, columns } = widths.reduce((widest, one) => (one.columns.length > widest.columns.length ? one : widest));
  say(`${operation.name} has ${columns.length} columns`);
  const all = Array.from({ length: 500 }, (_, row) => ({ record: recordOf(columns, row) }));
  for (const type of EXPORT_TYPES) {
    // The first file is what the code is compiled for.
    for (const isFirst of [true, false]) {
      const format = formatOf(type, operation, {}, schema, undefined);
      const delay = monitorEventLoopDelay({ resolution: 1 });
      const used = process.cpuUsage();
      const began = performance.now();
      let bytes = format.head(false).length;
      delay.enable();
      const lines = all.slice(0, format.chunk);
      for (let written = 0; written < RECORDS; written += lines.length) {
        bytes += (await format.lines(lines)).length;
        await turn();
      }
      bytes += (await format.end()).length;
      await turn();
      delay.disable();
      if (isFirst) continue;
      const { user, system } = process.cpuUsage(used);
      const ms = (nanoseconds: number) => `${(nanoseconds / 1e6).toFixed(0)} ms`;
      say(
        `${type}: the event loop waits ${ms(delay.max)} at most, ${ms(delay.percentile(99))} (p99), ${ms(delay.percentile(50))} (p50); ${(performance.now() - began).toFixed(0)} ms in all, ${((user + system) / 1e3).toFixed(0)} ms of processor time, ${(bytes / 1e6).toFixed(1)} MB`,
      );
    }
  }
}

/** A record as GraphQL answers it, with a value in each column. */
function recordOf(columns: readonly Column[], row: number): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const { path, type } of columns) {
    let at = record;
    for (const key of path.slice(0, -1)) {
      at[key] ??= {};
      at = at[key] as Record<string, unknown>;
    }
    at[path.at(-1)!] = filledOf(type, row);
  }
  return record;
}

function filledOf(type: GraphQLOutputType | undefined, row: number): unknown {
  if (!type || isListType(getNullableType(type))) return [{ name: `Gate ${row % 9}` }];
  const named = getNamedType(type);
  if (isEnumType(named)) return named.getValues()[row % named.getValues().length]!.name;
  const values: Record<string, unknown> = {
    ...{ Boolean: row % 2 === 0, Int: row, Float: row / 7, WholeNumber: String(row), Decimal: `${row}.25` },
    ...{ DateTime: new Date(Date.UTC(2026, 10, 1, 0, row)).toISOString(), Date: `2026-11-${String(1 + (row % 30)).padStart(2, '0')}` },
    ...{ ID: `0192c3a4-7b5e-7c1d-8f00-${String(row).padStart(12, '0')}`, String: `North quarry ${row % 40}` },
  };
  return values[named.name] ?? { name: `Gate ${row % 9}` };
}
