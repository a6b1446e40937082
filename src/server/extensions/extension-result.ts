/** `ExtensionResult`: a result whose `resultType` is defined by an extension. */

/** Value that a handler returns instead of the normal result of its method. Made by `extensionResult`. */
export class ExtensionResult {
  readonly resultType: string;
  readonly result: Readonly<Record<string, unknown>>;

  constructor(resultType: string, result: Readonly<Record<string, unknown>>) {
    this.resultType = resultType;
    this.result = result;
  }
}

/** Makes a result with a `resultType` that an extension defines. Allowed only for clients that declare the extension. */
export function extensionResult(resultType: string, result: Readonly<Record<string, unknown>>): ExtensionResult {
  return new ExtensionResult(resultType, result);
}
