/** A result of a type that an extension adds to the protocol. */

/** A handler's return value that the client gets in place of the normal result of the method. Made by `extensionResult`. */
export class ExtensionResult {
  readonly resultType: string;
  readonly result: Readonly<Record<string, unknown>>;

  constructor(resultType: string, result: Readonly<Record<string, unknown>>) {
    this.resultType = resultType;
    this.result = result;
  }
}

/** Makes a result with a `resultType` of an extension. Handlers may return it only to requests that declare the extension. */
export function extensionResult(resultType: string, result: Readonly<Record<string, unknown>>): ExtensionResult {
  return new ExtensionResult(resultType, result);
}
