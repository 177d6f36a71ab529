import { Readable } from 'node:stream';
import { Company } from '../../directory/companies/company.entity.ts';
import { recognise } from '../../files/file-content.ts';
import { allow, companyOf, find } from '../../platform/authz/authorization.ts';
import { emitEvent, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { dropReceived, type Received, receive } from '../../platform/storage/incoming.ts';
import { fileStorage, storageIsAway } from '../../platform/storage/storage.ts';

/** Bytes of a logo. */
export const LOGO_LIMIT = 2 * 1024 * 1024;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** @throws Missing, Denied: asked before a byte is read, and by the command again */
export function mayChangeLogo(ctx: Context, companyId: string): string {
  const id = companyOf(ctx, companyId);
  allow(ctx, 'edit_company');
  return id;
}

/**
 * Sets a company's logo, or removes it with null. The type of the image is decided by its content, not by its name. The bytes are stored
 * before the row names them; those of the former logo are swept.
 * @throws Missing, Denied, Invalid for what is no JPEG, PNG, WebP or GIF, Unavailable when the storage is away
 */
export async function setCompanyLogo(ctx: Context, companyId: string, image: Received | null): Promise<Company> {
  try {
    const id = mayChangeLogo(ctx, companyId);
    const logoKey = image && newId();
    const logoType = image && (await typeOf(image));
    if (image && logoKey && logoType)
      await fileStorage.of(ctx.em).keep(logoKey, image.path, { size: image.size, mimeType: logoType }).catch(storageIsAway);
    return await transact(ctx, async (tx) => {
      const company = await find(tx, Company, id, { lock: true });
      allow(tx, 'edit_company');
      Object.assign(company, { logoKey, logoType });
      emitEvent(tx, 'company.updated', company);
      return company;
    });
  } finally {
    if (image) await dropReceived(image.path);
  }
}

/** The image in a JSON body or an argument: base64, also as a data URL. @throws Invalid */
export async function imageOf({ em }: Context, text: string): Promise<Received> {
  const encoded = text.replace(/^data:[\w/+.-]*;base64,/, '').replace(/\s/g, '');
  if (encoded.length > (LOGO_LIMIT * 4) / 3 + 4) throw wrong('file_too_large', { limit: LOGO_LIMIT / 1024 / 1024 });
  if (encoded === '') throw wrong('file_empty');
  if (!BASE64.test(encoded)) throw wrong('not_base64');
  return receive(em, Readable.from([Buffer.from(encoded, 'base64')]));
}

async function typeOf(image: Received): Promise<string> {
  if (image.size === 0) throw wrong('file_empty');
  if (image.size > LOGO_LIMIT) throw wrong('file_too_large', { limit: LOGO_LIMIT / 1024 / 1024 });
  const found = await recognise(image.path, image.size);
  if (found === 'file_damaged') throw wrong('file_damaged');
  if (typeof found === 'string' || !found.mimeType.startsWith('image/')) throw wrong('no_image');
  return found.mimeType;
}

export const wrong = (key: string, params?: Record<string, string | number>): Invalid =>
  new Invalid([{ model: 'Company', field: 'logo', key, params }]);
