import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from '../platform/log.ts';
import { forgetArchived } from '../platform/read/past/archived.ts';
import { archiveSettings } from '../platform/storage/archive-settings.ts';
import { deletedArchives } from './archive-metrics.ts';
import type { ArchivedTable } from './archived-tables.ts';
import { dropFile } from './piece-file.ts';
import type { Piece, Pieces } from './pieces.ts';

interface Work {
  em: EntityManager;
  pieces: Pieces;
  log: Pick<Logger, 'info'>;
  report: (error: unknown) => void;
}

/**
 * Deletes files of a table whose time is over by the rule of their company, and notes it in its audit log. The file goes first: whoever dies in between
 * leaves a row, and the next round deletes what is left.
 * @param work `report` gets the error of a file that failed; the next round tries it again
 */
export async function endArchives(work: Work, spec: ArchivedTable): Promise<void> {
  const ends = spec.ends(archiveSettings.of(work.em));
  for (const piece of await work.pieces.ended(spec.table, ends)) {
    const mine = await work.pieces.takeEnded(piece, ends);
    if (!mine) continue;
    try {
      await deleteFile(work, mine);
    } catch (error) {
      await work.pieces.leave(mine);
      work.report(error);
    }
  }
}

async function deleteFile({ em, pieces, log }: Work, piece: Piece): Promise<void> {
  await dropFile(em, piece.key);
  await pieces.deleted(piece);
  deletedArchives.inc({ table: piece.table });
  forgetArchived(em);
  const { table, companyId, period, key, rows, sha256 } = piece;
  log.info({ table, companyId, period, key, rows, sha256 }, 'deleted an archive whose time is over');
}
