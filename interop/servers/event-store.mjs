/** What lost streams are resumed from, as both official SDKs want it: the events of one session. */
export class Events {
  #events = [];

  async storeEvent(stream, message) {
    this.#events.push({ stream, message });
    return String(this.#events.length);
  }

  async getStreamIdForEventId(id) {
    return this.#events[Number(id) - 1]?.stream;
  }

  async replayEventsAfter(id, { send }) {
    const { stream } = this.#events[Number(id) - 1];
    for (const [index, event] of this.#events.entries()) {
      if (index >= Number(id) && event.stream === stream) await send(String(index + 1), event.message);
    }
    return stream;
  }
}
