/** Elicitation: with `elicitation/create`, a server asks the user of the client to fill in a form or open a URL. */

/** JSON Schema of an elicitation form: an object schema whose properties are form fields. */
export interface ElicitForm {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, ElicitField>>;
  readonly required?: readonly string[];
}

interface FieldText {
  readonly title?: string;
  readonly description?: string;
}

/** JSON Schema of one form field. */
export type ElicitField =
  | (FieldText & {
      readonly type: 'string';
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly format?: 'email' | 'uri' | 'date' | 'date-time';
      readonly default?: string;
      readonly enum?: readonly string[];
      readonly enumNames?: readonly string[];
      readonly oneOf?: readonly { readonly const: string; readonly title: string }[];
    })
  | (FieldText & {
      readonly type: 'number' | 'integer';
      readonly minimum?: number;
      readonly maximum?: number;
      readonly default?: number;
    })
  | (FieldText & { readonly type: 'boolean'; readonly default?: boolean })
  | (FieldText & {
      readonly type: 'array';
      readonly items:
        | { readonly type: 'string'; readonly enum: readonly string[] }
        | { readonly anyOf: readonly { readonly const: string; readonly title: string }[] };
      readonly minItems?: number;
      readonly maxItems?: number;
      readonly default?: readonly string[];
    });

/** Params of `elicitation/create` with a form. */
export interface ElicitFormParams {
  readonly mode: 'form';
  readonly message: string;
  readonly requestedSchema: ElicitForm;
}

/** Params of `elicitation/create` with a URL that the user is asked to open. */
export interface ElicitUrlParams {
  readonly mode: 'url';
  readonly message: string;
  readonly url: string;
}

/** Result of `elicitation/create`. `content` has the values of the form fields if `action` is `accept`. */
export interface ElicitResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}
