/** As much of a browser as a sign-in needs: cookies by origin, and redirects followed one by one. */
export class Browser {
  private readonly jar = new Map<string, Map<string, string>>();

  /** Follows redirects until `until` matches the next address or there is none. @returns the last answer and where it leads */
  async go(
    url: string,
    until: (next: string) => boolean = () => false,
  ): Promise<{ status: number; next: string | undefined; body: string }> {
    for (let at = url, hops = 0; hops < 20; hops++) {
      const { status, location, body } = await this.visit(at);
      const next = location === null ? undefined : new URL(location, at).href;
      if (!next || until(next)) return { status, next, body };
      at = next;
    }
    throw new Error(`${url} leads in circles`);
  }

  async visit(url: string, init: RequestInit = {}) {
    const { origin } = new URL(url);
    const cookies = this.jar.get(origin) ?? new Map<string, string>();
    this.jar.set(origin, cookies);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', ...init, headers: { ...init.headers, ...(cookie ? { cookie } : {}) } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return { status: response.status, location: response.headers.get('location'), headers: response.headers, body: await response.text() };
  }
}

/** Returns the outcome of a sign-in. */
export function outcomeOf(url: string | undefined): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(new URL(url ?? 'nowhere:').hash.slice(1)));
}
