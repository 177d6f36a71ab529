/** The parts of the parser that are used; it has no types. */
declare module 'sax' {
  interface Parser {
    onopentag: (tag: { name: string; attributes: Record<string, string> }) => void;
    onclosetag: (name: string) => void;
    ontext: (text: string) => void;
    oncdata: (text: string) => void;
    ondoctype: () => void;
    onerror: (error: Error) => void;
    write(text: string): Parser;
    close(): Parser;
  }
  export function parser(strict: boolean, options: { strictEntities?: boolean }): Parser;
  const sax: { parser: typeof parser };
  export default sax;
}
