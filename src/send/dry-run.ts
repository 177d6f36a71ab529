import { type Client, refusalOf } from './client.ts';
import type { Fates, ReportedRecord } from './fates.ts';
import type { Options } from './options.ts';
import { bodyOf, parcels, type Unsent } from './parcels.ts';
import type { Source } from './source.ts';

interface Preview {
  index: number;
  imported_for: string | null;
  state: string;
  last_error: string | null;
  warnings: ReportedRecord['warnings'];
  result_id: string | null;
}

/**
 * Asks, request by request, what would happen to the elements. Nothing is stored, so a request does not see what those before it would have
 * created.
 */
export async function dryRun(
  source: Source,
  client: Client,
  { batch, strict }: Pick<Options, 'batch' | 'strict'>,
  onDone: (n: number) => void,
): Promise<{ unsent: Unsent[]; fates: Fates }> {
  const unsent: Unsent[] = [];
  const fates: Fates = { states: new Map(), reported: [], waiting: 0 };
  for await (const parcel of parcels(source, batch, unsent, onDone)) {
    const path = `/ingest/${source.kind}?dry_run=true${strict ? '&strict=true' : ''}`;
    const answer = await client.call({ method: 'POST', path, body: bodyOf(source, parcel) });
    if (answer.status === 200) {
      for (const { index, imported_for: key, state, last_error: lastError, warnings, result_id: id } of (
        answer.body as { data: { records: Preview[] } }
      ).data.records) {
        fates.states.set(state, (fates.states.get(state) ?? 0) + 1);
        fates.reported.push({ place: parcel.places[index] ?? '', key, id: id ?? '', state, lastError, warnings });
      }
    } else {
      const why = `refused: the request answered ${refusalOf(answer, source.kind)}`;
      unsent.push(...parcel.places.map((place) => ({ place, why })));
    }
    onDone(parcel.places.length);
  }
  fates.reported = fates.reported.filter(
    ({ state, lastError, warnings }) => warnings.length > 0 || (state !== 'processed' && lastError !== 'duplicate'),
  );
  return { unsent, fates };
}
