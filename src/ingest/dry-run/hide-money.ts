import { maskMoney, seesMoney } from '../../identity/access/money.ts';
import type { Viewer } from '../../platform/context.ts';
import type { Warning } from '../importer.ts';
import type { Preview } from './dry-preview.ts';

/** Returns warnings without the money that the viewer may not see: the pointer names a money field, or the sent value contains one. */
export function maskWarnings<W extends Warning>(viewer: Viewer, warnings: readonly W[]): W[] {
  return warnings.map((warning) => {
    const hidden = warning.pointer.split('/').some((key) => !seesMoney(viewer, key));
    return hidden
      ? { ...warning, given: null, used: null }
      : { ...warning, given: maskMoney(viewer, warning.given), used: maskMoney(viewer, warning.used) };
  });
}

/**
 * Returns the preview of a dry run without the rates that the viewer may not see. A dry run shows the present values of records, and some
 * senders may send orders but not see their rates.
 */
export function maskPreview(viewer: Viewer, preview: Preview): Preview {
  return {
    ...preview,
    warnings: maskWarnings(viewer, preview.warnings),
    changes: preview.changes.map((change) => ({
      ...change,
      fields: change.fields.map((one) => (seesMoney(viewer, one.field, change.model) ? one : { ...one, before: null, after: null })),
    })),
  };
}
