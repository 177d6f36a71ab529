import { viewerOf } from '../platform/authz/authorization.ts';
import type { TxContext } from '../platform/commands/transact.ts';
import { queryIn } from '../platform/database/sql.ts';
import { Invalid } from '../platform/errors.ts';
import { readSignedId } from './signed-ids.ts';

/** A file that has arrived, from here on its taker's: the bytes lie under `id`. */
export interface TakenFile {
  id: string;
  fileName: string;
  mimeType: string;
  byteSize: number;
  sha256: string;
}

/**
 * Takes an upload of the viewer's company, or of one below it, by its signed id; it is used up with the transaction. The caller names the
 * bytes in a row, so that no sweeper removes them.
 * @param at the error items' model and field
 * @param types content types that are accepted; all by default
 * @throws Invalid when there is no such upload, its bytes have not arrived, or they are of another type
 */
export async function takeUpload(
  tx: TxContext,
  signedId: string,
  at: { model: string; field: string },
  types?: readonly string[],
): Promise<TakenFile> {
  const viewer = viewerOf(tx);
  const named = readSignedId(tx.em, 'attach', signedId);
  if (!named || !viewer.companyIds.includes(named.companyId)) throw new Invalid([{ ...at, key: 'upload_unknown' }]);
  const [upload] = await queryIn<Row>(
    tx.em,
    `delete from direct_upload where id = $1 and company_id = $2 and expires_at > now()
     returning file_id, file_name, content_type, byte_size, sha256`,
    [named.id, named.companyId],
  );
  if (!upload) throw new Invalid([{ ...at, key: 'upload_unknown' }]);
  if (!upload.file_id) throw new Invalid([{ ...at, key: 'upload_missing' }]);
  if (types && !types.includes(upload.content_type))
    throw new Invalid([{ ...at, key: 'not_one_of', params: { values: types.join(', ') } }]);
  return {
    id: upload.file_id,
    fileName: upload.file_name,
    mimeType: upload.content_type,
    byteSize: upload.byte_size,
    sha256: upload.sha256,
  };
}

interface Row {
  file_id: string | null;
  file_name: string;
  content_type: string;
  byte_size: number;
  sha256: string;
}
