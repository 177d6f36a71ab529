import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import type { InApplication } from '../../platform/application.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { Instant, One, RecordBase, Text } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import type { Permission } from '../access/permissions.ts';
import { identitySettings } from '../settings.ts';

/** A program of an integrator. It acts with its own list of permissions, never with roles. */
@Entity({ tableName: 'machine_client' })
@Audited({ except: ['secretHash', 'previousSecretHash'] })
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'A program that signs in with a client id and a secret.' })
export class M2MClient extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  /** Made by us, never reused. */
  @Property({ type: 'text', unique: true })
  @Field(() => String, { description: "The client's id at the token endpoint." })
  clientId!: string;
  @Text({ description: "The client's id at the deployment's own identity provider; null if it has none." })
  externalClientId?: string | null;
  /** SHA-256 of the secret, hexadecimal: a random 256-bit secret needs no slow hash. */
  @Property({ type: 'text' }) secretHash!: string;
  @Property({ type: 'text[]', columnType: 'text[]', fieldName: 'permissions' })
  @Field(() => [String], { description: 'Permissions of the client by name; a token has all of them, or those that were requested.' })
  scopes: Permission[] = [];
  /** Empty: this API. */
  @Property({ type: 'text[]', columnType: 'text[]', fieldName: 'audiences', defaultRaw: `'{}'` })
  namedAudiences: string[] = [];
  /** Null: as long as the installation allows. */
  @Property({ type: 'integer', nullable: true, fieldName: 'token_seconds' }) ownTokenSeconds?: number | null;
  @Instant({ required: true, description: 'When the newest secret was created.' }) secretMadeAt: Date = new Date();
  @Property({ type: 'text', nullable: true }) previousSecretHash?: string | null;
  @Instant({ description: 'Until then the previous secret works, too; null if there is none.' })
  previousSecretExpiresAt?: Date | null;
  @Instant({ description: 'When the client last got a token.' }) lastUsedAt?: Date | null;
  @Instant({ description: 'When the client was revoked.' }) discardedAt?: Date | null;

  @Field(() => [String], { description: 'The audiences for which it may get tokens: by default the first.' })
  @Computed({
    columns: ['namedAudiences'],
    compute: (row, application) => audiencesOf(application, row as Pick<M2MClient, 'namedAudiences'>),
  })
  audiences!: string[];

  @Field(() => Int, { description: 'The lifetime of its tokens, in seconds.' })
  @Computed({
    columns: ['ownTokenSeconds'],
    compute: (row, application) => tokenSecondsOf(application, row as Pick<M2MClient, 'ownTokenSeconds'>),
  })
  tokenSeconds!: number;
}

/** The audiences for which the client's tokens may be made. */
export function audiencesOf(application: InApplication, { namedAudiences }: Pick<M2MClient, 'namedAudiences'>): string[] {
  return namedAudiences.length > 0 ? namedAudiences : [identitySettings.of(application).audience];
}

/** Seconds the client's tokens live: its own limit, never more than the installation's. */
export function tokenSecondsOf(application: InApplication, { ownTokenSeconds }: Pick<M2MClient, 'ownTokenSeconds'>): number {
  const most = identitySettings.of(application).machineSeconds;
  return Math.min(ownTokenSeconds ?? most, most);
}
