import { createScanner } from 'jsonc-parser';

/** A value directly inside of a JSON object or array. */
export interface JsonPart {
  /** Empty in an array. */
  key: string;
  /** As it is written: if it were parsed and written again, repeated keys and digits of long numbers would be lost. */
  text: string;
}

/** Returns the parts of an object or array in their order, whatever their depth. @param text known to be JSON */
export function partsOf(text: string): JsonPart[] {
  const parts: JsonPart[] = [];
  const scanner = createScanner(text, true);
  let depth = 0;
  let key = '';
  let from = 0;
  const end = (at: number) => {
    const part = text.slice(from, at).trim();
    if (part !== '') parts.push({ key, text: part });
    from = at + 1;
  };
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    const at = scanner.getTokenOffset();
    switch (text[at]) {
      case '{':
      case '[':
        if (depth++ === 0) from = at + 1;
        break;
      case '}':
      case ']':
        if (--depth === 0) end(at);
        break;
      case ',':
        if (depth === 1) end(at);
        break;
      case ':':
        if (depth !== 1) break;
        key = JSON.parse(text.slice(from, at)) as string;
        from = at + 1;
    }
  }
  return parts;
}
