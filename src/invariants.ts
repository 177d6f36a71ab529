import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { readConfig } from './app/config.ts';
import { requireEmbedded } from './app/doctor/embedded-address.ts';
import { reasonOf } from './app/doctor/finding.ts';
import { registerRooms } from './app/rooms.ts';
import { connectToPrimary } from './platform/database/connection/hosts.ts';
import { boundTables, checkInvariants, describeChecked, seeOneMoment } from './reporting/invariants/check-invariants.ts';

/**
 * Says of each invariant of the books whether it holds, and which records break it. `npm run invariants`, or `node dist/src/invariants.js` in
 * the image, with DATABASE_OWNER_URL or DATABASE_URL: a login that sees the rows of all companies, such as the owner of the tables; of several servers the
 * primary is asked. Without either it is the embedded one. The exit code is 1 if one is broken, and 2 if that cannot be said: the login sees too little, or
 * there is no database.
 */
registerRooms();
const url = addressOf();
const name = process.env.DATABASE_OWNER_URL ? 'DATABASE_OWNER_URL' : process.env.DATABASE_URL ? 'DATABASE_URL' : 'HAULGATE_DATA';
const clients = await Promise.all([connectToPrimary(url), connectToPrimary(url)]).catch((error: unknown) => {
  process.stderr.write(`No server of ${name} can be asked: ${reasonOf(error)}.\n`);
  process.exit(2);
});
const [first, second] = clients.map((client) => async (sql: string) => (await client.query<object>(sql)).rows);
try {
  const bound = await boundTables(first!);
  if (bound.length > 0) {
    process.stderr.write(
      `This login sees only some rows of ${bound.join(', ')}: row-level security binds it, and nothing could be found in the others. Set DATABASE_OWNER_URL to the owner of the tables.\n`,
    );
    process.exitCode = 2;
  } else {
    await seeOneMoment([first!, second!]);
    const checked = await checkInvariants(first!, second!);
    process.stdout.write(describeChecked(checked));
    process.exitCode = checked.some(({ count }) => count > 0) ? 1 : 0;
  }
} catch (error) {
  process.stderr.write(`The books could not be checked: ${reasonOf(error)}.${whatToDo(error)}\n`);
  process.exitCode = 2;
} finally {
  for (const client of clients) await client.end();
}

/** The database to ask. A mistake in the options, or that there is none, is said, and ends the program. */
function addressOf(): string {
  try {
    parseArgs({ options: {} });
    // An empty value counts as not set: files of compose have them.
    return process.env.DATABASE_OWNER_URL || process.env.DATABASE_URL || requireEmbedded(readConfig(process.env).HAULGATE_DATA);
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`);
    process.exit(2);
  }
}

/** A sentence for what PostgreSQL says of a database that is not as this version has it. */
function whatToDo(error: unknown): string {
  const { code } = error as { code?: string };
  // A table or column that is not there, and one that the login may not read.
  if (code === '42P01' || code === '42703')
    return ' Its tables are not those of this version: npm run doctor says which migrations it has.';
  return code === '42501' ? ' Set DATABASE_OWNER_URL to the owner of the tables.' : '';
}
