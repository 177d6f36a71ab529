/** The public API as an office's program uses it: one token, JSON in and out, lists page by page. */
export class Office {
  readonly #url: string;
  readonly #token: string;

  /** @param url of the server, without a path */
  constructor(url: string, token: string) {
    this.#url = url.replace(/\/$/, '');
    this.#token = token;
  }

  /** Signs a machine client in. @throws Error when the server refuses */
  static async signIn(url: string, clientId: string, clientSecret: string): Promise<Office> {
    const response = await fetch(new URL('/v1/auth/token', url), {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    if (!response.ok) throw new Error(`${url} does not accept the client: ${response.status} ${await response.text()}`);
    return new Office(url, ((await response.json()) as { access_token: string }).access_token);
  }

  /** Returns all records of a list. */
  async all<T>(path: string): Promise<T[]> {
    const found: T[] = [];
    let next: string | undefined = `${path}${path.includes('?') ? '&' : '?'}page[limit]=100`;
    while (next) {
      const response: Response = await this.#call('GET', next);
      found.push(...((await response.json()) as { data: T[] }).data);
      const link = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      next = link?.replace(/^https?:\/\/[^/]+/, '');
    }
    return found;
  }

  async create<T>(path: string, body: object): Promise<T> {
    return ((await (await this.#call('POST', path, body)).json()) as { data: T }).data;
  }

  async change(path: string, body: object): Promise<void> {
    await this.#call('PATCH', path, body);
  }

  async #call(method: string, path: string, body?: object): Promise<Response> {
    for (;;) {
      const response = await fetch(this.#url + path, {
        method,
        headers: { authorization: `Bearer ${this.#token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        body: body && JSON.stringify(body),
      });
      if (response.ok) return response;
      const text = await response.text();
      // Too many requests at once: the server says when to come again.
      if (response.status !== 429) throw new Error(`${method} ${path} ${JSON.stringify(body ?? {})} -> ${response.status} ${text}`);
      await new Promise((later) => setTimeout(later, 1000 * Number(response.headers.get('retry-after') ?? 1)));
    }
  }
}
