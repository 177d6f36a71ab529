import type { Importer, ImportKind } from './importer.ts';
import { orderImporter } from './orders/import-order.ts';
import { projectImporter } from './projects/import-project.ts';
import { ticketImporter } from './tickets/import-ticket.ts';

/** Every importer of the ledger. */
export const importers: readonly Importer[] = [orderImporter, projectImporter, ticketImporter];

/** Returns the importer of a kind. @throws Error for a kind that has none, which is a mistake in the code */
export function importerOf(kind: ImportKind): Importer {
  const found = importers.find((importer) => importer.kind === kind);
  if (!found) throw new Error(`no importer of ${kind}s`);
  return found;
}
