import type { EntityManager } from '@mikro-orm/postgresql';
import { renderPreview } from '../../../files/previews/render-preview.ts';
import { perApplication } from '../../../platform/application.ts';
import { fileStorage } from '../../../platform/storage/storage.ts';
import type { SettlementDocument } from './settlement-document.ts';

/** Logos that are kept, of the companies that printed last. */
const KEPT = 50;
const logos = perApplication('logos on paper', () => new Map<string, Buffer | null>());

/**
 * The logo of a company as a JPEG, made in a bounded process as previews are; the key of a logo never gets another picture. Null if there is none,
 * or if it cannot be shown: a document without its logo is one all the same.
 */
export async function logoOf(
  em: EntityManager,
  { logo }: Pick<SettlementDocument, 'logo'>,
  report?: (error: unknown) => void,
): Promise<Buffer | null> {
  if (!logo) return null;
  const known = logos.of(em);
  const kept = known.get(logo.key);
  if (kept !== undefined) return kept;
  try {
    const jpeg = await renderPreview(await fileStorage.of(em).read(logo.key), logo.type);
    if (known.size >= KEPT) known.delete(known.keys().next().value!);
    known.set(logo.key, jpeg);
    return jpeg;
  } catch (error) {
    report?.(error);
    return null;
  }
}
