import { Field, InputType } from 'type-graphql';
import { mayDriveJob } from '../../dispatch/access/job.policy.ts';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { forgetBytes } from '../../files/forget-bytes.ts';
import { takeUpload } from '../../files/take-upload.ts';
import { denial, find, viewerOf } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Invalid, Missing } from '../../platform/errors.ts';
import { Length, Range } from '../../platform/graphql/rules.ts';
import { type PhoneRead, readPhone } from '../../platform/phone.ts';
import { type SignableType, Signature, type SignatureType } from './signature.entity.ts';

const optional = { nullable: true };

@InputType()
export class CreateDriverSignatureInput {
  @Field(() => String, { description: 'The signed id of a direct upload: a PNG or JPEG of at most 2 MB.' }) image!: string;
  @Field(() => DecimalScalar, optional) @Range(-90, 90) lat?: Decimal | null;
  @Field(() => DecimalScalar, optional) @Range(-180, 180) lon?: Decimal | null;
}

@InputType()
export class CreateDropoffSignatureInput extends CreateDriverSignatureInput {
  @Field(() => String, { description: 'Name of the person who received the material.' }) @Length(1, 200) name!: string;
  @Field(() => String, optional) phone?: string | null;
}

/** The record that is signed. */
export interface Signable {
  type: SignableType;
  id: string;
  companyId?: string;
}

const IMAGES = ['image/png', 'image/jpeg'];
/** Bytes of a signature. */
const IMAGE_LIMIT = 2 * 1024 * 1024;

/** Signs a job, a load or a driver's day, in place of an earlier signature of the kind. @throws Missing, Denied, Invalid */
export function sign(
  ctx: Context,
  of: Signable,
  type: SignatureType,
  input: CreateDriverSignatureInput & Partial<CreateDropoffSignatureInput>,
): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const { id, ...about } = await lockSignable(tx, of);
    const { number, wrong }: PhoneRead = input.phone ? readPhone(input.phone) : {};
    if (wrong) throw new Invalid([{ model: type, field: 'phone', key: wrong }]);
    const at = { model: type, field: 'image' };
    const upload = await takeUpload(tx, input.image, at, IMAGES);
    if (upload.byteSize > IMAGE_LIMIT) throw new Invalid([{ ...at, key: 'file_too_large', params: { limit: IMAGE_LIMIT / 1024 / 1024 } }]);
    const viewer = viewerOf(tx);
    const earlier = await tx.em.findOne(Signature, { signableId: id, signableType: of.type, type }, { filters: { tenant: false } });
    const signature = earlier ?? new Signature();
    if (earlier) forgetBytes(tx, earlier.imageId);
    Object.assign(signature, {
      ...{ ...about, type, signableType: of.type, signableId: id },
      ...{ lat: input.lat ?? null, lon: input.lon ?? null, name: input.name ?? null, phone: number ?? null },
      ...{ imageId: upload.id, imageMimeType: upload.mimeType, imageName: upload.fileName, imageSize: upload.byteSize },
      ...{ signedByType: viewer.type, signedById: viewer.id, signedByName: viewer.name },
    });
    tx.em.persist(signature);
    emitEvent(tx, 'signature.created', signature, { type, signable_type: of.type, signable_id: id });
    return { id: signature.id };
  });
}

/** Takes a signature away, with its image, and returns its id. @throws Missing, Denied */
export function removeSignature(ctx: Context, of: Signable, type: SignatureType): Promise<string> {
  return transact(ctx, async (tx) => {
    const { id } = await lockSignable(tx, of);
    const signature = await tx.em.findOne(Signature, { signableId: id, signableType: of.type, type }, { filters: { tenant: false } });
    if (!signature) throw new Missing();
    emitEvent(tx, 'signature.deleted', signature, { type, signable_type: of.type, signable_id: id });
    tx.em.remove(signature);
    forgetBytes(tx, signature.imageId);
    return signature.id;
  });
}

/** The company of a signature, and the job or the day with which it is read. */
type About = Pick<Signature, 'companyId' | 'jobId' | 'driverDayId'>;

/** The record if the viewer sees it, locked, for somebody who may sign it. @throws Missing, Denied */
async function lockSignable(ctx: TxContext, { type, id, companyId }: Signable): Promise<About & { id: string }> {
  const options = { companyId, lock: true };
  if (type === 'DriverDay') {
    const day = await find(ctx, DriverDay, id, options);
    maySignDay(ctx, day);
    return { id: day.id, companyId: day.company.id, driverDayId: day.id };
  }
  const load = type === 'Load' ? await find(ctx, Load, id, options) : undefined;
  const job = load ? await find(ctx, Job, load.job.id) : await find(ctx, Job, id, options);
  mayDriveJob(ctx, job);
  return { id: load?.id ?? job.id, companyId: job.company.id, jobId: job.id };
}

/** On a job: a caller who may edit jobs, or its driver. @throws Denied */
function maySignDay(ctx: TxContext, { driver }: DriverDay): void {
  const viewer = viewerOf(ctx);
  if (!viewer.can('edit_job') && driver.id !== viewer.id) throw denial(viewer, 'edit_job');
}
