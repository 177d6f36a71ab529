import pg, { type QueryResult } from 'pg';

/** Called with the outcome of a statement. */
export type Done = (error: Error | null, result?: QueryResult) => void;

/** A migration gave a table another column since `select t.*` was prepared: it must be prepared again. */
export const STALE_PLAN = '0A000';

/** Whether an error says that. Other features that PostgreSQL does not have give the same code. */
export const isStale = (error: Error): boolean => (error as { routine?: string }).routine === 'RevalidateCachedQuery';

/** The part of pg's protocol that is used here; pg's types omit it. */
export interface Wire {
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  parse(message: { name: string; text: string; types: number[] }): void;
  bind(message: { portal: string; statement: string; values: unknown[] }): void;
  execute(message: { portal: string; rows: number }): void;
  close(message: { type: 'S'; name: string }): void;
  sync(): void;
  stream: { readonly writable: boolean; write(part: Buffer): boolean };
}
export interface WireQuery {
  name?: string;
  text: string;
  _result: QueryResult & { _types: unknown };
  prepare(wire: Wire): void;
  handleRowDescription(message: unknown): void;
  handleReadyForQuery(wire: Wire): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
  handleDataRow(message: { fields: (string | null)[] }): void;
  handleError(error: Error, wire: Wire): void;
}
export const WireQuery = pg.Query as unknown as new (config: object, values: undefined, done: Done) => WireQuery;

/** Bytes of a message above which its parts are not copied into one. */
const LARGE = 65_536;

/** Sends what is written meanwhile at once. A statement is half a dozen small parts, each of which the socket would keep, and call back for, by itself. */
export function inOnePiece(wire: Wire, send: () => void): void {
  const { stream } = wire;
  const parts: Buffer[] = [];
  let bytes = 0;
  wire.stream = {
    writable: stream.writable,
    write(part) {
      bytes += part.length;
      parts.push(part);
      return true;
    },
  };
  try {
    send();
  } finally {
    wire.stream = stream;
    if (bytes > LARGE) for (const part of parts) stream.write(part);
    else if (bytes > 0) stream.write(Buffer.concat(parts, bytes));
  }
}

/** Returns whether a statement was prepared under a name, or is in the message that is being written. */
export const isKnown = ({ parsedStatements, submittedNamedStatements }: Wire, name: string): boolean =>
  parsedStatements[name] !== undefined || submittedNamedStatements[name] !== undefined;
