/**
 * The letters that are compared as another one, in hexadecimal: `41..5a+20` is that each of U+0041 to U+005A is compared as the letter 0x20
 * behind it, `/2` that only every second one is. Unicode's simple case folding as of version 17, of letters that are composed of nothing
 * (the others are taken apart before they are looked for here), but for two: dotless i (U+0131) and long s (U+017F) stay what they are,
 * so that nothing that is written in other letters is equal to what is written in ASCII.
 *
 * Kept here, and not taken from the engine, so that what is stored today is found by an engine that knows more letters. A change needs a
 * migration that makes `fold_text` and the columns of it anew.
 */
const RANGES = `
  41..5a+20 b5+307 c6+20 d0+20 d8+20 de+20 110+1 126+1 132+1 13f..141/2+1 14a+1 152+1 166+1 181+d2 182..184/2+1 186+ce 187+1
  189..18a+cd 18b+1 18e+4f 18f+ca 190+cb 191+1 193+cd 194+cf 196+d3 197+d1 198+1 19c+d3 19d+d5 19f+d6 1a2..1a4/2+1 1a6+da 1a7+1
  1a9+da 1ac+1 1ae+da 1b1..1b2+d9 1b3..1b5/2+1 1b7+db 1b8+1 1bc+1 1c4+2 1c5+1 1c7+2 1c8+1 1ca+2 1cb+1 1e4+1 1f1+2 1f2+1 1f6-61
  1f7-38 21c+1 220-82 222..224/2+1 23a+2a2b 23b+1 23d-a3 23e+2a28 241+1 243-c3 244+45 245+47 246..24e/2+1 370..372/2+1 376+1
  37f+74 391..3a1+20 3a3..3a9+20 3c2+1 3cf+8 3d0-1e 3d1-19 3d5-f 3d6-16 3d8..3ee/2+1 3f0-36 3f1-30 3f4-3c 3f5-40 3f7+1 3f9-7 3fa+1
  3fd..3ff-82 402..404/2+50 405..406+50 408..40b+50 40f+50 410..418+20 41a..42f+20 460..474/2+1 478..480/2+1 48a..4be/2+1 4c0+f
  4c3..4cd/2+1 4d4+1 4d8+1 4e0+1 4e8+1 4f6+1 4fa..52e/2+1 531..556+30 10a0..10c5+1c60 10c7+1c60 10cd+1c60 13a0..13ef+97d0
  13f0..13f5+8 1c80-184e 1c81-184d 1c82-1844 1c83..1c84-1842 1c85-1843 1c86-183c 1c87-1824 1c88+89c3 1c89+1 1c90..1cba-bc0
  1cbd..1cbf-bc0 1e9e-1dbf 1efa..1efe/2+1 2132+1c 2160..216f+10 2183+1 24b6..24cf+1a 2c00..2c2f+30 2c60+1 2c62-29f7 2c63-ee6
  2c64-29e7 2c67..2c6b/2+1 2c6d-2a1c 2c6e-29fd 2c6f-2a1f 2c70-2a1e 2c72+1 2c75+1 2c7e..2c7f-2a3f 2c80..2ce2/2+1 2ceb..2ced/2+1
  2cf2+1 a640..a66c/2+1 a680..a69a/2+1 a722..a72e/2+1 a732..a76e/2+1 a779..a77b/2+1 a77d-8a04 a77e..a786/2+1 a78b+1 a78d-a528
  a790..a792/2+1 a796..a7a8/2+1 a7aa-a544 a7ab-a54f a7ac-a54b a7ad-a541 a7ae-a544 a7b0-a512 a7b1-a52a a7b2-a515 a7b3+3a0
  a7b4..a7c2/2+1 a7c4-30 a7c5-a543 a7c6-8a38 a7c7..a7c9/2+1 a7cb-a567 a7cc..a7da/2+1 a7dc-a641 a7f5+1 ff21..ff3a+20
  10400..10427+28 104b0..104d3+28 10570..1057a+27 1057c..1058a+27 1058c..10592+27 10594..10595+27 10c80..10cb2+40 10d50..10d65+20
  118a0..118bf+20 16e40..16e5f+20 16ea0..16eb8+1b 1e900..1e921+22
`;

const pairs = RANGES.trim()
  .split(/\s+/)
  .flatMap((range) => {
    const [, first, last, step, by] = /^(\w+)(?:\.\.(\w+))?(?:\/(\d))?([+-]\w+)$/.exec(range)!;
    const [from, to] = [Number.parseInt(first!, 16), Number.parseInt(last ?? first!, 16)];
    const every = Number(step ?? 1);
    return Array.from({ length: (to - from) / every + 1 }, (_, i): [string, string] => {
      const code = from + i * every;
      return [String.fromCodePoint(code), String.fromCodePoint(code + Number.parseInt(by!, 16))];
    });
  });

/** What each letter that is no small one is compared as. */
export const SMALL: ReadonlyMap<string, string> = new Map(pairs);
/** All that ECMAScript's `trim` cuts: PostgreSQL's `btrim` would cut the blank alone. */
export const BLANKS =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
