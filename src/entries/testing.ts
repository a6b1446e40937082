/** `mcpp/testing`: tests servers within the process, on every revision. */

export { record, type WireEntry } from '../testing/recorder.ts';
export {
  type Script,
  type Testable,
  type TestClient,
  type TestClientOptions,
  testClient,
} from '../testing/test-client.ts';
