import { Entity } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { signedUrlOf } from '../../files/file-url.ts';
import { Audited } from '../../platform/commands/audit.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Choice, Coordinate, RecordBase, stringEnum, Text, Uuid, Whole } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';

export const SignatureType = stringEnum('SignatureType', ['DriverSignature', 'DropoffSignature']);
export type SignatureType = keyof typeof SignatureType;
export const SignableType = stringEnum('SignableType', ['DriverDay', 'Job', 'Load']);
export type SignableType = keyof typeof SignableType;

/** Where the image of a signature is served, in OpenAPI spelling. */
export const SIGNATURE_PATH = '/v1/signatures/{id}/image';

/**
 * The signature of the driver on a job, a load or a day, or of the person who took the material. One of each kind; signing again replaces
 * it.
 */
@Entity()
@Audited({ except: ['imageSize'] })
@Tenant()
@ObjectType({ simpleResolvers: true })
export class Signature extends RecordBase {
  @Uuid({ required: true, hidden: true }) companyId!: string;
  @Choice(() => SignatureType, { required: true }) type!: SignatureType;
  @Choice(() => SignableType, { required: true }) signableType!: SignableType;
  @Uuid({ required: true }) signableId!: string;
  /** The job, or the load's; null for days. */
  @Uuid({ hidden: true }) jobId?: string | null;
  @Uuid({ hidden: true }) driverDayId?: string | null;
  @Coordinate() lat?: Decimal | null;
  @Coordinate() lon?: Decimal | null;
  /** The person who took the material; null for drivers. */
  @Text() name?: string | null;
  @Text() phone?: string | null;
  /** Key of the bytes. */
  @Uuid({ required: true, hidden: true }) imageId!: string;
  @Text({ required: true }) imageMimeType!: string;
  @Text({ required: true }) imageName!: string;
  @Whole({ required: true, hidden: true }) imageSize!: number;
  @Text({ required: true, hidden: true }) signedByType!: string;
  @Uuid({ required: true, hidden: true }) signedById!: string;
  @Text({ required: true, hidden: true }) signedByName!: string;

  @Field(() => String)
  @Computed({
    columns: ['id', 'companyId', 'imageId'],
    compute: ({ id, companyId, imageId: key }, application) => signedUrlOf(application, SIGNATURE_PATH, { id, companyId, key }),
  })
  imageUrl!: string;
}
