import { useEffect, useRef, useState } from 'react';
import { Ask } from '../frame/ask.tsx';
import { type FileFormat, readAccountingFile, readFormats } from './send-api.ts';
import type { OneSettlement } from './settlements-api.ts';

/** Milliseconds after which a browser has taken a file that was made here. */
const TAKEN = 60_000;

interface Props {
  settlement: OneSettlement;
  onDone: (name: string) => void;
  onFailed: (error: unknown) => void;
  onCancel: () => void;
}

/** Downloads a settlement as a file that an accounting system imports. */
export function FileIt({ settlement, onDone, onFailed, onCancel }: Props) {
  const first = useRef<HTMLSelectElement>(null);
  const [formats, setFormats] = useState<readonly FileFormat[]>([]);
  const [chosen, setChosen] = useState('');
  const [account, setAccount] = useState('');
  const [taxAccount, setTaxAccount] = useState('');
  useEffect(() => {
    let isCurrent = true;
    readFormats(settlement.company.id).then(
      (found) => isCurrent && setFormats(found),
      (error: unknown) => isCurrent && onFailed(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [settlement.company.id, onFailed]);
  const format = formats.find(({ value }) => value === chosen) ?? formats[0];
  const download = async () => {
    if (!format) return;
    try {
      const { name, file } = await readAccountingFile(settlement, format, { account, taxAccount });
      const address = URL.createObjectURL(file);
      Object.assign(document.createElement('a'), { href: address, download: name }).click();
      // The browser takes it after this.
      setTimeout(() => URL.revokeObjectURL(address), TAKEN);
      onDone(name);
    } catch (error) {
      onFailed(error);
    }
  };
  return (
    <Ask
      name="File for accounting"
      act="Download"
      ready={format !== undefined}
      first={first}
      onSubmit={() => void download()}
      onCancel={onCancel}
    >
      <label>
        For
        <select ref={first} value={format?.value ?? ''} onChange={(event) => setChosen(event.target.value)}>
          {formats.map(({ value, name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Account
        <input placeholder="the usual one" value={account} onChange={(event) => setAccount(event.target.value)} />
      </label>
      {settlement.side === 'receivable' && (
        <label>
          Account of the tax
          <input placeholder="the usual one" value={taxAccount} onChange={(event) => setTaxAccount(event.target.value)} />
        </label>
      )}
    </Ask>
  );
}
