import { StartError } from '../platform/start-error.ts';

/** Returns a handler that turns the operating system's error about an address into the sentence that names the variable. */
export function nameAddress(variable: string, host: string, port: number): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') throw error;
    if (error.code === 'EADDRINUSE')
      throw new StartError(`${variable} ${port} is in use by another program: set ${variable} to another port.`);
    if (error.code === 'EACCES')
      throw new StartError(`${variable} ${port} may not be used by this user: set ${variable} to 1024 or above.`);
    throw new StartError(`HOST ${host} is no address of this machine (${error.code}): set HOST to 127.0.0.1 or 0.0.0.0.`);
  };
}

/** Returns a handler that turns the operating system's error about the folder of data into the sentence that names the variable. */
export function nameFolder(folder: string): (error: NodeJS.ErrnoException) => never {
  return ({ code, message }) => {
    throw new StartError(
      `HAULGATE_DATA ${folder} cannot be written (${code ?? message}): give it to the user as which Haulgate runs, or name another folder.`,
    );
  };
}
