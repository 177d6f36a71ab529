export const camel = (name: string) => name.replace(/[-_](.)/g, (_, letter: string) => letter.toUpperCase());
export const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns the same value with all of its keys renamed, at every level. */
export const wired = (value: unknown, name: (key: string) => string): unknown =>
  Array.isArray(value)
    ? value.map((one) => wired(one, name))
    : value && typeof value === 'object'
      ? Object.fromEntries(Object.entries(value).map(([key, one]) => [name(key), wired(one, name)]))
      : value;
