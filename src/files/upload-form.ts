import { viewerOf } from '../platform/authz/authorization.ts';
import type { Context } from '../platform/context.ts';
import { poolOf } from '../platform/database/sql.ts';
import { type ErrorItem, Invalid } from '../platform/errors.ts';
import type { TakeForm, TakenForm } from '../platform/http/rest/form.ts';
import { newId } from '../platform/ids.ts';
import { dropReceived, keepReceived } from '../platform/storage/incoming.ts';
import { fileStorage, storageIsAway } from '../platform/storage/storage.ts';
import { recognise } from './file-content.ts';
import { safeFileName } from './file-name.ts';
import { FILE_LIMIT, readForm, type UploadForm } from './read-form.ts';
import { signId } from './signed-ids.ts';

/** Milliseconds in which the operation that the form came with has to take its file. */
const LIFETIME = 300_000;

/**
 * Accepts a form with a file: in one request, what a direct upload does in two. The file is stored, announced and named by a signed id, so
 * that the operation has to know only uploads. Empty texts count as absent.
 * @throws Invalid with every problem of the form; as readForm
 */
export const takeForm: TakeForm = async (req, ctx, { upload, fields, required, model }) => {
  const form = await readForm(
    ctx,
    req,
    fields.filter((name) => name !== upload),
    { file: upload, model, limit: FILE_LIMIT, md5: true },
  );
  const items: ErrorItem[] = [...form.items];
  const wrong = (key: string) => items.push({ model, field: upload, key });
  const { file } = form;
  const texts = Object.fromEntries([...form.fields].filter(([, text]) => text !== ''));
  if (!file && !required && items.length === 0) return { value: texts, fingerprint: texts, settle: async () => undefined };
  if (!file && !items.some(({ field }) => field === upload)) wrong('required');
  if (file?.size === 0) wrong('file_empty');
  const type = file && file.size > 0 ? await recognise(file.path, file.size) : undefined;
  if (typeof type === 'string') wrong(type);
  if (items.length > 0 || !file || typeof type !== 'object') {
    if (file) await dropReceived(file.path);
    throw new Invalid(items);
  }
  const { signedId, settle } = await keep(ctx, file, type);
  return { value: { ...texts, [upload]: signedId }, fingerprint: { ...texts, [upload]: `${file.sha256} ${file.name}` }, settle };
};

async function keep(
  ctx: Context,
  file: NonNullable<UploadForm['file']>,
  type: { mimeType: string; extensions: readonly [string, ...string[]] },
): Promise<{ signedId: string } & Pick<TakenForm, 'settle'>> {
  const viewer = viewerOf(ctx);
  const [id, key] = [newId(), newId()];
  await keepReceived(ctx.em, key, file, type.mimeType).catch(storageIsAway);
  const pool = await poolOf(ctx.em);
  const expires = Date.now() + LIFETIME;
  await pool.query(
    `insert into direct_upload (id, company_id, filename, byte_size, checksum, content_type, created_by_type, created_by_id, expires_at, file_id, file_name, sha256)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      ...[id, viewer.companyId, file.name ?? '', file.size, file.md5, type.mimeType, viewer.type, viewer.id],
      ...[new Date(expires), key, safeFileName(file.name, type.extensions), file.sha256],
    ],
  );
  return {
    signedId: signId(ctx.em, 'attach', { id, companyId: viewer.companyId, expires }),
    async settle() {
      try {
        // Gone when it was taken.
        const { rows } = await pool.query('delete from direct_upload where id = $1 returning id', [id]);
        if (rows.length > 0) await fileStorage.of(ctx.em).remove(key);
      } catch (error) {
        // The answer is decided; the sweeper removes the file.
        ctx.report?.(error);
      }
    },
  };
}
