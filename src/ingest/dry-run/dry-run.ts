import { FlushMode } from '@mikro-orm/postgresql';
import { geocodeAll, geocoder } from '../../directory/contacts/geocoded-addresses.ts';
import { unseenSides } from '../../identity/access/money.ts';
import { allow, companyOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { Invalid } from '../../platform/errors.ts';
import { isObject } from '../../platform/json/objects.ts';
import { lackingOf } from '../apply/create-permissions.ts';
import { limitsOf, unseenBy } from '../apply/visible-to-sender.ts';
import type { ClaimedRecord, Importer } from '../importer.ts';
import { type AdmitOptions, mayEdit, PERMISSION } from '../ledger/admit.ts';
import { rollback } from '../ledger/effect.ts';
import { describeRefusals, type Row, refuseUnstorable, toRows } from '../ledger/rows.ts';
import { DRY_SECONDS, DryBounds, inPlaceOf, OutOfTime } from './dry-bounds.ts';
import type { Preview } from './dry-preview.ts';
import { Trial } from './dry-trial.ts';
import { maskPreview } from './hide-money.ts';

/**
 * Reports what `admit` and the worker would do, and stores nothing. The same importer runs in a transaction that is always rolled back,
 * with the ledger's rules for repeated and superseded payloads. Payloads that wait in the ledger are ignored. It delays no import: as soon
 * as somebody waits for its locks, it is rolled back and begins again.
 * @throws as `admit`; TooMany if the caller's company has another one running, or if it had to yield to imports all the time; Invalid if it
 * takes longer than 20 seconds
 */
export async function dryRun(
  ctx: Context,
  importer: Importer,
  elements: unknown[],
  { companyId, unreadable, noted: before, strict }: Pick<AdmitOptions, 'companyId' | 'unreadable' | 'noted' | 'strict'> = {},
): Promise<Preview[]> {
  const viewer = allow(ctx, PERMISSION[importer.kind]);
  const company = companyOf(ctx, companyId);
  const rows = toRows(importer, elements, unreadable);
  const noted = new Map(rows.map(({ index, replaced }) => [index, [...(before?.get(index) ?? []), ...(replaced ? [replaced] : [])]]));
  await describeRefusals(ctx, company, rows);
  refuseUnstorable([JSON.stringify(rows)], importer.kind, elements);
  const by = {
    ...viewer,
    requestId: ctx.requestId,
    mayEdit: mayEdit(viewer, importer.kind),
    limits: limitsOf(viewer),
    unseen: unseenBy(unseenSides(viewer)),
    lacking: lackingOf(viewer),
    strict: strict === true,
  };
  const attempt = async (bounds: DryBounds): Promise<Preview[]> => {
    const em = ctx.em.fork({ clear: true, flushMode: FlushMode.COMMIT });
    try {
      await em.begin();
      const records = new Map(rows.map((row) => [row, { ...recordOf(row, company, importer, by), noted: noted?.get(row.index) }]));
      return await new Trial(em, importer, company, bounds, (error) => ctx.report?.(error)).run(records, viewer.companyId, noted);
    } finally {
      await rollback(em);
    }
  };
  try {
    const previews = await inPlaceOf(ctx.em, viewer.companyId, async () => {
      const finder = geocoder.of(ctx.em);
      if (importer.addresses && finder)
        await geocodeAll(
          finder,
          await poolOf(ctx.em),
          elements.filter(isObject).flatMap((element) => importer.addresses!(element)),
          // A provider that fails shows as the warning that the real run would have.
          () => undefined,
        );
      const bounds = new DryBounds();
      return bounds.through(() => attempt(bounds));
    });
    return previews.map((preview) => maskPreview(viewer, preview));
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    const params = { seconds: DRY_SECONDS };
    throw new Invalid([{ model: 'ImportedRecord', field: `${importer.kind}s`, key: 'import_dry_run_too_large', params }]);
  }
}

function recordOf(
  row: Row,
  companyId: string,
  importer: Importer,
  by: ClaimedRecord['createdBy'] & Pick<ClaimedRecord, 'requestId' | 'mayEdit' | 'limits' | 'unseen' | 'lacking' | 'strict'>,
): ClaimedRecord {
  return {
    id: row.id,
    companyId,
    kind: importer.kind,
    importedFor: row.imported_for ?? undefined,
    payload: row.payload as Record<string, unknown>,
    attempt: 1,
    createdBy: { type: by.type, id: by.id, name: by.name },
    requestId: by.requestId,
    mayEdit: by.mayEdit,
    limits: by.limits,
    unseen: by.unseen,
    lacking: by.lacking,
    strict: by.strict,
  };
}
