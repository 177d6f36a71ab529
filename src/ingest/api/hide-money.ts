import { maskMoney, seesMoney } from '../../identity/access/money.ts';
import type { Viewer } from '../../platform/context.ts';
import type { Preview } from '../dry-run/dry-preview.ts';
import type { Warning } from '../importer.ts';

/** Warnings without the money the viewer may not see, which stands under their pointer or in what was given there. */
export function maskWarnings<W extends Warning>(viewer: Viewer, warnings: readonly W[]): W[] {
  return warnings.map((warning) => {
    const hidden = warning.pointer.split('/').some((key) => !seesMoney(viewer, key));
    return hidden
      ? { ...warning, given: null, used: null }
      : { ...warning, given: maskMoney(viewer, warning.given), used: maskMoney(viewer, warning.used) };
  });
}

/** A dry run tells what records have now: not the rates of orders to who may only send some. */
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
