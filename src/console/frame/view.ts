/** Returns what an address says of a page's view. @param empty the view of an address that says nothing */
export function viewIn<V extends object>(empty: V, address: string): V {
  const given = new URLSearchParams(address);
  return Object.fromEntries(Object.keys(empty).map((name) => [name, given.get(name) ?? ''])) as V;
}

/** Returns the address of a view; what is not set is left out. */
export function addressOf(view: object): string {
  const given = new URLSearchParams(Object.entries(view).filter(([, value]) => value !== ''));
  return given.size === 0 ? location.pathname : `${location.pathname}?${given}`;
}
