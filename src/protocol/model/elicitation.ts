/** Elicitation: asking the person in front of the client. */

/** A form: a flat object of primitive fields. */
export interface ElicitForm {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, ElicitField>>;
  readonly required?: readonly string[];
}

interface FieldText {
  readonly title?: string;
  readonly description?: string;
}

/** One field of a form. */
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

/** A question by form. */
export interface ElicitFormParams {
  readonly mode: 'form';
  readonly message: string;
  readonly requestedSchema: ElicitForm;
}

/** A question by URL: the person is sent to a page. */
export interface ElicitUrlParams {
  readonly mode: 'url';
  readonly message: string;
  readonly url: string;
}

/** The answer as it travels. */
export interface ElicitResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}
