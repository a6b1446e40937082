/** `record`: wraps a transport and records its messages. */

import { type Message, type Payload, serialize, type Transport } from '../entries/mcpp.ts';

/** A recorded message and its sender. */
export interface WireEntry {
  readonly from: 'client' | 'server';
  readonly message: Message | readonly Message[];
}

/** Wraps the client's transport, and appends every sent and received message to `wire`. */
export function record(transport: Transport, wire: WireEntry[]): Transport {
  const keep = (from: WireEntry['from'], message: unknown): void => {
    wire.push({ from, message: message as Message });
  };
  return {
    get cancelsBy() {
      return transport.cancelsBy;
    },
    ...(transport.isRequestScoped === undefined ? {} : { isRequestScoped: transport.isRequestScoped }),
    get connected() {
      return transport.connected;
    },
    connect: (receiver) =>
      transport.connect({
        onMessage(payload: Payload) {
          keep('server', payload);
          receiver.onMessage(payload);
        },
        onError: (error) => receiver.onError(error),
        onClose: (cause) => receiver.onClose(cause),
        onMessagesMissed: () => receiver.onMessagesMissed?.(),
      }),
    send(message, options) {
      // Recorded as JSON carries it, for instance without undefined members.
      keep('client', JSON.parse(serialize(message)));
      return transport.send(message, options);
    },
    disconnect: () => transport.disconnect(),
  };
}
