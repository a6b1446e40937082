/** A transport that remembers everything that went over it. */

import { type Message, type Payload, serialize, type Transport } from '../entries/mcpp.ts';

/** One message, and which way it went. */
export interface WireEntry {
  readonly from: 'client' | 'server';
  readonly message: Message | readonly Message[];
}

/** Wraps the client's end of a connection; `wire` grows with every message. */
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
      // As it goes over the wire: what JSON drops is not there.
      keep('client', JSON.parse(serialize(message)));
      return transport.send(message, options);
    },
    disconnect: () => transport.disconnect(),
  };
}
