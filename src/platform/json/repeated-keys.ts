import { type JSONPath, visit } from 'jsonc-parser';

/** A value that is lost because its object has the same key again further on. The last one counts. */
export interface RepeatedKey {
  /** Keys and places from the root of the body. */
  path: readonly (string | number)[];
  /** The value that was lost. */
  given: unknown;
  /** The value that counts. */
  used: unknown;
}

/** The most losses that are reported of one payload; the code that shows them cuts off earlier. */
const MOST = 200;

/** Counts the members of the objects of a parsed value. They are fewer than in its text if keys are repeated. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countMembers(item);
  else {
    const members = Object.values(value);
    count = members.length;
    for (const member of members) if (typeof member === 'object') count += countMembers(member);
  }
  return count;
}

/** An object that is being read. */
interface Open {
  path: JSONPath;
  /** The member that is being read, and where its value begins. */
  key: string;
  from: number;
  /** Texts of the values read so far, by key; of the values that are lost, only the first ones. */
  texts: Map<string, string[]>;
}

/**
 * Finds repeated keys in a text that is known to be JSON. It reads the whole text character by character: call it only if there are any.
 * @param parse reads the text of a value
 */
export function repeatedKeys(text: string, parse: (text: string) => unknown): RepeatedKey[] {
  const found: RepeatedKey[] = [];
  const counts = new Map<string, number>();
  const report = ({ path, texts }: Open) => {
    for (const [key, all] of texts) {
      if (all.length === 1) continue;
      const place = [...path, key];
      const element = JSON.stringify(place.slice(0, 2));
      const before = counts.get(element) ?? 0;
      const lost = all.slice(0, Math.min(all.length - 1, MOST - before));
      counts.set(element, before + lost.length);
      const used = parse(all.at(-1)!);
      for (const given of lost) found.push({ path: place, given: parse(given), used });
    }
  };
  // The arrays and objects around the place that is read, from the outermost; undefined for an array.
  const around: (Open | undefined)[] = [];
  const endMember = (at: number) => {
    const object = around.at(-1);
    if (!object || object.from < 0) return;
    const value = text.slice(object.from, at);
    const all = object.texts.get(object.key);
    if (!all) object.texts.set(object.key, [value]);
    else all[Math.min(all.length, MOST)] = value;
  };
  visit(text, {
    onObjectBegin: (_at, _length, _line, _column, path) => void around.push({ path: path(), key: '', from: -1, texts: new Map() }),
    onObjectProperty: (key) => {
      around.at(-1)!.key = key;
    },
    onSeparator: (sign, at) => {
      if (sign === ':') around.at(-1)!.from = at + 1;
      else endMember(at);
    },
    onObjectEnd: (at) => {
      endMember(at);
      report(around.pop()!);
    },
    onArrayBegin: () => void around.push(undefined),
    onArrayEnd: () => void around.pop(),
  });
  return found;
}
