import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { RecordBase, Text, Uuid } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';

/** Where push messages for a person go: what a telephone's push service calls the app on it. */
@Entity({ tableName: 'device_token' })
// Somebody who knows a token may be able to send to it.
@Audited({ except: ['token', 'tokenHash'] })
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'A device to which push messages for a person are sent.' })
export class DeviceToken extends RecordBase {
  /** The person's. */
  @Uuid({ required: true, hidden: true }) companyId!: string;
  @Uuid({ required: true }) userId!: string;
  @Text({ required: true, description: "The push service's token for the app on this telephone." }) token!: string;
  /** SHA-256 of the token, which may be longer than an index takes. */
  @Text({ required: true, hidden: true }) tokenHash!: string;
  /** It ends with the session in which it was registered; null where the deployment's identity provider signs people in. */
  @Uuid({ hidden: true }) sessionId?: string | null;
}
