/** The connection that is passed to hooks of extensions. It stays valid across reconnects. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import type { Notification } from '../jsonrpc/message.ts';
import { aborted } from '../jsonrpc/pending-requests.ts';
import { anySignal } from '../timing/abort-signals.ts';
import type { Calls } from './calls.ts';
import type { Conversation } from './conversation.ts';
import type { ExtensionConnection } from './extension.ts';
import type { Link } from './link.ts';
import { listen } from './listen.ts';
import type { Questions } from './questions.ts';
import { refusal } from './rounds.ts';
import { until } from './until.ts';

export interface PeerHost {
  readonly link: Link;
  readonly calls: Calls;
  readonly questions: Questions;
  /** Passes a notification through middleware to `to`. */
  deliver(notification: Notification, from: Conversation, to: (notification: Notification) => void): void;
  onError(error: Error): void;
}

const LISTEN = 'subscriptions/listen';

export function peerOf({ link, calls, questions, deliver, onError }: PeerHost): ExtensionConnection {
  return {
    get revision() {
      return link.profile?.revision ?? '';
    },
    get serverCapabilities() {
      return link.profile?.capabilities ?? {};
    },
    request: (method, params, options) => calls.request(method, params, options),
    requestRaw: (method, params, options) => calls.outcome(method, params, options),
    accept: (method, params, result) => calls.accept(method, params, result),

    async respondToInput(question, { signal } = {}) {
      const { method: what } = question;
      const conversation = await link.conversation({ signal }, what);
      if (signal?.aborted) throw aborted(what, signal);
      // Not aborted when the transport connection ends: the input request belongs to no response of that connection.
      const signals = [link.over, signal];
      const { signal: over, release } = anySignal(signals);
      try {
        const answer = questions.answer(question, over, conversation);
        return await until(answer, { what, timeout: Number.POSITIVE_INFINITY, signals });
      } catch (error) {
        throw refusal(what, error);
      } finally {
        release();
      }
    },

    async listen(notifications, listener, { signal } = {}) {
      const conversation = await link.conversation({ signal }, LISTEN);
      const { changes, version } = conversation.revision.features;
      if (changes !== 'subscribed') {
        const text = `${LISTEN} needs protocol revision 2026-07-28 or a later one; ${version} is spoken here`;
        throw new ConnectionError('refused', text);
      }
      const host = {
        open: (params, onNotice, end) =>
          conversation.open(LISTEN, params, (one) => deliver(one, conversation, onNotice), end),
        onError,
      } satisfies Parameters<typeof listen>[0];
      return listen(host, notifications, listener, signal);
    },
  };
}
