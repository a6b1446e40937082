/** What the official SDK's declarations take from the browser's. */
type HeadersInit = NonNullable<ConstructorParameters<typeof Headers>[0]>;
