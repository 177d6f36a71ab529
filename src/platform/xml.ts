import sax from 'sax';

/** A text that is no XML, or one that is refused: with a document type, too deep or too large. */
export class XmlError extends Error {}

const DEEPEST = 64;
const MOST_ELEMENTS = 200_000;

/** An element as JSON would have it: names in small letters, without their namespace; a repeated one is a list. */
export interface XmlObject {
  [name: string]: XmlValue | XmlValue[];
}
type XmlValue = string | XmlObject;

/**
 * Reads XML as objects: attributes and elements by their names in small letters, an element with nothing but text as the text. Document
 * types, and with them entities that grow, are refused.
 * @returns the root element below its name
 * @throws XmlError
 */
export function readXml(text: string): XmlObject {
  const root = Object.create(null) as XmlObject;
  const open: { name: string; value: XmlObject; text: string }[] = [{ name: '', value: root, text: '' }];
  let elements = 0;
  const parser = sax.parser(true, { strictEntities: true });
  parser.onerror = (error) => {
    throw new XmlError(error.message.split('\n')[0]);
  };
  parser.ondoctype = () => {
    throw new XmlError('a document type is not read');
  };
  parser.onopentag = ({ name, attributes }) => {
    if (open.length > DEEPEST) throw new XmlError(`is deeper than ${DEEPEST} elements`);
    if (++elements > MOST_ELEMENTS) throw new XmlError(`has more than ${MOST_ELEMENTS} elements`);
    const value = Object.create(null) as XmlObject;
    for (const [key, given] of Object.entries(attributes)) if (!/^xmlns(:|$)/.test(key)) add(value, localOf(key), given);
    open.push({ name: localOf(name), value, text: '' });
  };
  const take = (piece: string) => {
    open.at(-1)!.text += piece;
  };
  parser.ontext = take;
  parser.oncdata = take;
  parser.onclosetag = () => {
    const { name, value, text: own } = open.pop()!;
    add(open.at(-1)!.value, name, Object.keys(value).length > 0 ? value : own.trim());
  };
  try {
    parser.write(text).close();
  } catch (error) {
    throw error instanceof XmlError ? error : new XmlError(String(error));
  }
  return root;
}

const localOf = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();

function add(to: XmlObject, name: string, value: XmlValue): void {
  const known = to[name];
  if (known === undefined) to[name] = value;
  else if (Array.isArray(known)) known.push(value);
  else to[name] = [known, value];
}
