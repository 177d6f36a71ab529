import { inflateRawSync } from 'node:zlib';
import { SignedXml } from 'xml-crypto';

/** The facts of an answer; everything has a good value by default. */
export interface SamlFacts {
  acsUrl: string;
  audience: string;
  requestId: string;
  issuer: string;
  email: string;
  recipient?: string;
  /** Of the Response; null leaves it out. */
  inResponseTo?: string | null;
  /** Of the subject's confirmation; null leaves it out. */
  confirms?: string | null;
  notOnOrAfter?: Date;
  notBefore?: Date;
  issuedAt?: Date;
  /** XML in place of the audience restriction. */
  restriction?: string;
  method?: string;
  nameIdFormat?: string;
  nameId?: string;
  attributes?: Record<string, string[]>;
}

export interface Signer {
  key: string;
  certificate: string;
}

const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const minutes = (count: number) => new Date(Date.now() + count * 60_000);

/** An assertion, not yet signed. */
export function assertionOf(facts: SamlFacts, id = '_assertion'): string {
  const { issuedAt = new Date(), notOnOrAfter = minutes(5), notBefore = minutes(-1), confirms = facts.requestId } = facts;
  const names = Object.entries(facts.attributes ?? {});
  const attribute = ([name, values]: [string, string[]]) =>
    `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`;
  return (
    `<saml:Assertion xmlns:saml="${ASSERTION}" ID="${id}" Version="2.0" IssueInstant="${issuedAt.toISOString()}">` +
    `<saml:Issuer>${facts.issuer}</saml:Issuer>` +
    `<saml:Subject><saml:NameID Format="${facts.nameIdFormat ?? 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'}">${facts.nameId ?? facts.email}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="${facts.method ?? 'urn:oasis:names:tc:SAML:2.0:cm:bearer'}">` +
    `<saml:SubjectConfirmationData${confirms === null ? '' : ` InResponseTo="${confirms}"`} Recipient="${facts.recipient ?? facts.acsUrl}" NotOnOrAfter="${notOnOrAfter.toISOString()}"/>` +
    `</saml:SubjectConfirmation></saml:Subject>` +
    `<saml:Conditions NotBefore="${notBefore.toISOString()}" NotOnOrAfter="${notOnOrAfter.toISOString()}">` +
    `${facts.restriction ?? `<saml:AudienceRestriction><saml:Audience>${facts.audience}</saml:Audience></saml:AudienceRestriction>`}</saml:Conditions>` +
    `<saml:AuthnStatement AuthnInstant="${issuedAt.toISOString()}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
    `${names.length > 0 ? `<saml:AttributeStatement>${names.map(attribute).join('')}</saml:AttributeStatement>` : ''}</saml:Assertion>`
  );
}

/** A Response around assertions. */
export function responseOf(facts: SamlFacts, inside: string): string {
  const { inResponseTo = facts.requestId } = facts;
  return (
    `<samlp:Response xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ID="_response" Version="2.0" IssueInstant="${new Date().toISOString()}"` +
    ` Destination="${facts.acsUrl}"${inResponseTo === null ? '' : ` InResponseTo="${inResponseTo}"`}>` +
    `<saml:Issuer>${facts.issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>` +
    `${inside}</samlp:Response>`
  );
}

const SHA256 = { signature: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', digest: 'http://www.w3.org/2001/04/xmlenc#sha256' };
export const SHA1 = { signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1', digest: 'http://www.w3.org/2000/09/xmldsig#sha1' };

/** Signs the element with this ID, enveloped, as providers do. */
export function sign(xml: string, id: string, { key }: Signer, algorithms = SHA256): string {
  const signed = new SignedXml({
    privateKey: key,
    signatureAlgorithm: algorithms.signature,
    canonicalizationAlgorithm: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  });
  signed.addReference({
    xpath: `//*[@ID='${id}']`,
    digestAlgorithm: algorithms.digest,
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', 'http://www.w3.org/2001/10/xml-exc-c14n#'],
  });
  signed.computeSignature(xml, { location: { reference: `//*[@ID='${id}']/*[local-name()='Issuer']`, action: 'after' } });
  return signed.getSignedXml();
}

/** Returns the request of a redirect to the provider. */
export function readRequest(url: string): { id: string; relayState: string; xml: string } {
  const { searchParams } = new URL(url);
  const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  return { xml, id: /\bID="([^"]+)"/.exec(xml)?.[1] ?? '', relayState: searchParams.get('RelayState') ?? '' };
}
