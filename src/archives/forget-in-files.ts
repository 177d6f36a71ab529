import type { EntityManager } from '@mikro-orm/postgresql';
import { fileStorage } from '../platform/storage/storage.ts';
import { dropFile, type Lines, linesOf, readManifest, verifyFile, writeLines, writeManifest } from './piece-file.ts';
import { LeaseLost, type Piece, type Pieces, type WithForgotten } from './pieces.ts';

/** Lines of one look at their hashes. */
const PAGE = 2_000;
const HASHES = 'select hashtextextended(l.line, 0)::text as hash from unnest($1::text[]) with ordinality l (line, n) order by l.n';

/**
 * Writes files anew that have positions of people whom the office has had forgotten since, without these, and removes the former ones.
 * @param report gets the error of a file that failed: the others are written all the same, and the next round tries it again
 */
export async function forgetInFiles(em: EntityManager, pieces: Pieces, report: (error: unknown) => void): Promise<void> {
  for (const piece of await pieces.withForgotten()) {
    const mine = await pieces.rewrite(piece);
    if (!mine) continue;
    try {
      await ofMine(em, mine, () => rewriteFile(em, pieces, piece, mine));
    } catch (error) {
      await pieces.leave(mine);
      report(error);
    }
  }
}

async function rewriteFile(em: EntityManager, pieces: Pieces, piece: WithForgotten, mine: Piece): Promise<void> {
  const renew = pieces.renewal(mine);
  await verifyFile(fileStorage.of(em), piece, renew);
  const { columns } = await readManifest(fileStorage.of(em), piece.key);
  const written = await writeLines(em, mine.key, withoutForgotten(em, pieces, piece, renew));
  await writeManifest(em, mine, written, columns);
  await verifyFile(fileStorage.of(em), { ...mine, ...written }, renew);
  await pieces.rewritten(mine, written);
  await dropStale(em, pieces, { ...mine, staleKey: piece.key });
}

async function* withoutForgotten(
  em: EntityManager,
  pieces: Pieces,
  { key, forgotten }: WithForgotten,
  progress: () => Promise<void>,
): Lines {
  const until = new Map(forgotten.flatMap(({ ids, before }) => ids.map((id) => [id, Date.parse(before)] as const)));
  for await (const page of linesOf(fileStorage.of(em), key, PAGE)) {
    const lines = page.filter((line) => {
      const { user_id, occurred_at } = JSON.parse(line) as { user_id: string | null; occurred_at: string };
      return !(user_id && Date.parse(occurred_at) < (until.get(user_id) ?? Number.NEGATIVE_INFINITY));
    });
    const hashes = await pieces.ask<{ hash: string }>(HASHES, [lines]);
    await progress();
    yield lines.map((line, at) => ({ line, hash: hashes[at]!.hash }));
  }
}

/**
 * Removes what is left next to files of which somebody began to write another one: a process that died in the middle, or could not read them.
 * @param report gets the error of a file that failed
 */
export async function dropAllStale(em: EntityManager, pieces: Pieces, report: (error: unknown) => void): Promise<void> {
  for (const piece of await pieces.stale())
    try {
      await dropStale(em, pieces, piece);
    } catch (error) {
      report(error);
    }
}

/** Removes the other file of a piece. */
export async function dropStale(em: EntityManager, pieces: Pieces, { id, staleKey }: Pick<Piece, 'id' | 'staleKey'>): Promise<void> {
  if (!staleKey) return;
  await dropFile(em, staleKey);
  await pieces.clean(id, staleKey);
}

/**
 * Brings a file. A process that was silent for so long that another one has its piece removes what it brings after all: no row names it.
 * @throws what `write` throws
 */
export async function ofMine<T>(em: EntityManager, { key }: Piece, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof LeaseLost) await dropFile(em, key);
    throw error;
  }
}

/**
 * Removes files once more of which a process was cut off that may bring them late, for as long as it may.
 * @param report gets the error of a file that failed
 */
export async function dropStrays(em: EntityManager, pieces: Pieces, report: (error: unknown) => void): Promise<void> {
  for (const { key } of await pieces.strays())
    try {
      await dropFile(em, key);
      await pieces.forgetStray(key);
    } catch (error) {
      report(error);
    }
}
