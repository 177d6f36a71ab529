import vm from 'node:vm';

const REJECTED = 'ERR_VM_MODULE_CACHED_DATA_REJECTED';

/**
 * Has a worker of jest parse each file once, not once for each test file that loads it: each test file loads close to three thousand, a third of
 * what most of them take. What V8 made of a file is kept as bytes, which belong to no test file.
 */
export function parseOnce() {
  const { SourceTextModule, compileFunction } = vm;
  const modules = new Map();
  vm.SourceTextModule = class extends SourceTextModule {
    // biome-ignore lint/correctness/noUnreachableSuper: the second is called where the first threw, and made nothing
    constructor(code, options) {
      let known = of(modules, options.identifier, code);
      try {
        super(code, known ? { ...options, cachedData: known } : options);
      } catch (error) {
        // V8 takes no bytes that it made under other flags, which a test file may have set.
        if (error.code !== REJECTED) throw error;
        known = undefined;
        super(code, options);
      }
      if (!known) modules.set(options.identifier, { code, made: this.createCachedData() });
    }
  };
  const functions = new Map();
  vm.compileFunction = (code, parameters, options) => {
    const known = of(functions, options.filename, code);
    const compiled = compileFunction(code, parameters, known ? { ...options, cachedData: known } : { ...options, produceCachedData: true });
    if (!known) {
      // A copy: V8 makes these bytes in the global object of the test file, all of which they would keep.
      functions.set(options.filename, { code, made: Buffer.from(compiled.cachedData) });
    } else if (compiled.cachedDataRejected) {
      functions.delete(options.filename);
    }
    return compiled;
  };
}

function of(all, name, code) {
  const found = all.get(name);
  return found?.code === code ? found.made : undefined;
}
