import { nameIfRepeated, statementName } from '../named-statements.ts';
import type { Sent } from './together.ts';

const NOT_WRITTEN = 'not written';

/** A write that has to write something, as one that fails in PostgreSQL if it does not: what follows in its message is not done then, nor committed. */
export function orFails(sent: Sent): Sent {
  const { config, expected } = sent;
  if (!expected?.otherwise) return sent;
  const number = expected.result.rowCount ?? 0;
  const text = `with written as (${config.text} returning 1)
    select case when count(*) = ${number} then ${number} else concat('${NOT_WRITTEN} ', count(*))::int end from written`;
  nameIfRepeated(text);
  return { ...sent, config: { ...config, text, name: statementName(text) }, expected: { ...expected, result: ONE_ROW } };
}

const ONE_ROW = { command: 'SELECT', rowCount: 1, rows: [] };

/**
 * Whether PostgreSQL refused a write because of that. Its message names what cannot be read as a number, in the quotation marks of the server's
 * language (`lc_messages`).
 */
export const isNotWritten = (error: Error): boolean =>
  (error as { code?: string }).code === '22P02' && error.message.includes(`${NOT_WRITTEN} `);
