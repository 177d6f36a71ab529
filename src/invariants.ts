import 'reflect-metadata';
import pg from 'pg';
import { registerRooms } from './app/rooms.ts';
import { boundTables, checkInvariants, describeChecked, seeOneMoment } from './reporting/invariants/check-invariants.ts';

/**
 * Says of each invariant of the books whether it holds, and which records break it. `npm run invariants`, or `node dist/src/invariants.js` in
 * the image, with DATABASE_OWNER_URL or DATABASE_URL: a login that sees the rows of all companies, such as the owner of the tables. The exit code is
 * 1 if one is broken, and 2 if the login sees too little to say.
 */
registerRooms();
const url = process.env.DATABASE_OWNER_URL ?? process.env.DATABASE_URL;
if (!url) {
  process.stderr.write('Set DATABASE_URL to the database whose books are to be checked.\n');
  process.exit(2);
}
const clients = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })] as const;
const [first, second] = clients.map((client) => async (sql: string) => (await client.query<object>(sql)).rows);
try {
  for (const client of clients) await client.connect();
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
} finally {
  for (const client of clients) await client.end();
}
