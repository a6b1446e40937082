/** A result of a type that an extension adds to the protocol. */

/** The return value of a handler that replaces the result of its method. Made by `extensionResult`. */
export class ExtensionResult {
  readonly resultType: string;
  readonly result: Readonly<Record<string, unknown>>;

  constructor(resultType: string, result: Readonly<Record<string, unknown>>) {
    this.resultType = resultType;
    this.result = result;
  }
}

/** Makes a result with a `resultType` of an extension. Only requests that declare the extension can have it. */
export function extensionResult(resultType: string, result: Readonly<Record<string, unknown>>): ExtensionResult {
  return new ExtensionResult(resultType, result);
}
