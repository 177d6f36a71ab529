import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { Choice, Flag, Instant, One, RecordBase, stringEnum, Text, Texts } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { acsUrl, callbackUrl, metadataUrl, startUrl } from './addresses.ts';

export const SsoKind = stringEnum('SsoKind', ['oidc', 'saml']);
export type SsoKind = keyof typeof SsoKind;

/** The TXT record that shows whose a domain is. */
export const verificationOf = (token: string): string => `haulgate-verification=${token}`;
const ofOidc = (row: Record<string, unknown>) => row.kind === 'oidc';

/** An identity provider that a company's people sign in with, found by the domain of their e-mail address. */
@Entity({ tableName: 'sso_connection' })
@Tenant()
@Audited()
@ObjectType('SsoProvider', { simpleResolvers: true })
export class SsoConnection extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Choice(() => SsoKind, { required: true }) kind!: SsoKind;
  @Text({ required: true, description: 'The text of the button.' }) displayName!: string;
  @Text({ required: true, description: 'Kind of provider, such as `okta` or `generic`.' }) identityProvider: string = 'generic';
  /** Lower case, in ASCII. */
  @Texts({ description: 'E-mail domains whose people sign in here once the domains are proven.' }) domains: string[] = [];
  /** Rows of `sso_domain` follow them and keep each unique. */
  @Texts({ description: 'Those of the domains that were proven to be the company’s.' }) provenDomains: string[] = [];
  /** The same for all connections of a company. */
  @Text({ required: true, hidden: true }) verification!: string;
  @Flag({
    required: true,
    description:
      'False while the description of the provider is incomplete, and after a change until its domains are proven again; nobody is sent to it meanwhile.',
  })
  ready: boolean = false;
  @Text({ description: 'OpenID Connect: where the provider publishes its configuration.' }) issuer?: string | null;
  @Text() clientId?: string | null;
  /** The secret itself is in `sso_secret`. */
  @Instant({ description: 'Null without a secret.' }) clientSecretChangedAt?: Date | null;
  @Text({ description: 'SAML: where browsers are sent.' }) samlEntryPoint?: string | null;
  @Text({ description: "SAML: the provider's own entity id." }) samlEntityId?: string | null;
  @Texts({ description: 'SAML: certificates whose keys may sign, in PEM.' }) samlCertificates: string[] = [];

  @Field(() => String, { description: 'The TXT record that proves a domain; add it to each.' })
  @Computed({ columns: ['verification'], compute: (row) => verificationOf(String(row.verification)) })
  verificationRecord!: string;

  @Field(() => String, { description: 'Send browsers here to sign in.' })
  @Computed({ columns: ['id'], compute: (row, application) => startUrl(application, String(row.id)) })
  startUrl!: string;

  @Field(() => String, { nullable: true, description: 'OpenID Connect: register this as redirect URI.' })
  @Computed({ columns: ['id', 'kind'], compute: (row, application) => (ofOidc(row) ? callbackUrl(application, String(row.id)) : null) })
  redirectUri!: string | null;

  @Field(() => String, { nullable: true, description: 'SAML: our metadata, and our entity id.' })
  @Computed({ columns: ['id', 'kind'], compute: (row, application) => (ofOidc(row) ? null : metadataUrl(application, String(row.id))) })
  metadataUrl!: string | null;

  @Field(() => String, { nullable: true, description: 'SAML: where assertions are posted to.' })
  @Computed({ columns: ['id', 'kind'], compute: (row, application) => (ofOidc(row) ? null : acsUrl(application, String(row.id))) })
  acsUrl!: string | null;
}

export const ssoDomainPkey = defineUnique('sso_domain_pkey', { model: 'SsoConnection', field: 'domains' });
