import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEmail } from '../../test/helpers/emails.ts';
import { Browser, outcomeOf } from '../../test/identity/sso/browser.ts';
import { startOpenIdProvider } from '../../test/identity/sso/openid-provider.ts';
import { call, type Product } from '../real/product.ts';

const PASSWORD = 'limestone and rain';

/**
 * Bodies of operations before the sign-in: real people with their passwords, and the contents of mails, texts and a provider's answers.
 * Each is another person, so that no sign-in disturbs the next.
 */
export class Doors {
  readonly #product: Product;
  readonly #token: string;

  /** @param token of an administrator of the demo company */
  constructor(product: Product, token: string) {
    this.#product = product;
    this.#token = token;
  }

  /** Returns the body of an operation, such as `POST /v1/auth/login`; undefined for all others. */
  async bodyOf(name: string): Promise<object | undefined> {
    const { email, password } = this.#somebody('dispatcher');
    switch (name) {
      case 'POST /v1/auth/login':
        return { email, password };
      case 'POST /v1/auth/magic_link':
      case 'POST /v1/auth_methods':
      case 'POST /v1/sso_connections':
      case 'POST /v1/auth/forgot_password':
        return { email };
      case 'POST /v1/auth/magic_link/login':
        await this.#post('/v1/auth/magic_link', { email: this.#somebody('biller').email });
        return { magic_links_token: await this.#linkTo(this.#somebody('biller').email, 'magic_links_token') };
      case 'POST /v1/auth/otp_sms':
        return { phone: await this.#phoneOf('manager') };
      case 'POST /v1/auth/otp_sms/login':
        return this.#code(await this.#phoneOf('foreman'));
      case 'POST /v1/auth/reset_password':
        await this.#post('/v1/auth/forgot_password', { email: this.#somebody('manager').email });
        return { password: PASSWORD, password_reset_token: await this.#linkTo(this.#somebody('manager').email, 'password_reset_token') };
      case 'POST /v1/auth/signup':
        return { password: PASSWORD, magic_links_token: await this.#invited('signs-up@example.com') };
      case 'POST /v1/auth/sso/login':
        return { sso_token: await this.#throughProvider() };
      default:
        return undefined;
    }
  }

  #somebody(role: string): { email: string; password: string } {
    return this.#product.access.users.find((user) => user.role === role)!;
  }

  async #phoneOf(role: string): Promise<string> {
    const { email } = this.#somebody(role);
    const [user] = await this.#data<{ phone: string }[]>('GET', `/v1/users?search%5Bdatagrid%5D=${encodeURIComponent(email)}`);
    return user!.phone;
  }

  async #code(phone: string): Promise<object> {
    const { phone_id } = await this.#post<{ phone_id: string }>('/v1/auth/otp_sms', { phone });
    const text = await this.#arrived('sms', (one) => one.startsWith(`To: ${phone}`));
    return { phone_id, code: /\b\d{6}\b/.exec(text)![0] };
  }

  /** Signs a new driver up. @returns their token */
  async newDriver(): Promise<string> {
    const body = { password: PASSWORD, magic_links_token: await this.#invited('paid-by-the-day@example.com') };
    return (await this.#post<{ session_jwt: string }>('/v1/auth/signup', body)).session_jwt;
  }

  async #invited(email: string): Promise<string> {
    const roles = await this.#data<{ id: string; name: string }[]>('GET', '/v1/iam_roles');
    const iam_role_ids = [roles.find(({ name }) => name === 'Driver')!.id];
    const { company_id } = this.#product.access;
    await this.#data('POST', '/v1/users', {
      company_id,
      first_name: 'Una',
      last_name: 'New',
      email,
      iam_role_ids,
      send_invite: { email: true },
    });
    return this.#linkTo(email, 'magic_links_token');
  }

  async #throughProvider(): Promise<string> {
    const { email } = this.#somebody('it_admin');
    // Machine clients may not change identity providers.
    const { email: by, password } = this.#somebody('company_admin');
    const { session_jwt: admin } = await this.#post<{ session_jwt: string }>('/v1/auth/login', { email: by, password });
    const provider = await startOpenIdProvider();
    try {
      provider.someone = { email, email_verified: true };
      const asked = { kind: 'oidc', display_name: 'Contract', domains: [email.split('@')[1]], issuer: provider.issuer, client_id: 'later' };
      const path = `/v1/companies/${this.#product.access.company_id}/sso_connections`;
      const made = await this.#data<{ id: string; start_url: string; redirect_uri: string }>('POST', path, asked, admin);
      await this.#data('PATCH', `/v1/sso_connections/${made.id}`, await provider.register(made.redirect_uri), admin);
      const { next } = await new Browser().go(made.start_url, (url) => url.includes('/console'));
      return outcomeOf(next).sso_token ?? '';
    } finally {
      await provider.close();
    }
  }

  async #linkTo(email: string, key: string): Promise<string> {
    const mark = `#${key}=`;
    const mail = await this.#arrived('mail', (one) => parseEmail(one).to === email && parseEmail(one).text.includes(mark));
    return parseEmail(mail).text.split(mark)[1]!.split(/\s/)[0]!;
  }

  /** Returns the newest matching file of a folder; deliveries take a moment. */
  async #arrived(folder: 'mail' | 'sms', isIt: (text: string) => boolean): Promise<string> {
    for (let tried = 0; tried < 100; tried++) {
      const at = join(this.#product.data, folder);
      const found = names(at)
        .map((name) => readFileSync(join(at, name), 'utf8'))
        .findLast(isIt);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`nothing arrived in ${folder}`);
  }

  #post<T>(path: string, body: object): Promise<T> {
    return call<T>(this.#product.access.base_url, '', 'POST', path, body);
  }

  #data<T>(method: string, path: string, body?: object, token = this.#token): Promise<T> {
    return call<T>(this.#product.access.base_url, token, method, path, body);
  }
}

function names(folder: string): string[] {
  try {
    // A file that is being written is renamed once it is complete.
    return readdirSync(folder)
      .filter((name) => !name.endsWith('.part'))
      .sort();
  } catch (error) {
    // Nothing was sent yet.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
