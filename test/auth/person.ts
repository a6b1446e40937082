/** A person with a browser, as far as authorization servers need one: follows redirects, keeps cookies, sends forms. */

/** Who signs in, and what they say to what they are asked. */
export interface Person {
  name: string;
  answer: 'allow' | 'deny';
}

/** Where a visit ended. */
export interface Visited {
  readonly url: URL;
  /** The last page; undefined if the person was sent to another origin, which is not asked for. */
  readonly page: string | undefined;
}

interface Form {
  readonly action: string;
  readonly fields: URLSearchParams;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

const LIMIT = 20;

/** One browser, for one authorization server: it keeps its cookies. */
export class Browser {
  readonly #cookies = new Map<string, Cookie>();

  /** Goes where redirects and forms lead to; every form is sent as it is, with `fill` in it. */
  async visit(start: URL, fill: Readonly<Record<string, string>> = {}): Promise<Visited> {
    let url = start;
    let form: URLSearchParams | undefined;
    for (let step = 0; step < LIMIT; step++) {
      const response = await this.#ask(url, form);
      const location = response.headers.get('location');
      const page = await response.text();
      const next = location === null ? formOf(page) : undefined;
      const action = location ?? next?.action;
      if (action === undefined) return { url, page };
      url = new URL(action, url);
      form = next?.fields;
      for (const [name, value] of Object.entries(fill)) form?.set(name, value);
      if (url.origin !== start.origin) return { url, page: undefined };
    }
    throw new Error('The authorization server leads in a circle');
  }

  async #ask(url: URL, form: URLSearchParams | undefined): Promise<Response> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: this.#cookiesFor(url) },
      ...(form && { method: 'POST', body: form }),
    });
    this.#keep(response, url);
    return response;
  }

  #cookiesFor({ pathname }: URL): string {
    const matching = [...this.#cookies.values()].filter(({ path }) => pathname.startsWith(path));
    return matching.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  #keep(response: Response, { pathname }: URL): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/;\s*/);
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice('path='.length) ?? pathname;
      const key = `${name} ${path}`;
      if (value === '') this.#cookies.delete(key);
      else this.#cookies.set(key, { name, value, path });
    }
  }
}

function formOf(page: string): Form | undefined {
  const action = /<form[^>]* action="([^"]*)"/.exec(page)?.[1];
  if (action === undefined) return undefined;
  const fields = new URLSearchParams();
  for (const [input] of page.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    if (name !== undefined) fields.set(name, /value="([^"]*)"/.exec(input)?.[1] ?? '');
  }
  return { action, fields };
}
