/** A result of a type that an extension adds to the protocol. */

/** What a handler gives in place of the result its method has. */
export class ExtensionResult {
  readonly resultType: string;
  readonly result: Readonly<Record<string, unknown>>;

  constructor(resultType: string, result: Readonly<Record<string, unknown>>) {
    this.resultType = resultType;
    this.result = result;
  }
}

/** Makes a result of an extension's own type. It can be given only to a client that declared the extension. */
export function extensionResult(resultType: string, result: Readonly<Record<string, unknown>>): ExtensionResult {
  return new ExtensionResult(resultType, result);
}
