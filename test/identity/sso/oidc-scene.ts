import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { Browser, outcomeOf } from './browser.ts';
import { connectTo, type OpenIdProvider, startOpenIdProvider } from './openid-provider.ts';

interface Connected {
  id: string;
  start_url: string;
  redirect_uri: string;
  domains: string[];
}

/** A product with an OpenID provider; each test has its own company that is connected to it. */
export class OidcScene {
  app!: TestApp;
  provider!: OpenIdProvider;
  tenant!: Tenant;
  connection!: Connected;
  /** Of the company's addresses: it leads to the connection. */
  domain!: string;
  #made = 0;

  /** Adds the provider to a company, for a domain that no other test has. */
  connect(of = this.tenant, more: object = {}): Promise<Connected> {
    return connectTo(this.provider, of, `oidc${++this.#made}.example`, more);
  }

  /** Goes on with a connection; its provider knows Ada. */
  use(connection: Connected): void {
    this.connection = connection;
    this.domain = connection.domains[0]!;
    this.provider.someone = { email: `ada@${this.domain}`, email_verified: true };
  }

  /** Ada, or somebody else of the company. */
  person(fields: object = {}): ReturnType<Tenant['person']> {
    return this.tenant.person({ email: `ada@${this.domain}`, roles: ['dispatcher'], ...fields });
  }

  /** Whether an address is the console's, where a sign-in ends. */
  readonly isPage = (url: string): boolean => url.startsWith(`${this.app.url}/console`);

  /** Signs in completely. @returns what the page receives */
  async signIn(): Promise<Record<string, string>> {
    return outcomeOf((await new Browser().go(this.connection.start_url, this.isPage)).next);
  }

  async open(): Promise<void> {
    this.provider = await startOpenIdProvider();
    this.app = await startTestApp();
    this.app.configure({ ssoPrivateHosts: true });
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.provider.close();
  }

  async begin(): Promise<void> {
    this.tenant = await makeTenant(this.app);
    this.provider.tamper = undefined;
    this.use(await this.connect());
  }
}

/** Opens a scene for the tests of a file. */
export function oidcScene(): OidcScene {
  const scene = new OidcScene();
  beforeAll(() => scene.open());
  afterAll(() => scene.close());
  beforeEach(() => scene.begin());
  return scene;
}
