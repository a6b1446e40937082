/** The types of koa, which those of oidc-provider need, name an interface that newer versions of this package call otherwise. */

import 'content-disposition';

declare module 'content-disposition' {
  interface Options {
    type?: string | undefined;
  }
}
